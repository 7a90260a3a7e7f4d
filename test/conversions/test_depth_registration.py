"""Depth that was measured from another place than the colour image."""

from __future__ import annotations

import numpy as np
import pytest

from st_memory.conversions.depth_registration import depth_of_points, register_depth
from st_memory.core.geometry import PinholeCamera, RigidTransform

COLOR = PinholeCamera(40, 30, 40.0, 40.0, 19.5, 14.5)
DEPTH = PinholeCamera(20, 15, 20.0, 20.0, 9.5, 7.0)
UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])
HERE = RigidTransform.identity()


def test_depth_of_points_keeps_the_nearest_and_knows_nothing_elsewhere() -> None:
    points = np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [9.0, 0.0, 1.0]])
    camera = PinholeCamera(3, 3, 1.0, 1.0, 1.0, 1.0)

    depth_m = depth_of_points(points, camera)

    assert depth_m[1, 1] == 1.0
    assert np.isnan(depth_m).sum() == 8


def test_depth_of_no_points_is_unknown_everywhere() -> None:
    assert np.isnan(depth_of_points(np.zeros((0, 3)), COLOR)).all()


@pytest.mark.parametrize('footprint', [2, 3])
def test_footprint_fills_a_square_and_the_near_one_stays_in_front(footprint: int) -> None:
    camera = PinholeCamera(9, 9, 1.0, 1.0, 4.0, 4.0)
    points = np.array([[0.0, 0.0, 1.0], [2.0, 0.0, 2.0]])  # pixels (4, 4) and (5, 4)

    depth_m = depth_of_points(points, camera, footprint)

    assert (depth_m == 1.0).sum() == footprint**2
    assert (depth_m == 2.0).sum() == footprint
    assert depth_m[4, 4] == 1.0


def test_wall_seen_from_beside_is_the_same_wall_without_holes() -> None:
    """A plane at 2 m: both cameras look at it head-on, 0.1 m apart."""
    wall = np.full((DEPTH.height, DEPTH.width), 2.0, dtype=np.float32)
    camera_T_depth = RigidTransform(np.array([0.1, 0.0, 0.0]), UPRIGHT)

    depth_m = register_depth(wall, DEPTH, camera_T_depth, COLOR)

    assert depth_m.shape == (COLOR.height, COLOR.width)
    # 0.1 m at 2 m with a focal length of 40 px: everything is 2 px further to the right.
    assert np.isnan(depth_m[:, 0]).all()
    np.testing.assert_array_equal(depth_m[1:-1, 3:-1], 2.0)


def test_turned_camera_has_depth_along_its_own_axis() -> None:
    """The point 3 m ahead of the depth camera is 4 m along the axis of the other one."""
    one = np.full((DEPTH.height, DEPTH.width), np.nan, dtype=np.float32)
    one[7, 9] = one[7, 10] = 3.0

    depth_m = register_depth(one, DEPTH, RigidTransform(np.array([0.0, 0.0, 1.0]), UPRIGHT), COLOR)

    np.testing.assert_allclose(depth_m[~np.isnan(depth_m)], 4.0, rtol=1e-6)


def test_what_was_not_measured_stays_unknown() -> None:
    nothing = np.full((DEPTH.height, DEPTH.width), np.nan, dtype=np.float32)

    assert np.isnan(register_depth(nothing, DEPTH, HERE, COLOR)).all()


def test_foreground_hides_the_background_behind_it() -> None:
    """A far wall with a near square: from the side no wall shows through the square."""
    depth_m = np.full((DEPTH.height, DEPTH.width), 3.0, dtype=np.float32)
    depth_m[4:11, 6:14] = 1.0

    seen = register_depth(
        depth_m, DEPTH, RigidTransform(np.array([0.05, 0.0, 0.0]), UPRIGHT), COLOR
    )

    near = np.argwhere(seen == 1.0)
    (top, left), (bottom, right) = near.min(axis=0), near.max(axis=0)
    assert len(near) == (bottom - top + 1) * (right - left + 1) > 7 * 8
