"""Where a detection is, from the depth inside its box."""

from __future__ import annotations

import math

import numpy as np
import pytest

from st_memory.core.association import localize, Measurement
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import CameraFrame, Detection
from test.scenarios.synthetic import CAMERA, looking

BOX = (69.5, 49.5, 20.0, 20.0)  # centred on the principal point
SIGMAS = {'depth_sigma_share': 0.02, 'pose_sigma_rad': 0.02, 'pose_sigma_m': 0.01}


def at(
    detection: Detection, depth_m: np.ndarray | None, pose: RigidTransform | None = None
) -> Measurement | None:
    frame = CameraFrame('cam', CAMERA, pose or looking(), depth_m=depth_m)
    return localize(frame, frame.world_T_camera, detection, 0, **SIGMAS)


def wall(depth_m: float) -> np.ndarray:
    return np.full((CAMERA.height, CAMERA.width), depth_m, dtype=np.float32)


def test_centre_lies_half_the_extent_behind_the_surface() -> None:
    m = at(Detection('cup', 0.9, box_px=BOX), wall(2.0))

    extent = 20 * 2.0 / 130
    np.testing.assert_allclose(m.camera_p, (0.0, 0.0, 2.0 + extent / 2), atol=1e-12)
    np.testing.assert_allclose(m.size_m, [extent] * 3)


def test_position_in_the_fixed_frame_uses_the_pose() -> None:
    m = at(Detection('cup', 0.9, box_px=BOX), wall(2.0), looking(math.pi / 2, (1.0, 0.0, 0.5)))

    # Turned to the left: what is ahead lies along +y.
    np.testing.assert_allclose(m.world_p, (1.0, m.camera_p[2], 0.5), atol=1e-12)
    np.testing.assert_allclose(m.world_ray, (0.0, 1.0, 0.0), atol=1e-12)


def test_box_turns_with_the_camera_that_saw_it() -> None:
    half_root = math.sqrt(0.5)
    detection = Detection(
        'cup', 0.9, camera_p=(0.0, 0.0, 2.0), camera_quat_xyzw=(0.0, 0.0, half_root, half_root)
    )
    pose = looking(math.pi / 2)

    m = at(detection, None, pose)

    turned = pose @ RigidTransform(np.zeros(3), np.array([0.0, 0.0, half_root, half_root]))
    assert m.quat_xyzw == pytest.approx(tuple(turned.quat_xyzw))
    assert at(Detection('cup', 0.9, camera_p=(0.0, 0.0, 2.0)), None, pose).quat_xyzw == (
        0,
        0,
        0,
        1,
    )


def test_background_around_the_object_does_not_pull_the_depth() -> None:
    depth = wall(4.0)
    depth[53:66, 73:86] = 1.5  # the object covers the middle of the box

    assert at(Detection('cup', 0.9, box_px=BOX), depth).camera_p[2] < 1.7


def test_few_depths_in_the_middle_fall_back_to_the_whole_box() -> None:
    depth = wall(2.0)
    depth[54:66, 74:86] = np.nan

    assert at(Detection('cup', 0.9, box_px=BOX), depth) is not None


@pytest.mark.parametrize('depth', [None, wall(math.nan)])
def test_without_depth_there_is_no_position(depth: np.ndarray | None) -> None:
    assert at(Detection('cup', 0.9, box_px=BOX), depth) is None


def test_without_box_and_position_there_is_no_position() -> None:
    assert at(Detection('cup', 0.9), wall(2.0)) is None


def test_own_position_of_the_detection_is_taken_as_it_is() -> None:
    detection = Detection('cup', 0.9, camera_p=(0.1, 0.2, 1.5), size_m=(0.1, 0.1, 0.2))

    m = at(detection, None)

    np.testing.assert_allclose(m.camera_p, (0.1, 0.2, 1.5))
    np.testing.assert_allclose(m.size_m, (0.1, 0.1, 0.2))


@pytest.mark.parametrize(
    ('box', 'cut'),
    [
        ((0.0, 50.0, 20.0, 20.0), True),
        ((50.0, 1.0, 20.0, 20.0), True),
        ((138.0, 50.0, 20.0, 20.0), True),
        ((50.0, 98.0, 20.0, 20.0), True),
        (BOX, False),
    ],
)
def test_box_at_the_border_is_cut_and_counts_less(box: tuple, cut: bool) -> None:
    m = at(Detection('cup', 0.9, box_px=box), wall(2.0))

    assert m.is_cut is cut
    assert (m.weight < 1.0) is cut


def test_box_outside_the_image_has_no_position() -> None:
    assert at(Detection('cup', 0.9, box_px=(-60.0, -60.0, 30.0, 30.0)), wall(2.0)) is None


def test_box_partly_outside_is_read_where_it_is_inside() -> None:
    m = at(Detection('cup', 0.9, box_px=(-10.0, 50.0, 20.0, 20.0)), wall(2.0))

    assert m.is_cut
    assert m.camera_p[2] > 2.0


def test_spreads_grow_with_range() -> None:
    near = at(Detection('cup', 0.9, box_px=BOX), wall(1.0))
    far = at(Detection('cup', 0.9, box_px=BOX), wall(4.0))

    assert far.ray_sigma_m > near.ray_sigma_m
    assert far.lateral_sigma_m > near.lateral_sigma_m
    distance = far.camera_p[2]
    assert far.lateral_sigma_m == pytest.approx(math.hypot(0.01, 0.02 * distance))


# The own body in front of a thing.


def behind(mask: np.ndarray, depth_m: np.ndarray) -> Measurement | None:
    frame = CameraFrame('cam', CAMERA, looking(), depth_m=depth_m, own_body=mask)
    return localize(frame, frame.world_T_camera, Detection('cup', 0.9, box_px=BOX), 0, **SIGMAS)


def test_depth_of_the_own_arm_is_not_read() -> None:
    arm = np.zeros((CAMERA.height, CAMERA.width), dtype=bool)
    arm[:, :82] = True  # more than half of the box, and of its core
    depth_m = wall(2.0)
    depth_m[arm] = 0.5

    without, seen = behind(np.zeros_like(arm), depth_m), behind(arm, depth_m)

    extent = 20 * 2.0 / 130
    assert without.camera_p[2] < 1.0
    assert seen.camera_p[2] == pytest.approx(2.0 + extent / 2)
    assert depth_m[60, 60] == 0.5  # the frame's own image is left alone


def test_box_wholly_on_the_own_arm_gives_a_bearing_only() -> None:
    assert behind(np.ones((CAMERA.height, CAMERA.width), dtype=bool), wall(0.5)) is None
