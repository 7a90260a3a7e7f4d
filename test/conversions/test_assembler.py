"""Tests of the frame assembler: one rule each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from st_memory.conversions import (
    AssemblerSettings,
    FrameAssembler,
    PosePolicy,
    ReleasePolicy,
    TopicKind,
    TopicRole,
)
from st_memory.core.errors import ConversionError
from st_memory.core.records import SensedFrame
from test.conversions import fake_messages as fake

S = 1_000_000_000
T0 = 100 * S
TF = TopicRole(TopicKind.TF)
STATIC = TopicRole(TopicKind.TF_STATIC)
INFO = TopicRole(TopicKind.CAMERA_INFO, 'head')
IMAGE = TopicRole(TopicKind.IMAGE, 'head')
DEPTH = TopicRole(TopicKind.DEPTH, 'head')
FOUND = TopicRole(TopicKind.DETECTIONS, 'head')
WORLD = TopicRole(TopicKind.WORLD_DETECTIONS)
MOVES = TopicRole(TopicKind.MOVEMENTS)
SCENE = TopicRole(TopicKind.SCENE)
CAMERA = (INFO, DEPTH, FOUND)


def assembler_of(*roles: TopicRole, **settings: Any) -> FrameAssembler:
    """Give an assembler whose camera hangs on a static transform, 1 m above the map."""
    assembler = FrameAssembler(AssemblerSettings(roles=roles, **settings))
    link = fake.transform(0, 'map', 'optical', (0.0, 0.0, 1.0))
    assembler.push(STATIC, fake.tf(link))
    return assembler


def moving_assembler(*roles: TopicRole, **settings: Any) -> FrameAssembler:
    """Give an assembler without any transform."""
    return FrameAssembler(AssemblerSettings(roles=roles, **settings))


def push_look(assembler: FrameAssembler, stamp_ns: int) -> list[SensedFrame]:
    """Push calibration, depth and detections of one stamp."""
    left = assembler.push(INFO, fake.camera_info(stamp_ns))
    left += assembler.push(DEPTH, fake.depth_image(stamp_ns))
    left += assembler.push(FOUND, fake.detections(stamp_ns, fake.detection()))
    return left


def push_tf(assembler: FrameAssembler, stamp_ns: int, x: float = 0.0) -> list[SensedFrame]:
    """Push the moving pose of the camera."""
    return assembler.push(TF, fake.tf(fake.transform(stamp_ns, 'map', 'optical', (x, 0.0, 0.0))))


def stamps(frames: list[SensedFrame]) -> list[int]:
    """Give the stamps of frames after T0."""
    return [frame.stamp_ns - T0 for frame in frames]


class TestCompleteness:
    """When a frame leaves."""

    def test_push_last_piece_releases_the_frame(self) -> None:
        assembler = assembler_of(*CAMERA)

        (frame,) = push_look(assembler, T0)

        (camera,) = frame.cameras
        assert (frame.stamp_ns, frame.epoch, camera.camera_id) == (T0, 0, 'head')
        assert camera.world_T_camera is not None
        assert camera.world_T_camera.translation.tolist() == [0.0, 0.0, 1.0]
        assert camera.depth_m is not None
        assert camera.depth_m.tolist() == [[1.0] * 4] * 3
        assert camera.detections is not None
        assert camera.detections[0].label == 'cup'
        assert assembler.counters == {}

    def test_push_without_detections_waits(self) -> None:
        assembler = assembler_of(*CAMERA)

        left = assembler.push(INFO, fake.camera_info(T0))
        left += assembler.push(DEPTH, fake.depth_image(T0))

        assert left == []
        assert assembler.num_pending == 1

    def test_push_camera_without_depth_topic_does_not_wait_for_depth(self) -> None:
        assembler = assembler_of(INFO, FOUND)
        assembler.push(INFO, fake.camera_info(T0))

        (frame,) = assembler.push(FOUND, fake.detections(T0))

        assert frame.cameras[0].depth_m is None
        assert frame.cameras[0].detections == ()

    def test_push_newer_data_beyond_the_wait_releases_what_lacks_detections(self) -> None:
        assembler = assembler_of(*CAMERA)
        assembler.push(INFO, fake.camera_info(T0))
        assembler.push(DEPTH, fake.depth_image(T0))

        early = assembler.push(INFO, fake.camera_info(T0 + S - 1))
        (frame,) = assembler.push(INFO, fake.camera_info(T0 + S))

        assert early == []
        assert frame.cameras[0].detections is None
        assert assembler.counters == {'missing_detections': 1}

    def test_push_newer_data_beyond_the_wait_releases_what_lacks_depth(self) -> None:
        assembler = assembler_of(*CAMERA)
        assembler.push(INFO, fake.camera_info(T0))
        assembler.push(FOUND, fake.detections(T0))

        (frame,) = assembler.push(INFO, fake.camera_info(T0 + S))

        assert frame.cameras[0].depth_m is None
        assert assembler.counters == {'missing_depth': 1}

    def test_push_transform_after_the_image_releases_it(self) -> None:
        assembler = moving_assembler(*CAMERA)
        push_tf(assembler, T0 - 10)
        left = push_look(assembler, T0)

        (frame,) = push_tf(assembler, T0 + 10, x=2.0)

        assert left == []
        pose = frame.cameras[0].world_T_camera
        assert pose is not None
        assert pose.translation.tolist() == [1.0, 0.0, 0.0]

    def test_push_future_transform_is_no_newer_sensor_data(self) -> None:
        assembler = assembler_of(*CAMERA)
        assembler.push(INFO, fake.camera_info(T0))

        left = assembler.push(TF, fake.tf(fake.transform(T0 + 5 * S, 'map', 'odom')))

        assert left == []

    def test_push_transform_never_comes_gives_a_problem_and_no_latest_pose(self) -> None:
        assembler = moving_assembler(*CAMERA)
        push_tf(assembler, T0 - 10)
        push_look(assembler, T0)

        (frame,) = assembler.push(INFO, fake.camera_info(T0 + S))

        assert frame.cameras[0].world_T_camera is None
        assert frame.cameras[0].pose_problem == 'too_new: map <- optical'
        assert assembler.counters['missing_pose'] == 1

    def test_push_transform_of_that_time_never_existed_leaves_at_once(self) -> None:
        assembler = moving_assembler(*CAMERA)
        push_tf(assembler, T0 + 10)

        (frame,) = push_look(assembler, T0)

        assert frame.cameras[0].pose_problem == 'too_old: map <- optical'

    def test_push_unknown_frame_is_named_after_the_wait(self) -> None:
        assembler = moving_assembler(*CAMERA)
        push_look(assembler, T0)

        (frame,) = assembler.push(INFO, fake.camera_info(T0 + S))

        assert frame.cameras[0].pose_problem == 'unknown_frame: map <- optical'

    def test_push_static_rig_takes_the_newest_pose(self) -> None:
        assembler = moving_assembler(*CAMERA, pose_policy=PosePolicy.STATIC_RIG)
        push_tf(assembler, T0 - 50 * S, x=7.0)

        (frame,) = push_look(assembler, T0)

        pose = frame.cameras[0].world_T_camera
        assert pose is not None
        assert pose.translation.tolist() == [7.0, 0.0, 0.0]

    def test_push_static_rig_without_any_pose_is_a_problem(self) -> None:
        assembler = moving_assembler(*CAMERA, pose_policy=PosePolicy.STATIC_RIG)
        push_look(assembler, T0)

        (frame,) = assembler.push(INFO, fake.camera_info(T0 + S))

        assert frame.cameras[0].pose_problem == 'unknown_frame: map <- optical'

    def test_push_without_camera_info_drops_the_look_and_counts(self) -> None:
        assembler = assembler_of(DEPTH)
        assembler.push(DEPTH, fake.depth_image(T0))

        left = assembler.push(DEPTH, fake.depth_image(T0 + S))

        assert left == []
        assert assembler.counters['missing_camera_info'] == 1

    def test_push_one_camera_info_serves_later_images_while_it_is_silent(self) -> None:
        assembler = assembler_of(INFO, DEPTH)
        assembler.push(INFO, fake.camera_info(T0))
        assembler.push(DEPTH, fake.depth_image(T0))

        left = assembler.push(DEPTH, fake.depth_image(T0 + 5 * S))

        assert stamps(left) == [5 * S]

    def test_push_image_alone_makes_a_look(self) -> None:
        assembler = assembler_of(INFO, IMAGE)
        assembler.push(INFO, fake.camera_info(T0))

        (frame,) = assembler.push(IMAGE, fake.compressed(T0 + 5, 'jpeg', b'')) + assembler.push(
            INFO, fake.camera_info(T0 + 5)
        )

        assert frame.stamp_ns == T0 + 5

    def test_push_deadline_policy_keeps_complete_frames_until_newer_data(self) -> None:
        assembler = assembler_of(*CAMERA, release=ReleasePolicy.DEADLINE)

        assert push_look(assembler, T0) == []
        assert stamps(assembler.push(INFO, fake.camera_info(T0 + S))) == [0]

    def test_flush_gives_what_waits(self) -> None:
        assembler = assembler_of(*CAMERA)
        assembler.push(INFO, fake.camera_info(T0 + 1))
        assembler.push(INFO, fake.camera_info(T0))

        assert stamps(assembler.flush()) == [0, 1]
        assert assembler.num_pending == 0

    def test_push_more_than_can_wait_releases_the_oldest(self) -> None:
        assembler = assembler_of(*CAMERA, max_pending=2)

        left = [f for i in range(4) for f in assembler.push(INFO, fake.camera_info(T0 + i))]

        assert stamps(left) == [0, 1]
        assert assembler.counters['released_early'] == 2


class TestOrder:
    """Frames leave by stamp."""

    LEFT = (TopicRole(TopicKind.CAMERA_INFO, 'left'), TopicRole(TopicKind.DEPTH, 'left'))
    RIGHT = (TopicRole(TopicKind.CAMERA_INFO, 'right'), TopicRole(TopicKind.DEPTH, 'right'))

    def push(
        self, assembler: FrameAssembler, roles: tuple[TopicRole, ...], stamp_ns: int
    ) -> list[SensedFrame]:
        """Push calibration and depth."""
        left = assembler.push(roles[0], fake.camera_info(stamp_ns))
        return left + assembler.push(roles[1], fake.depth_image(stamp_ns))

    def test_push_two_cameras_at_one_stamp_share_a_frame(self) -> None:
        assembler = assembler_of(*self.LEFT, *self.RIGHT)
        self.push(assembler, self.RIGHT, T0 - 5)
        self.push(assembler, self.LEFT, T0 - 5)

        left = self.push(assembler, self.RIGHT, T0) + self.push(assembler, self.LEFT, T0)

        assert [c.camera_id for f in left for c in f.cameras] == ['left', 'right']

    def test_push_faster_camera_waits_for_the_slower_one(self) -> None:
        assembler = assembler_of(*self.LEFT, *self.RIGHT)
        self.push(assembler, self.RIGHT, T0)
        first = self.push(assembler, self.LEFT, T0)

        ahead = self.push(assembler, self.LEFT, T0 + 20)
        left = self.push(assembler, self.RIGHT, T0 + 10) + self.push(
            assembler, self.RIGHT, T0 + 30
        )

        assert stamps(first) == [0]
        assert ahead == []
        assert stamps(left) == [10, 20]

    def test_push_camera_that_was_announced_is_waited_for_at_the_start(self) -> None:
        assembler = assembler_of(*self.LEFT, *self.RIGHT)

        first = self.push(assembler, self.LEFT, T0)

        assert first == []
        assert stamps(self.push(assembler, self.LEFT, T0 + S)) == [0, S]

    def test_push_camera_that_fell_silent_is_not_waited_for(self) -> None:
        assembler = assembler_of(*self.LEFT, *self.RIGHT)
        self.push(assembler, self.RIGHT, T0)
        self.push(assembler, self.LEFT, T0)

        assert stamps(self.push(assembler, self.LEFT, T0 + 2 * S)) == [2 * S]

    def test_push_after_the_frame_left_is_late(self) -> None:
        assembler = assembler_of(*CAMERA)
        push_look(assembler, T0)

        assert push_look(assembler, T0 - 5) == []
        assert assembler.counters == {'late': 3}

    def test_push_same_piece_twice_keeps_the_first(self) -> None:
        assembler = assembler_of(*CAMERA)
        assembler.push(INFO, fake.camera_info(T0))
        assembler.push(DEPTH, fake.depth_image(T0, 1000))
        assembler.push(DEPTH, fake.depth_image(T0, 2000))

        (frame,) = assembler.push(FOUND, fake.detections(T0))

        assert frame.cameras[0].depth_m is not None
        assert frame.cameras[0].depth_m[0, 0] == 1.0
        assert assembler.counters == {'duplicate': 1}

    def test_push_within_slop_joins_the_look(self) -> None:
        assembler = assembler_of(*CAMERA, slop_ns=5)
        assembler.push(INFO, fake.camera_info(T0))
        assembler.push(DEPTH, fake.depth_image(T0 + 4))

        (frame,) = assembler.push(FOUND, fake.detections(T0 - 3))

        assert frame.stamp_ns == T0
        assert frame.cameras[0].depth_m is not None

    def test_push_stamp_zero_is_counted(self) -> None:
        assembler = assembler_of(*CAMERA)

        assert push_look(assembler, 0) == []
        assert assembler.counters == {'zero_stamp': 3}
        assert assembler.num_pending == 0


class TestEpochs:
    """Backward jumps."""

    def test_push_far_back_opens_an_epoch_and_flushes(self) -> None:
        assembler = assembler_of(*CAMERA)
        assembler.push(INFO, fake.camera_info(T0))

        left = push_look(assembler, T0 - S)

        assert [(f.epoch, f.stamp_ns - T0) for f in left] == [(0, 0), (1, -S)]
        assert assembler.epoch == 1

    def test_push_a_little_back_stays_in_the_epoch(self) -> None:
        assembler = assembler_of(*CAMERA)
        assembler.push(INFO, fake.camera_info(T0))
        assembler.push(INFO, fake.camera_info(T0 - S // 2))

        assert assembler.epoch == 0

    def test_push_transforms_back_opens_an_epoch(self) -> None:
        assembler = moving_assembler()
        push_tf(assembler, T0)
        push_tf(assembler, T0 - S)

        assert assembler.epoch == 1

    def test_push_one_link_behind_another_is_no_jump(self) -> None:
        assembler = moving_assembler()
        push_tf(assembler, T0)
        assembler.push(TF, fake.tf(fake.transform(T0 - 5 * S, 'map', 'door')))

        assert assembler.epoch == 0

    def test_push_new_epoch_forgets_moving_and_keeps_static_transforms(self) -> None:
        assembler = assembler_of(*CAMERA)
        assembler.push(TF, fake.tf(fake.transform(T0 - 10 * S, 'map', 'gripper')))
        assembler.push(TF, fake.tf(fake.transform(T0, 'map', 'gripper')))
        push_look(assembler, T0)

        far = fake.detection(box=(0.0, 0.0, 0.0, 0.0), position=(0.0, 0.0, 1.0))
        assembler.push(INFO, fake.camera_info(T0 - 5 * S))
        assembler.push(DEPTH, fake.depth_image(T0 - 5 * S))
        (frame,) = assembler.push(FOUND, fake.detections(T0 - 5 * S, far, frame_id='gripper'))

        assert frame.cameras[0].world_T_camera is not None
        assert frame.cameras[0].detections == ()
        assert assembler.counters['detection_pose_without_transform'] == 1

    def test_push_leftover_of_the_old_epoch_is_left_out(self) -> None:
        assembler = assembler_of(*CAMERA)
        push_look(assembler, T0)
        assembler.push(INFO, fake.camera_info(T0 - 50 * S))

        assembler.push(DEPTH, fake.depth_image(T0 + 10))

        assert assembler.counters['leftover_of_old_epoch'] == 1
        assert assembler.num_pending == 1

    def test_push_leftover_transform_is_left_out(self) -> None:
        assembler = moving_assembler(*CAMERA)
        push_tf(assembler, T0)
        push_look(assembler, T0)
        assembler.push(INFO, fake.camera_info(T0 - 50 * S))

        push_tf(assembler, T0 + 10)

        assert assembler.epoch == 1
        assert assembler.counters['leftover_of_old_epoch'] == 1


class TestContent:
    """What is in a frame."""

    def test_push_movement_joins_the_frame_of_its_stamp(self) -> None:
        assembler = assembler_of(*CAMERA, MOVES)
        push_look(assembler, T0)
        assembler.push(MOVES, fake.movement(T0, start_ns=T0))

        (frame,) = push_look(assembler, T0 + 30)

        assert frame.stamp_ns == T0
        assert [m.object_id for m in frame.movements] == ['cup_1']
        assert len(frame.cameras) == 1

    def test_push_movement_alone_makes_a_frame(self) -> None:
        assembler = assembler_of(*CAMERA, MOVES)
        assembler.push(MOVES, fake.movement(T0))

        (frame,) = push_look(assembler, T0 + 30)

        assert (frame.stamp_ns, frame.cameras) == (T0, ())

    def test_push_late_movement_is_reported_in_the_next_frame(self) -> None:
        assembler = assembler_of(*CAMERA)
        push_look(assembler, T0)

        assembler.push(MOVES, fake.movement(T0 - 10, start_ns=T0 - 20))
        (frame,) = assembler.flush()

        assert frame.stamp_ns == T0 + 1
        assert frame.movements[0].start_ns == T0 - 20

    def test_push_unusable_event_is_counted_and_makes_no_frame(self) -> None:
        assembler = assembler_of(*CAMERA)
        assembler.push(MOVES, fake.movement(T0, event_type='open'))

        assert assembler.flush() == []
        assert assembler.counters == {'event_of_other_type': 1}

    def test_push_world_detections_are_moved_into_the_fixed_frame(self) -> None:
        assembler = assembler_of()
        item = fake.detection(position=(1.0, 2.0, 3.0))
        assembler.push(WORLD, fake.detections(T0, item, frame_id='optical', source='annotation'))

        (frame,) = assembler.flush()

        assert frame.world_detections[0].world_p == (1.0, 2.0, 4.0)
        assert frame.world_detections[0].source == 'annotation'

    def test_push_world_detections_in_an_unknown_frame_are_counted(self) -> None:
        assembler = assembler_of()
        item = fake.detection(position=(1.0, 2.0, 3.0))
        assembler.push(WORLD, fake.detections(T0, item, frame_id='nowhere'))

        assert assembler.flush() == []
        assert assembler.counters == {'detection_pose_without_transform': 1}

    def test_push_late_world_detections_are_counted(self) -> None:
        assembler = assembler_of(*CAMERA)
        push_look(assembler, T0)
        assembler.push(WORLD, fake.detections(T0, fake.detection(position=(1, 2, 3))))

        assert assembler.counters == {'late': 1}

    def test_push_detections_in_another_frame_come_into_the_camera(self) -> None:
        assembler = assembler_of(*CAMERA)
        assembler.push(INFO, fake.camera_info(T0))
        assembler.push(DEPTH, fake.depth_image(T0))
        item = fake.detection(position=(0.0, 0.0, 3.0))

        (frame,) = assembler.push(FOUND, fake.detections(T0, item, frame_id='/map'))

        (camera,) = frame.cameras
        assert camera.detections is not None
        assert camera.detections[0].camera_p == (0.0, 0.0, 2.0)

    def test_push_bad_detections_are_counted_by_reason(self) -> None:
        assembler = assembler_of(INFO, FOUND)
        assembler.push(INFO, fake.camera_info(T0))
        bad = [fake.detection(''), fake.detection(score=2.0), fake.detection('')]

        (frame,) = assembler.push(FOUND, fake.detections(T0, *bad))

        assert frame.cameras[0].detections == ()
        assert assembler.counters == {
            'detection_score_out_of_range': 1,
            'detection_without_label': 2,
        }

    def test_push_damaged_depth_is_counted_and_the_look_stays(self) -> None:
        assembler = assembler_of(*CAMERA)
        assembler.push(INFO, fake.camera_info(T0))
        broken = fake.compressed(T0, '16UC1; compressedDepth png', b'broken')
        assembler.push(DEPTH, broken)

        (frame,) = assembler.push(FOUND, fake.detections(T0))

        assert frame.cameras[0].depth_m is None
        assert assembler.counters == {'depth_undecodable': 1}

    def test_push_depth_of_another_frame_is_refused(self) -> None:
        assembler = assembler_of(*CAMERA)
        assembler.push(INFO, fake.camera_info(T0))
        assembler.push(DEPTH, fake.depth_image(T0, frame_id='infrared'))

        (frame,) = assembler.push(FOUND, fake.detections(T0))

        assert frame.cameras[0].depth_m is None
        assert assembler.counters == {'depth_in_other_frame': 1}

    def test_push_depth_of_half_the_size_is_spread_over_the_image(self) -> None:
        assembler = assembler_of(INFO, DEPTH)
        assembler.push(INFO, fake.camera_info(T0, width=4, height=2))
        small = fake.raw_image(T0, '16UC1', np.array([[1000, 2000]], dtype=np.uint16))

        (frame,) = assembler.push(DEPTH, small)

        assert frame.cameras[0].depth_m is not None
        assert frame.cameras[0].depth_m.tolist() == [[1.0, 1.0, 2.0, 2.0]] * 2
        assert assembler.counters == {'depth_resized': 1}

    def test_push_depth_of_another_shape_is_refused(self) -> None:
        assembler = assembler_of(INFO, DEPTH)
        assembler.push(INFO, fake.camera_info(T0, width=40, height=10))

        (frame,) = assembler.push(DEPTH, fake.depth_image(T0))

        assert frame.cameras[0].depth_m is None
        assert assembler.counters == {'depth_size_mismatch': 1}

    def test_push_raw_image_of_another_size_scales_the_calibration(self) -> None:
        assembler = assembler_of(INFO, IMAGE, FOUND)
        assembler.push(INFO, fake.camera_info(T0))
        assembler.push(IMAGE, fake.raw_image(T0, 'mono8', np.zeros((6, 8), dtype=np.uint8)))

        (frame,) = assembler.push(FOUND, fake.detections(T0))

        assert frame.cameras[0].model.parameters == (10.0, 12.0, 3.5, 2.5)

    def test_push_image_size_the_model_cannot_take_is_counted(self) -> None:
        assembler = assembler_of(INFO, IMAGE, FOUND)
        k = (5.0, 0.0, 1.5, 0.0, 5.0, 1.0, 0.0, 0.0, 1.0)
        info = fake.camera_info(T0, model='fisheye624', k=k, d=[0.0] * 12)
        assembler.push(INFO, info)
        assembler.push(IMAGE, fake.raw_image(T0, 'mono8', np.zeros((9, 8), dtype=np.uint8)))

        (frame,) = assembler.push(FOUND, fake.detections(T0))

        assert (frame.cameras[0].model.width, frame.cameras[0].model.height) == (4, 3)
        assert assembler.counters == {'image_size_mismatch': 1}

    def test_push_transform_that_breaks_the_tree_is_counted(self) -> None:
        assembler = assembler_of()
        assembler.push(TF, fake.tf(fake.transform(T0, 'other', 'optical')))

        assert assembler.counters == {'transform_breaks_tree': 1}


class TestScene:
    """Movable parts."""

    TRIANGLE = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))

    def scene_message(self, *frames: str) -> Any:
        """Build a scene with one part in each frame."""
        message = fake.tf()
        message.markers = [
            fake.marker('part', 11, f'{{"name": "{name}"}}', frame_id=name, points=self.TRIANGLE)
            for name in frames
        ]
        return message

    def test_push_scene_is_given_back(self) -> None:
        assembler = assembler_of()
        assembler.push(SCENE, self.scene_message('door', 'map'))

        assert [p.frame_id for p in assembler.scene.parts] == ['door', '']

    def test_push_part_pose_is_that_of_the_stamp(self) -> None:
        assembler = assembler_of(*CAMERA)
        assembler.push(SCENE, self.scene_message('door'))
        for stamp_ns, x in ((T0 - 10, 0.0), (T0 + 10, 1.0)):
            link = fake.transform(stamp_ns, 'map', 'door', (x, 0.0, 0.0))
            assembler.push(TF, fake.tf(link))

        (frame,) = push_look(assembler, T0)

        assert frame.world_T_part['door'].translation.tolist() == [0.5, 0.0, 0.0]

    def test_push_part_whose_transform_is_on_the_way_is_waited_for(self) -> None:
        assembler = assembler_of(*CAMERA)
        assembler.push(SCENE, self.scene_message('door'))
        assembler.push(TF, fake.tf(fake.transform(T0 - 10, 'map', 'door')))
        before = push_look(assembler, T0)

        (frame,) = assembler.push(TF, fake.tf(fake.transform(T0 + 10, 'map', 'door')))

        assert before == []
        assert list(frame.world_T_part) == ['door']

    def test_push_part_without_a_joint_state_is_left_out(self) -> None:
        assembler = assembler_of(*CAMERA)
        assembler.push(SCENE, self.scene_message('door', 'drawer', 'map'))
        assembler.push(STATIC, fake.tf(fake.transform(0, 'map', 'drawer')))

        (frame,) = push_look(assembler, T0)

        assert list(frame.world_T_part) == ['drawer']

    def test_push_part_that_stopped_long_ago_is_not_waited_for(self) -> None:
        assembler = assembler_of(*CAMERA)
        assembler.push(SCENE, self.scene_message('door'))
        assembler.push(TF, fake.tf(fake.transform(T0 - 5 * S, 'map', 'door')))

        (frame,) = push_look(assembler, T0)

        assert frame.world_T_part == {}


class TestRefusals:
    """Messages that can never be used."""

    @pytest.mark.parametrize(
        ('role', 'message', 'text'),
        [
            (DEPTH, fake.raw_image(T0, 'rgb8', np.zeros((3, 4, 3), np.uint8)), "'rgb8'; known"),
            (DEPTH, fake.compressed(T0, 'jpeg', b''), 'unknown compressed depth format'),
            (INFO, fake.camera_info(T0, k=(0.0,) * 9), 'focal lengths > 0'),
        ],
    )
    def test_push_unusable_message_raises_and_the_next_one_works(
        self, role: TopicRole, message: Any, text: str
    ) -> None:
        assembler = assembler_of(*CAMERA)

        with pytest.raises(ConversionError, match=text):
            assembler.push(role, message)

        assert len(push_look(assembler, T0)) == 1

    def test_push_unusable_scene_raises_and_keeps_the_old_one(self) -> None:
        assembler = assembler_of()
        message = fake.tf()
        message.markers = [fake.marker('part', 11, 'no json')]

        with pytest.raises(ConversionError, match='is no scene part'):
            assembler.push(SCENE, message)

        assert assembler.scene.parts == ()


@pytest.mark.parametrize('name', ['slop_ns', 'max_wait_ns', 'jump_back_ns', 'tf_history_ns'])
def test_assembler_settings_negative_duration_raises(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        AssemblerSettings(**{name: -1})


def test_assembler_settings_without_room_to_wait_raises() -> None:
    with pytest.raises(ValueError, match='max_pending'):
        AssemblerSettings(max_pending=0)
