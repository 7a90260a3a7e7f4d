"""A thing seen past something nearer keeps the depth that it is remembered at, where it shows."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
import pytest

from st_memory.core.association import localize, Measurement, recollected
from st_memory.core.records import CameraFrame, Detection
from test.scenarios.synthetic import CAMERA, looking

# A plate of 20 x 20 px at 2 m, columns 70..89 and rows 50..69; an arm before it at 1.2 m.
FOCAL, DEPTH_M, ARM_M, SIDE_PX = 130.0, 2.0, 1.2, 20
BOX = (69.5, 49.5, float(SIDE_PX), float(SIDE_PX))
SIZE = np.array([0.3, 0.3, 0.04])
PLACE = np.array([DEPTH_M, 0.0, 0.0])  # the camera looks along +x
NOISE = {'depth_sigma_share': 0.02, 'pose_sigma_m': 0.01}


def seen_past_an_arm(
    columns: int, *, behind_m: float = DEPTH_M, detection: Detection | None = None
) -> tuple[Measurement, CameraFrame]:
    """An arm hides the middle columns of the box; the rest of it is at a depth."""
    depth = np.full((CAMERA.height, CAMERA.width), 4.0, dtype=np.float32)
    depth[50:70, 70:90] = behind_m
    left = 80 - columns // 2
    depth[50:70, left : left + columns] = ARM_M
    frame = CameraFrame('cam', CAMERA, looking(), depth_m=depth)
    found = detection or Detection('plate', 0.9, box_px=BOX)
    m = localize(frame, looking(), found, 0, pose_sigma_rad=0.02, **NOISE)
    assert m is not None
    return m, frame


def again(m: Measurement, frame: CameraFrame, place: np.ndarray = PLACE) -> Measurement:
    camera_place = looking().inverse().apply(place)
    return recollected(m, frame, looking(), camera_place, SIZE, **NOISE)


def test_arm_across_the_middle_does_not_bring_the_thing_nearer() -> None:
    m, frame = seen_past_an_arm(10)
    assert m.camera_p[2] < 1.5  # the arm fills the middle of the box

    there = again(m, frame)

    side_m = SIDE_PX * DEPTH_M / FOCAL
    assert_allclose(there.camera_p, (0.0, 0.0, DEPTH_M + side_m / 2), atol=1e-6)
    assert_allclose(there.world_p, looking().apply(there.camera_p), atol=1e-12)
    assert_allclose(there.size_m, side_m, atol=1e-6)
    assert there.ray_sigma_m == pytest.approx(np.hypot(0.02 * DEPTH_M, 0.01))


@pytest.mark.parametrize(('columns', 'is_there'), [(15, True), (16, False)])
def test_less_than_a_quarter_of_the_box_does_not_show_the_thing(
    columns: int, is_there: bool
) -> None:
    m, frame = seen_past_an_arm(columns)

    assert (again(m, frame) is not m) == is_there


def test_thing_that_is_not_there_any_more_is_where_it_is_seen() -> None:
    m, frame = seen_past_an_arm(10, behind_m=2.6)

    assert again(m, frame) is m


def test_depth_that_fits_is_left_as_it_is() -> None:
    m, frame = seen_past_an_arm(0)

    assert again(m, frame, np.array([2.1, 0.0, 0.0])) is m


def test_place_behind_the_camera_says_nothing() -> None:
    m, frame = seen_past_an_arm(10)

    assert again(m, frame, -PLACE) is m


def test_position_from_outside_needs_no_depth() -> None:
    told = Detection('plate', 0.9, camera_p=(0.0, 0.0, 1.2), size_m=(0.3, 0.3, 0.3), box_px=BOX)
    m, frame = seen_past_an_arm(10, detection=told)

    assert again(m, frame) is m
