"""The own body in assembled frames: masks by stamp and for all images, boxes on frames."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from st_memory.conversions import FrameAssembler, ReleasePolicy, TopicKind, TopicRole
from st_memory.conversions.self_boxes import SelfBox
from st_memory.core.errors import ConfigError, ConversionError
from st_memory.core.records import SensedFrame
from test.conversions import fake_messages as fake
from test.conversions.assembling import (
    assembler_of,
    CAMERA,
    DEPTH,
    FOUND,
    INFO,
    push_look,
    S,
    stamps,
    STATIC,
    T0,
    TF,
)

MASK = TopicRole(TopicKind.SELF_MASK, 'head')
FIXED = TopicRole(TopicKind.SELF_MASK_FIXED, 'head')
# The camera of the fake messages: 4 x 3 px, at a depth of 1 m its columns are at x = -0.3, -0.1,
# 0.1, 0.3 m and its rows at y = -1/6, 0, 1/6 m.
LEFT, RIGHT, NONE = [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 0]
ARM = SelfBox('gripper', (0.0, 0.0, 0.0), (0.3, 2.0, 0.2))


def mask_of(stamp_ns: int, row: Sequence[int], frame_id: str = 'optical', **size: int) -> Any:
    pixels = np.tile(np.array(row, dtype=np.uint8) * 255, (size.get('height', 3), 1))
    return fake.raw_image(stamp_ns, 'mono8', pixels, frame_id=frame_id)


def columns(frame: SensedFrame) -> list[int] | None:
    """Give which columns are marked, of a mask that is the same in all rows."""
    (camera,) = frame.cameras
    if camera.own_body is None:
        return None
    rows = camera.own_body.astype(int).tolist()
    assert rows[0] == rows[1] == rows[2]
    return list(rows[0])


def gripper_at(assembler: FrameAssembler, x: float, stamp_ns: int = 0) -> list[SensedFrame]:
    """Put the gripper 1 m before the camera; for good without a stamp."""
    link = fake.transform(stamp_ns, 'optical', 'gripper', (x, 0.0, 1.0))
    return assembler.push(TF if stamp_ns else STATIC, fake.tf(link))


# Masks.


def test_mask_joins_the_look_of_its_stamp() -> None:
    assembler = assembler_of(*CAMERA, MASK)
    waiting = push_look(assembler, T0)

    (first,) = assembler.push(MASK, mask_of(T0, LEFT))
    push_look(assembler, T0 + S // 10)
    (second,) = assembler.push(MASK, mask_of(T0 + S // 10, RIGHT))

    assert waiting == []
    assert [columns(first), columns(second)] == [LEFT, RIGHT]
    assert assembler.counters == {}


def test_mask_that_never_comes_is_counted_and_marks_nothing() -> None:
    assembler = assembler_of(*CAMERA, MASK)
    push_look(assembler, T0)

    (frame,) = assembler.push(INFO, fake.camera_info(T0 + S))

    assert columns(frame) is None
    assert assembler.counters == {'missing_self_mask': 1}


def test_empty_mask_is_none() -> None:
    assembler = assembler_of(*CAMERA, MASK)
    push_look(assembler, T0)

    (frame,) = assembler.push(MASK, mask_of(T0, NONE))

    assert columns(frame) is None
    assert assembler.counters == {}


@pytest.mark.parametrize(('role', 'stamp_ns'), [(FIXED, T0 - 50 * S), (FIXED, 0), (MASK, 0)])
def test_mask_for_all_images_is_waited_for_at_none(role: TopicRole, stamp_ns: int) -> None:
    assembler = assembler_of(*CAMERA, role)
    assembler.push(role, mask_of(stamp_ns, LEFT))

    frames = [f for i in range(3) for f in push_look(assembler, T0 + i * S)]

    assert stamps(frames) == [0, S, 2 * S]
    assert [columns(f) for f in frames] == [LEFT] * 3
    assert assembler.counters == {}


def test_later_mask_for_all_images_replaces_the_first() -> None:
    assembler = assembler_of(*CAMERA, FIXED)
    assembler.push(FIXED, mask_of(0, LEFT))
    (first,) = push_look(assembler, T0)
    assembler.push(FIXED, mask_of(0, RIGHT))
    (second,) = push_look(assembler, T0 + S)

    assert [columns(first), columns(second)] == [LEFT, RIGHT]


def test_mask_for_all_images_outlives_a_clock_that_jumps_back() -> None:
    assembler = assembler_of(*CAMERA, FIXED)
    assembler.push(FIXED, mask_of(0, LEFT))
    push_look(assembler, T0)

    (frame,) = push_look(assembler, T0 - 10 * S)

    assert frame.epoch == 1
    assert columns(frame) == LEFT


def test_masks_of_a_file_of_all_images_and_of_one_add_up(tmp_path: Path) -> None:
    path = tmp_path / 'rim.png'
    path.write_bytes(
        cv2.imencode('.png', np.tile(np.array([0, 0, 0, 9], np.uint8), (3, 1)))[1].tobytes()
    )
    assembler = assembler_of(*CAMERA, MASK, self_masks={'head': str(path), 'other': str(path)})
    assembler.push(FIXED, mask_of(0, [1, 0, 0, 0]))
    push_look(assembler, T0)

    (frame,) = assembler.push(MASK, mask_of(T0, [0, 1, 0, 0]))

    assert columns(frame) == [1, 1, 0, 1]


def test_file_that_is_no_mask_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r'rim.png: cannot be read \(No such file'):
        assembler_of(*CAMERA, self_masks={'head': str(tmp_path / 'rim.png')})


def test_mask_of_twice_the_size_is_resized_to_the_nearest_pixel() -> None:
    assembler = assembler_of(*CAMERA, MASK)
    push_look(assembler, T0)

    (frame,) = assembler.push(MASK, mask_of(T0, [1, 1, 0, 1, 0, 0, 1, 1], height=6))

    # The nearest of each pair is the right one: 2 * (u + 0.5) rounded down.
    assert columns(frame) == [1, 1, 0, 1]
    assert assembler.counters == {}


def test_mask_of_other_proportions_is_counted_and_marks_nothing() -> None:
    assembler = assembler_of(*CAMERA, MASK)
    push_look(assembler, T0)

    (frame,) = assembler.push(MASK, mask_of(T0, [1] * 16))

    assert columns(frame) is None
    assert assembler.counters == {'mask_size_mismatch': 1}


def test_mask_of_another_frame_is_counted_and_marks_nothing() -> None:
    assembler = assembler_of(*CAMERA, MASK)
    push_look(assembler, T0)

    (frame,) = assembler.push(MASK, mask_of(T0, LEFT, frame_id='left_eye'))
    assembler.push(FIXED, mask_of(0, RIGHT, frame_id=''))
    push_look(assembler, T0 + S)
    (unnamed,) = assembler.push(MASK, mask_of(T0 + S, NONE, frame_id='/optical'))

    assert columns(frame) is None
    assert columns(unnamed) == RIGHT
    assert assembler.counters == {'mask_in_other_frame': 1}


def test_mask_that_is_damaged_is_counted_and_one_of_no_known_kind_refused() -> None:
    assembler = assembler_of(*CAMERA, MASK)
    push_look(assembler, T0)

    with pytest.raises(ConversionError, match="self_mask of head: unknown mask encoding 'rgb8'"):
        assembler.push(MASK, fake.raw_image(T0, 'rgb8', np.zeros((3, 4), np.uint8)))
    (frame,) = assembler.push(MASK, fake.compressed(T0, 'png', b'none'))

    assert columns(frame) is None
    assert assembler.counters == {'mask_undecodable': 1}
    with pytest.raises(ConversionError, match='self_mask of head: expected a mask as PNG'):
        assembler.push(FIXED, fake.compressed(0, 'png', b'none'))


def test_order_of_messages_does_not_matter_with_a_deadline() -> None:
    messages = [
        (role, push)
        for i in range(3)
        for role, push in (
            (INFO, fake.camera_info(T0 + i * S // 5)),
            (DEPTH, fake.depth_image(T0 + i * S // 5)),
            (FOUND, fake.detections(T0 + i * S // 5)),
            (MASK, mask_of(T0 + i * S // 5, (LEFT, RIGHT, NONE)[i])),
        )
    ]
    seen = []
    for order in (messages, messages[::-1]):
        assembler = assembler_of(*CAMERA, MASK, release=ReleasePolicy.DEADLINE)
        left = [f for role, message in order for f in assembler.push(role, message)]
        seen.append([columns(f) for f in (*left, *assembler.flush())])

    assert seen[0] == seen[1] == [LEFT, RIGHT, None]


# Boxes.


@pytest.mark.parametrize('roles', [CAMERA, (INFO, FOUND)])
def test_box_marks_its_pixels_with_depth_and_without(roles: tuple[TopicRole, ...]) -> None:
    # Grown by 2 cm it spans x = -0.37 to -0.03 m and z = 0.88 to 1.12 m: the two left columns.
    assembler = assembler_of(*roles, self_boxes=(ARM,))
    gripper_at(assembler, -0.2)
    assembler.push(INFO, fake.camera_info(T0))
    left = assembler.push(DEPTH, fake.depth_image(T0)) if DEPTH in roles else []

    left += assembler.push(FOUND, fake.detections(T0))

    assert [columns(f) for f in left] == [LEFT]
    assert assembler.counters == {}


def test_box_with_depth_behind_it_marks_nothing() -> None:
    assembler = assembler_of(*CAMERA, self_boxes=(ARM,))
    gripper_at(assembler, -0.2)
    assembler.push(INFO, fake.camera_info(T0))
    assembler.push(DEPTH, fake.depth_image(T0, [[1000, 2000, 1000, 1000]] * 3))

    (frame,) = assembler.push(FOUND, fake.detections(T0))

    assert columns(frame) == [1, 0, 0, 0]


def test_box_is_where_its_frame_was_at_the_stamp() -> None:
    assembler = assembler_of(*CAMERA, self_boxes=(ARM,))
    gripper_at(assembler, -0.5, T0 - S // 4)
    waiting = push_look(assembler, T0)  # halfway: x = -0.2

    (frame,) = gripper_at(assembler, 0.1, T0 + S // 4)

    assert waiting == []
    assert columns(frame) == LEFT
    assert assembler.counters == {}


def test_box_without_a_pose_is_counted_and_marks_nothing() -> None:
    far = SelfBox('elbow', (0.0, 0.0, 0.0), (0.3, 2.0, 0.2))
    assembler = assembler_of(*CAMERA, self_boxes=(ARM, far))
    gripper_at(assembler, 0.2)

    (frame,) = push_look(assembler, T0)  # nobody has heard of an elbow: nothing to wait for

    assert columns(frame) == RIGHT
    assert assembler.counters == {'self_box_no_pose elbow': 1}


def test_box_whose_transforms_end_is_waited_for_and_then_counted() -> None:
    assembler = assembler_of(*CAMERA, self_boxes=(ARM,))
    gripper_at(assembler, -0.2, T0 - S // 10)
    waiting = push_look(assembler, T0)

    (frame,) = assembler.push(INFO, fake.camera_info(T0 + S))

    assert waiting == []
    assert columns(frame) is None
    assert assembler.counters == {'self_box_no_pose gripper': 1}


def test_box_in_a_hole_of_its_transforms_has_no_pose() -> None:
    assembler = assembler_of(*CAMERA, self_boxes=(ARM,))
    gripper_at(assembler, -0.2, T0 - S)
    gripper_at(assembler, -0.2, T0 + S)

    (frame,) = push_look(assembler, T0)

    assert columns(frame) is None
    assert assembler.counters == {'self_box_no_pose gripper': 1}


def test_box_around_a_camera_without_depth_is_counted() -> None:
    head = SelfBox('optical', (0.0, 0.0, 0.0), (0.2, 0.2, 0.2))
    assembler = assembler_of(INFO, FOUND, self_boxes=(head,))
    assembler.push(INFO, fake.camera_info(T0))

    (frame,) = assembler.push(FOUND, fake.detections(T0))

    assert columns(frame) is None
    assert assembler.counters == {'self_box_around_camera': 1}


def test_box_needs_no_pose_of_the_camera() -> None:
    assembler = assembler_of(*CAMERA, self_boxes=(ARM,), fixed_frame='nowhere')
    gripper_at(assembler, -0.2)
    push_look(assembler, T0)

    (frame,) = assembler.flush()

    assert frame.cameras[0].world_T_camera is None
    assert columns(frame) == LEFT


def test_boxes_and_masks_add_up() -> None:
    assembler = assembler_of(*CAMERA, MASK, self_boxes=(ARM,))
    gripper_at(assembler, -0.2)
    push_look(assembler, T0)

    (frame,) = assembler.push(MASK, mask_of(T0, [0, 0, 0, 1]))

    assert columns(frame) == [1, 1, 0, 1]


def test_fisheye_and_a_new_calibration_are_followed() -> None:
    # An equidistant lens of f = 2 px: columns at angles of -0.75, -0.25, 0.25, 0.75 rad, which at
    # 1 m are x = -0.93, -0.26, 0.26, 0.93 m.
    lens = {'model': 'equidistant', 'd': (0.0,) * 4}
    wide = {'k': (2.0, 0.0, 1.5, 0.0, 2.0, 1.0, 0.0, 0.0, 1.0), **lens}
    assembler = assembler_of(INFO, FOUND, self_boxes=(ARM,))
    gripper_at(assembler, -0.2)
    found = []
    for i, calibration in enumerate(({}, wide)):
        assembler.push(INFO, fake.camera_info(T0 + i * S, **calibration))
        found += assembler.push(FOUND, fake.detections(T0 + i * S))

    narrow, fisheye = (frame.cameras[0].own_body for frame in found)

    assert narrow[1].tolist() == [True, True, False, False]
    assert fisheye[1].tolist() == [False, True, False, False]
