"""Which pixels show a box on the own body: counted by hand, and against a walk along each line."""

from __future__ import annotations

import math

from hypothesis import assume, given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.conversions.self_boxes import PixelRays, SelfBox
from st_memory.core.geometry import (
    Box3D,
    EquidistantCamera,
    Fisheye624Camera,
    PinholeCamera,
    RigidTransform,
)

CAMERA = PinholeCamera(160, 120, 130.0, 130.0, 79.5, 59.5)
RAYS = PixelRays(CAMERA)
CUBE = SelfBox('arm', (0.0, 0.0, 0.0), (0.4, 0.4, 0.4), margin_m=0.0)
PADDED = SelfBox('arm', (0.0, 0.0, 0.0), (0.4, 0.4, 0.4), margin_m=0.02)
FISHEYES = (
    EquidistantCamera(48, 40, 14.0, 14.0, 23.5, 19.5, 0.01, -0.002, 0.0, 0.0),
    Fisheye624Camera(48, 48, 16.0, 23.5, 23.5, (-0.02, 0.01) + (0.0,) * 4 + (1e-3,) * 6),
)


def at(x: float, y: float, z: float) -> RigidTransform:
    return RigidTransform(np.array([x, y, z]), np.array([0.0, 0.0, 0.0, 1.0]))


def flat(depth_m: float) -> np.ndarray:
    return np.full((CAMERA.height, CAMERA.width), depth_m, dtype=np.float32)


def window(columns: range, rows: range) -> np.ndarray:
    mask = np.zeros((CAMERA.height, CAMERA.width), dtype=bool)
    mask[rows.start : rows.stop, columns.start : columns.stop] = True
    return mask


# The cube two metres ahead: its near face, at 1.8 m, reaches 130 * 0.2 / 1.8 = 14.44 px to each
# side of (79.5, 59.5). Grown by 2 cm: 130 * 0.22 / 1.78 = 16.07 px.
PLAIN_WINDOW = window(range(66, 94), range(46, 74))
GROWN_WINDOW = window(range(64, 96), range(44, 76))


def test_without_depth_the_outline_of_the_grown_box_is_covered() -> None:
    np.testing.assert_array_equal(RAYS.covered(CUBE, at(0, 0, 2), None), PLAIN_WINDOW)
    np.testing.assert_array_equal(RAYS.covered(PADDED, at(0, 0, 2), None), GROWN_WINDOW)


@pytest.mark.parametrize(
    ('depth_m', 'half_px', 'is_covered'),
    [
        (1.77, 0.0, False),  # in front of the grown box
        (1.79, 130 * 0.22 / 1.79, True),
        (2.0, 130 * 0.22 / 2.0, True),
        (2.21, 130 * 0.22 / 2.21, True),
        (2.23, 0.0, False),  # behind it: something else, seen through where the box should be
    ],
)
def test_with_depth_only_points_inside_the_grown_box_are_covered(
    depth_m: float, half_px: float, is_covered: bool
) -> None:
    covered = RAYS.covered(PADDED, at(0, 0, 2), flat(depth_m))

    side = 2 * math.floor(half_px + 0.5)  # pixel centres lie at 0.5, 1.5, ... from the middle
    assert covered.sum() == side * side
    assert covered.any() == is_covered


@pytest.mark.parametrize('nothing', [math.nan, 0.0, math.inf, -1.0])
def test_where_depth_was_not_measured_the_box_itself_is_covered(nothing: float) -> None:
    depth = flat(5.0)
    depth[:, :80] = nothing

    covered = RAYS.covered(PADDED, at(0, 0, 2), depth)

    expected = PLAIN_WINDOW.copy()
    expected[:, 80:] = False
    np.testing.assert_array_equal(covered, expected)


def test_turned_box_covers_its_turned_outline() -> None:
    # A rod along x, 1 m long and 2 cm thick, turned by 90 degrees about the optical axis.
    half_root = math.sqrt(0.5)
    rod = SelfBox('arm', (0.0, 0.0, 0.0), (0.6, 0.02, 0.02), margin_m=0.0)
    turned = RigidTransform(np.array([0.0, 0.0, 1.0]), np.array([0, 0, half_root, half_root]))

    covered = RAYS.covered(rod, turned, None)

    # Near face at 0.99 m: 1.31 px and 39.4 px to each side.
    np.testing.assert_array_equal(covered, window(range(79, 81), range(21, 99)))


def test_attitude_and_place_within_the_frame_count() -> None:
    half_root = math.sqrt(0.5)
    rod = SelfBox('arm', (0.0, 0.0, 1.0), (0.6, 0.02, 0.02), (0.0, 0.0, half_root, half_root), 0.0)

    covered = RAYS.covered(rod, rod.frame_T_box, None)

    np.testing.assert_array_equal(covered, window(range(79, 81), range(21, 99)))


def test_box_behind_or_beside_the_camera_covers_nothing() -> None:
    for place in (at(0, 0, -2), at(5, 0, 1), at(0, -5, 1)):
        assert not RAYS.covered(PADDED, place, None).any()
        assert not RAYS.covered(PADDED, place, flat(1.0)).any()


def test_box_around_the_camera_covers_measured_points_alone() -> None:
    room = SelfBox('head', (0.0, 0.0, 0.0), (2.0, 2.0, 2.0), margin_m=0.0)
    depth = flat(0.9)
    depth[:, :80] = 1.1
    depth[0] = math.nan

    covered = RAYS.covered(room, at(0, 0, 0), depth)

    assert room.holds(np.zeros(3))
    assert not RAYS.covered(room, at(0, 0, 0), None).any()
    assert not covered[:, :80].any() and not covered[0].any()
    assert covered[1:, 80:].all()


@given(
    seed=st.integers(0, 10_000),
    camera=st.sampled_from(FISHEYES),
    has_depth=st.booleans(),
)
@settings(max_examples=25, deadline=None)
def test_fisheye_pixels_equal_a_walk_along_each_line(
    seed: int, camera: EquidistantCamera | Fisheye624Camera, has_depth: bool
) -> None:
    rng = np.random.default_rng(seed)
    quat = rng.normal(size=4)
    place = rng.uniform((-1.5, -1.5, 0.2), (1.5, 1.5, 2.0))
    pose = RigidTransform(place, quat / np.sqrt(quat @ quat))
    box = SelfBox('arm', (0, 0, 0), tuple(rng.uniform(0.1, 0.5, 3)), margin_m=0.0)
    shape = (camera.height, camera.width)
    depth = rng.uniform(0.2, 2.5, shape).astype(np.float32) if has_depth else None
    assume(not box.holds(pose.inverse().translation))

    covered = PixelRays(camera).covered(box, pose, depth)

    v, u = np.mgrid[0 : camera.height, 0 : camera.width]
    rays = camera.unproject(np.stack((u.ravel(), v.ravel()), axis=1).astype(float))
    slack_m = 0.004
    solid = Box3D(pose, box.size_m)
    if depth is not None:
        points = rays * depth.reshape(-1, 1).astype(float)
        surely, maybe = (solid.contains(points, m) for m in (-1e-5, 1e-5))
    else:
        steps = np.arange(0.001, 3.0, 0.002)
        longest = np.sqrt((rays**2).sum(axis=1, keepdims=True))
        walk = (rays / longest)[:, None, :] * steps[:, None]
        within = [solid.contains(walk.reshape(-1, 3), m) for m in (-slack_m, slack_m)]
        surely, maybe = (w.reshape(len(rays), -1).any(axis=1) for w in within)
    flat_covered = covered.ravel()
    assert flat_covered[surely].all()
    assert not flat_covered[~maybe].any()


@pytest.mark.parametrize(
    ('changes', 'message'),
    [
        ({'frame': ''}, 'frame: expected the name of a TF frame'),
        ({'frame': '/'}, 'frame: expected the name of a TF frame'),
        ({'size_m': (0.1, 0.0, 0.1)}, r'size_m: expected edges > 0, got \[0.1, 0.0, 0.1\]'),
        ({'size_m': (0.1, math.nan, 0.1)}, 'box on arm: expected finite numbers'),
        ({'centre_m': (math.inf, 0.0, 0.0)}, 'box on arm: expected finite numbers'),
        ({'quat_xyzw': (0.0, 0.0, 0.0, 2.0)}, 'quat_xyzw: expected unit length, got 2'),
        ({'margin_m': -0.1}, 'margin_m: expected >= 0, got -0.1'),
        ({'margin_m': math.nan}, 'margin_m: expected >= 0, got nan'),
    ],
)
def test_box_that_is_none_is_refused(changes: dict, message: str) -> None:
    fields = {'frame': 'arm', 'centre_m': (0.0, 0.0, 0.0), 'size_m': (0.1, 0.1, 0.1), **changes}
    with pytest.raises(ValueError, match=message):
        SelfBox(**fields)
