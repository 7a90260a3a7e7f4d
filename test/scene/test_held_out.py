"""Depth that was held out, against meshes that are right, shifted, and missing."""

from __future__ import annotations

from dataclasses import replace
import math

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.records import Scene
from st_memory.scene import EmbreeRayCaster
from st_memory.scene.held_out import HeldOutDepth
from test.scene.rooms import CAMERA, frames_of, ROOM


def _held_out(num: int = 6, max_depth_m: float = 4.0) -> HeldOutDepth:
    kept = HeldOutDepth(max_depth_m)
    for frame in frames_of(num):
        kept.add(frame.cameras[0])
    return kept


def test_the_mesh_that_the_depth_was_taken_of_agrees() -> None:
    got = _held_out().compare(EmbreeRayCaster(ROOM))

    assert (got.num_images, got.num_pixels) == (6, 6 * 15 * 20)
    assert got.missed_share == 0.0
    assert got.p90_m < 1e-4


@pytest.mark.parametrize('shift', [0.05, -0.05])
def test_a_surface_behind_the_measured_one_is_a_positive_error(shift: float) -> None:
    (walls,) = ROOM.parts
    centre = walls.vertices.mean(axis=0)
    grown = np.sign(walls.vertices - centre) * shift + walls.vertices
    got = _held_out().compare(EmbreeRayCaster(Scene((replace(walls, vertices=grown),))))

    # Along the optical axis a wall that is met at an angle is further away than along its normal.
    assert got.bias_m == pytest.approx(shift, rel=0.4)
    assert got.median_m == pytest.approx(abs(got.bias_m))


def test_where_the_mesh_has_no_surface_is_told_as_a_share() -> None:
    (walls,) = ROOM.parts
    half = replace(walls, triangles=walls.triangles[:6])

    got = _held_out(12).compare(EmbreeRayCaster(Scene((half,))))
    nothing = _held_out(1).compare(EmbreeRayCaster(Scene()))

    assert 0.2 < got.missed_share < 0.8
    assert got.median_m < 1e-4
    assert nothing.missed_share == 1.0
    assert math.isnan(nothing.median_m)


def test_depth_beyond_the_limit_is_not_compared() -> None:
    assert _held_out(max_depth_m=0.5).compare(EmbreeRayCaster(ROOM)).num_pixels == 0


def test_looks_without_a_pose_or_depth_are_passed_over() -> None:
    kept = HeldOutDepth(4.0)
    (camera,) = next(iter(frames_of(1))).cameras

    kept.add(replace(camera, depth_m=None))
    kept.add(replace(camera, world_T_camera=None, pose_problem='too_old'))

    assert len(kept) == 0
    assert kept.compare(EmbreeRayCaster(ROOM)).num_images == 0


def test_errors_are_along_the_optical_axis() -> None:
    (camera,) = next(iter(frames_of(1))).cameras
    assert camera.world_T_camera is not None
    assert camera.depth_m is not None
    kept = HeldOutDepth(4.0)
    kept.add(replace(camera, depth_m=(camera.depth_m - 0.1).astype(np.float32)))

    got = kept.compare(EmbreeRayCaster(ROOM))

    assert got.bias_m == pytest.approx(0.1, abs=1e-4)
    assert got.p90_m == pytest.approx(0.1, abs=1e-4)
    assert CAMERA.width == camera.model.width
    assert isinstance(camera.world_T_camera, RigidTransform)
