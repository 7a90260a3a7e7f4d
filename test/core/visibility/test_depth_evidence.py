"""Measured depth against boxes: counts by hand, and every line against a slow oracle."""

from __future__ import annotations

from dataclasses import replace
import math

import numpy as np
from numpy.testing import assert_allclose
import pytest

from st_memory.core.geometry import Box3D, Fisheye624Camera, RigidTransform
from st_memory.core.records import CameraFrame, Visibility
from st_memory.core.visibility import classify, PRESETS, Targets, Verdicts
from test.scenarios.synthetic import CAMERA, looking

LIVE = PRESETS['live']
NOTHING = float('nan')


def judge(
    depth: np.ndarray,
    centre: tuple = (2.0, 0.0, 0.0),
    size: tuple = (0.4, 0.4, 0.4),
    camera: object = CAMERA,
    rotation: np.ndarray | None = None,
    **preset: object,
) -> Verdicts:
    rotations = None if rotation is None else rotation[None]
    box = Targets(np.array([centre]), np.array([size]), ('',), rotations)
    frame = CameraFrame('cam', camera, looking(), depth_m=depth)
    return classify(box, frame, replace(LIVE, **preset))


def flat(depth_m: float) -> np.ndarray:
    return np.full((CAMERA.height, CAMERA.width), depth_m, dtype=np.float32)


# Its own surface, what is in front, what is behind: the cube spans 1.8 m to 2.2 m.


@pytest.mark.parametrize(
    ('depth_m', 'seen', 'through', 'share'),
    [
        (1.7, False, False, 0.0),
        (1.74, False, False, 0.0),  # the tolerance at the far side, 2.2 m, is 4.4 cm
        (1.8, True, False, 1.0),
        (2.0, True, False, 1.0),
        (2.2, True, False, 1.0),
        (2.3, False, True, 1.0),
        (NOTHING, False, False, NOTHING),
    ],
)
def test_a_plane_at_each_side_of_the_cube(
    depth_m: float, seen: bool, through: bool, share: float
) -> None:
    verdicts = judge(flat(depth_m))

    assert bool(verdicts.surface_seen[0]) is seen
    assert bool(verdicts.seen_through[0]) is through
    assert verdicts.visible_share[0] == pytest.approx(share, nan_ok=True)


def test_a_surface_on_one_line_is_seen() -> None:
    depth = flat(1.0)
    depth[61, 81] = 2.0  # one of the 64 lines of sight

    verdicts = judge(depth)

    assert verdicts.surface_seen[0]
    assert verdicts.blocked_share[0] == 63 / 64
    assert verdicts.geometry[0] == Visibility.OCCLUDED


def test_more_lines_find_a_smaller_gap() -> None:
    depth = flat(1.0)
    depth[62, 80] = 2.0  # between the 64 lines

    assert not judge(depth).surface_seen[0]
    assert judge(depth, depth_lattice=64).surface_seen[0]


def test_lines_beside_the_box_say_nothing_of_it() -> None:
    # A board of 2 m across and 2 cm in height and depth: turned by 45 degrees in the image its
    # rectangle is nearly all background.
    half = math.radians(45.0) / 2
    turned = RigidTransform((0, 0, 0), (math.sin(half), 0.0, 0.0, math.cos(half))).rotation
    depth = flat(1.0)
    u, v = np.meshgrid(np.arange(CAMERA.width), np.arange(CAMERA.height))
    # In the image it runs along one diagonal; only there the way is free.
    on_board = np.abs((u - 79.5) - (v - 59.5)) < 8
    depth[on_board] = 2.0
    assert 0.05 < on_board.mean() < 0.2

    verdicts = judge(depth, size=(0.02, 2.0, 0.02), rotation=turned)
    other = judge(depth, size=(0.02, 2.0, 0.02), rotation=turned.T)

    assert verdicts.blocked_share[0] < 0.1
    assert other.blocked_share[0] > 0.8


def test_box_too_small_for_the_lattice_is_judged_by_its_middle() -> None:
    # At 15 m a cube of 1 cm is less than a tenth of a pixel: pixel (80, 60) or a neighbour.
    near, free = flat(3.0), flat(15.0)

    assert judge(near, (15.0, 0.0, 0.0), (0.01,) * 3).geometry[0] == Visibility.OCCLUDED
    assert judge(free, (15.0, 0.0, 0.0), (0.01,) * 3).geometry[0] == Visibility.VISIBLE
    assert judge(free, (15.0, 0.0, 0.0), (0.0,) * 3).surface_seen[0]


def test_box_around_the_camera_or_behind_it_breaks_nothing() -> None:
    around = judge(flat(2.0), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), min_in_view_share=0.0)
    behind = judge(flat(2.0), (-1.0, 0.0, 0.0), min_in_view_share=0.0)

    assert around.geometry[0] in (Visibility.VISIBLE, Visibility.OUT_OF_VIEW)
    assert behind.geometry[0] == Visibility.OUT_OF_VIEW
    assert not behind.surface_seen[0]


def test_lattice_ends_where_the_image_does() -> None:
    # Half of the cube is beyond the right border; depth in the image's last columns is all there
    # is of it.
    y = -80 / 130 * 2.0
    depth = flat(2.15)  # its left face comes nearer only beyond column 140
    depth[:, 145:] = 1.0

    verdicts = judge(depth, (2.0, y, 0.0), min_in_view_share=0.0)

    # Its left face is at u = 79.5 + 130 * 1.0308 / 2.2 = 140.4 to 153.9 px.
    assert verdicts.in_view_points[0] == 4
    assert 0.5 < verdicts.blocked_share[0] < 1.0


def test_any_part_in_the_image_is_enough_when_asked_for() -> None:
    # None of the nine points of a wall of 8 m is in the image, but its middle is in front of it.
    wall = {'centre': (2.0, 3.0, 0.0), 'size': (0.1, 8.0, 8.0)}

    strict, any_part = judge(flat(2.0), **wall), judge(flat(2.0), **wall, min_in_view_share=0.0)

    assert strict.in_view_points[0] == any_part.in_view_points[0] == 0
    assert strict.geometry[0] == Visibility.OUT_OF_VIEW
    assert any_part.geometry[0] == Visibility.VISIBLE
    assert any_part.surface_seen[0]


def test_fisheye_without_rays_in_the_corners_is_no_error() -> None:
    fisheye = Fisheye624Camera(160, 160, 60.0, 79.5, 79.5, (-0.2,) + (0.0,) * 11)
    assert np.isnan(fisheye.unproject(np.array([[0.0, 0.0]]))).all()
    depth = np.full((160, 160), 2.0, dtype=np.float32)

    verdicts = judge(depth, size=(0.1, 6.0, 6.0), camera=fisheye, min_in_view_share=0.0)

    assert verdicts.surface_seen[0]
    assert np.isfinite(verdicts.blocked_share[0])


def test_shares_equal_a_walk_along_every_line() -> None:
    """March along the lines of sight in millimetres: an oracle that knows no slabs."""
    rng = np.random.default_rng(8)
    depth = rng.uniform(1.2, 3.0, (CAMERA.height, CAMERA.width)).astype(np.float32)
    quat = rng.normal(size=4)
    pose = RigidTransform((2.0, 0.1, -0.1), quat / np.sqrt(quat @ quat))
    box = Box3D(pose, (0.5, 0.3, 0.2))

    verdicts = judge(
        depth, (2.0, 0.1, -0.1), box.size, rotation=pose.rotation, depth_tolerance_share=0.0,
        depth_tolerance_m=0.0,
    )  # fmt: skip

    camera_p = looking().inverse().apply(box.corners)
    corners = CAMERA.project(camera_p).pixels
    low, high = corners.min(axis=0), corners.max(axis=0)
    steps = (np.arange(8) + 0.5) / 8
    along = np.arange(1.0, 3.2, 0.001)
    num_met = num_blocked = 0
    for u in np.rint(low[0] + steps * (high[0] - low[0])).astype(int):
        for v in np.rint(low[1] + steps * (high[1] - low[1])).astype(int):
            ray = CAMERA.unproject(np.array([[u, v]], dtype=float))[0]
            inside = box.contains(looking().apply(along[:, None] * ray))
            if inside.any():
                num_met += 1
                num_blocked += depth[v, u] < along[inside][0]
    assert 20 < num_met < 64
    assert_allclose(verdicts.blocked_share[0], num_blocked / num_met, atol=2 / num_met)
