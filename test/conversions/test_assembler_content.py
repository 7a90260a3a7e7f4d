"""What the assembler puts into frames, and what it refuses: one rule each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from st_memory.conversions import AssemblerSettings, TopicRole
from st_memory.core.errors import ConversionError
from test.conversions import fake_messages as fake
from test.conversions.assembling import (
    assembler_of,
    CAMERA,
    DEPTH,
    FOUND,
    IMAGE,
    INFO,
    MOVES,
    push_look,
    S,
    SCENE,
    STATIC,
    T0,
    TF,
    WORLD,
)


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


@pytest.mark.parametrize(
    'name', ['slop_ns', 'max_wait_ns', 'jump_back_ns', 'tf_history_ns', 'max_pose_gap_ns']
)
def test_assembler_settings_negative_duration_raises(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        AssemblerSettings(**{name: -1})


def test_assembler_settings_without_room_to_wait_raises() -> None:
    with pytest.raises(ValueError, match='max_pending'):
        AssemblerSettings(max_pending=0)
