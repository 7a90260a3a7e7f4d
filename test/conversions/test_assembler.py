"""When frames leave the assembler, and in which epoch: one rule each."""

from __future__ import annotations

from st_memory.conversions import FrameAssembler, PosePolicy, ReleasePolicy, TopicKind, TopicRole
from st_memory.core.records import SensedFrame
from test.conversions import fake_messages as fake
from test.conversions.assembling import (
    assembler_of,
    CAMERA,
    DEPTH,
    FOUND,
    IMAGE,
    INFO,
    moving_assembler,
    push_look,
    push_tf,
    S,
    stamps,
    T0,
    TF,
)


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
