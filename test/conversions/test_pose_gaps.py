"""Cameras in a hole of the poses, and doors in one: one rule each."""

from __future__ import annotations

from typing import Any

import pytest

from st_memory.conversions import FrameAssembler, PosePolicy, ReleasePolicy
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import CameraFrame, SensedFrame, Visibility
from test.conversions import fake_messages as fake
from test.conversions.assembling import (
    assembler_of,
    CAMERA,
    moving_assembler,
    push_look,
    push_tf,
    S,
    SCENE,
    T0,
    TF,
    WORLD,
)
from test.scenarios.synthetic import states_of


def camera_of(frames: list[SensedFrame]) -> CameraFrame:
    """Give the camera of the only frame."""
    (frame,) = frames
    (camera,) = frame.cameras
    return camera


def in_a_hole(width_ns: int, **settings: Any) -> tuple[FrameAssembler, CameraFrame]:
    """Look in the middle of a hole of the camera's poses."""
    # Waits long enough for the far rim of any hole here.
    assembler = moving_assembler(*CAMERA, max_wait_ns=60 * S, **settings)
    push_tf(assembler, T0 - width_ns // 2)
    assert push_look(assembler, T0) == []
    return assembler, camera_of(push_tf(assembler, T0 + width_ns // 2, x=2.0))


def test_camera_in_a_hole_has_no_pose_and_says_so() -> None:
    assembler, camera = in_a_hole(5 * S)

    assert camera.world_T_camera is None
    assert camera.pose_problem == 'in_gap: map <- optical'
    assert assembler.counters == {'missing_pose': 1, 'missing_pose_in_gap': 1}


def test_camera_in_a_hole_keeps_depth_and_detections() -> None:
    _, camera = in_a_hole(5 * S)

    assert camera.depth_m is not None
    assert camera.detections is not None
    assert camera.detections[0].label == 'cup'


@pytest.mark.parametrize('width_ns', [S, S // 30])
def test_camera_within_the_limit_is_posed_between_its_neighbours(width_ns: int) -> None:
    assembler, camera = in_a_hole(width_ns)

    assert camera.world_T_camera is not None
    assert camera.world_T_camera.translation[0] == pytest.approx(1.0, abs=1e-6)
    assert assembler.counters == {}


@pytest.mark.parametrize(
    ('max_pose_gap_ns', 'is_posed'), [(0, True), (5 * S, True), (4 * S, False)]
)
def test_limit_is_a_setting_and_zero_is_none(max_pose_gap_ns: int, is_posed: bool) -> None:
    _, camera = in_a_hole(5 * S, max_pose_gap_ns=max_pose_gap_ns)

    assert (camera.world_T_camera is not None) is is_posed


def test_camera_at_a_sample_beside_a_hole_is_posed() -> None:
    assembler = moving_assembler(*CAMERA)
    push_tf(assembler, T0 - 5 * S)
    push_tf(assembler, T0, x=3.0)

    camera = camera_of(push_look(assembler, T0))

    assert camera.world_T_camera is not None
    assert camera.world_T_camera.translation[0] == 3.0


def test_static_rig_takes_the_newest_pose_in_a_hole_too() -> None:
    assembler = moving_assembler(*CAMERA, pose_policy=PosePolicy.STATIC_RIG)
    push_tf(assembler, T0 - 5 * S)
    push_tf(assembler, T0 + 5 * S, x=7.0)

    camera = camera_of(push_look(assembler, T0))

    assert camera.world_T_camera is not None
    assert camera.world_T_camera.translation[0] == 7.0


def test_frame_in_a_hole_is_not_kept_waiting() -> None:
    """The far rim is there: what would fill the hole is not on its way."""
    assembler = moving_assembler(*CAMERA)
    push_tf(assembler, T0 - 5 * S)
    push_tf(assembler, T0 + 5 * S)

    assert len(push_look(assembler, T0)) == 1


def test_recorded_poses_that_come_late_fill_the_hole() -> None:
    """At its deadline a frame takes what has come until then, in whatever order."""
    assembler = moving_assembler(*CAMERA, release=ReleasePolicy.DEADLINE)
    push_tf(assembler, T0 - 2 * S)
    push_tf(assembler, T0 + S // 3, x=3.0)
    push_look(assembler, T0)
    push_tf(assembler, T0 - S // 6)

    camera = camera_of(assembler.flush())

    assert camera.world_T_camera is not None
    assert camera.world_T_camera.translation[0] == pytest.approx(1.0)


def test_world_detections_from_a_frame_in_a_hole_are_counted() -> None:
    """A position in the map would be as made up as the pose."""
    assembler = moving_assembler(max_wait_ns=60 * S)
    push_tf(assembler, T0 - 5 * S)
    push_tf(assembler, T0 + 5 * S)
    item = fake.detection(position=(1.0, 2.0, 3.0))
    assembler.push(WORLD, fake.detections(T0, item))

    assert assembler.flush() == []
    assert assembler.counters == {'detection_pose_without_transform': 1}


def test_objects_are_unknown_for_want_of_a_pose_in_a_hole() -> None:
    """From messages to the memory: seen before the hole, unknown in it, known where it was."""
    assembler = moving_assembler(*CAMERA, max_wait_ns=60 * S)
    memory = ObjectMemory(MemorySettings())
    seen: dict[int, tuple[Visibility, str]] = {}
    places = set()
    for offset_ns in (0, S // 30, S // 15, S // 10, 4 * S):
        push_tf(assembler, T0 + offset_ns)
        stamp_ns = T0 + offset_ns if offset_ns < S else T0 + 2 * S
        assembler.push(CAMERA[0], fake.camera_info(stamp_ns))
        assembler.push(CAMERA[1], fake.depth_image(stamp_ns))
        cup = fake.detection(track_id='cup_1', score=0.9, position=(0.0, 0.0, 1.0))
        for frame in assembler.push(CAMERA[2], fake.detections(stamp_ns, cup)):
            for state in states_of([memory.integrate(frame)]).values():
                seen[frame.stamp_ns - T0] = (state.visibility, state.cause)
                places.add(state.world_p)

    assert seen[0][0] is Visibility.VISIBLE
    assert seen[2 * S] == (Visibility.UNKNOWN, 'no_pose')
    assert len(places) == 1


class TestDoors:
    """Frames of movable parts."""

    TRIANGLE = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))

    def assembler(self, *door_stamps: int) -> FrameAssembler:
        """Give an assembler with a static camera and a door that was told of at some stamps."""
        assembler = assembler_of(*CAMERA)
        scene = fake.tf()
        scene.markers = [
            fake.marker('part', 11, '{"name": "door"}', frame_id='door', points=self.TRIANGLE)
        ]
        assembler.push(SCENE, scene)
        for i, stamp_ns in enumerate(door_stamps):
            link = fake.transform(stamp_ns, 'map', 'door', (float(i), 0.0, 0.0))
            assembler.push(TF, fake.tf(link))
        return assembler

    def test_door_told_of_rarely_has_a_pose_between_the_two(self) -> None:
        assembler = self.assembler(T0 - 30 * S, T0 + 30 * S)

        (frame,) = push_look(assembler, T0)

        assert frame.world_T_part['door'].translation.tolist() == [0.5, 0.0, 0.0]
        assert frame.cameras[0].world_T_camera is not None
        assert assembler.counters == {}

    def test_door_told_of_once_has_an_unknown_joint_from_then_on(self) -> None:
        """Nothing says that it still stands so: its fixture is ambiguous, not hidden or open."""
        assembler = self.assembler(T0)

        (at_once,) = push_look(assembler, T0)
        (later,) = push_look(assembler, T0 + 10 * S)

        assert list(at_once.world_T_part) == ['door']
        assert later.world_T_part == {}
