"""Depth images without distortion."""

from __future__ import annotations

import numpy as np
import pytest

from st_memory.core.geometry import (
    CameraModel,
    DoubleSphereCamera,
    EquidistantCamera,
    PinholeCamera,
    PlumbBobCamera,
)
from st_memory.scene.pinhole_depth import pinhole_depth
from test.scene.rooms import CAMERA, frames_of, room_depth

LENSES = [
    PlumbBobCamera(160, 120, 100.0, 98.0, 81.0, 57.0, -0.2, 0.03, 0.001, 0.0, 0.0),
    EquidistantCamera(160, 120, 70.0, 70.0, 79.5, 59.5, 0.01, 0.0, 0.0, 0.0),
    DoubleSphereCamera(160, 120, 70.0, 70.0, 79.5, 59.5, -0.1, 0.55),
]


def test_a_pinhole_camera_keeps_its_image() -> None:
    depth = np.full((120, 160), 2.0, np.float32)

    got, model = pinhole_depth(depth, CAMERA)

    assert got is depth
    assert model is CAMERA


@pytest.mark.parametrize('lens', LENSES, ids=lambda lens: lens.model_name)
def test_the_image_is_what_the_pinhole_camera_would_have_taken(lens: CameraModel) -> None:
    (camera,) = next(iter(frames_of(1, lens))).cameras
    assert camera.world_T_camera is not None
    assert camera.depth_m is not None

    got, model = pinhole_depth(camera.depth_m, lens)

    want = room_depth(model, camera.world_T_camera)
    seen = np.isfinite(got)
    assert isinstance(model, PinholeCamera)
    assert (model.width, model.height) == (160, 120)
    assert seen.mean() > 0.5
    # A pixel's depth is that of the nearest pixel: half a pixel of a slanted wall.
    error = np.abs(got - want)[seen & np.isfinite(want)]
    assert np.median(error) < 0.01
    assert np.percentile(error, 95) < 0.05


def test_where_the_camera_does_not_look_nothing_is_measured() -> None:
    narrow = PlumbBobCamera(160, 120, 100.0, 100.0, 150.0, 59.5, 0.0)

    got, _ = pinhole_depth(np.full((120, 160), 2.0, np.float32), narrow)

    assert np.isnan(got[:, 100:]).all()  # the axis moved to the middle: 70 columns are not there
    assert (got[:, :80] == 2.0).all()
    assert got.dtype == np.float32


def test_outside_the_circle_of_a_fisheye_nothing_is_measured() -> None:
    lens = EquidistantCamera(160, 120, 70.0, 70.0, 79.5, 59.5, valid_radius_px=40.0)

    got, _ = pinhole_depth(np.full((120, 160), 2.0, np.float32), lens)

    assert got[60, 80] == 2.0
    assert np.isnan(got[60, :20]).all()
