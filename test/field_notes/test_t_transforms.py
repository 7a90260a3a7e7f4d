"""Transforms: rows T1 to T13, from a bag to its frames."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest

from st_memory.conversions import PosePolicy
from st_memory.core.geometry import RigidTransform, TransformBuffer
from st_memory.doctor import diagnose
from test.conversions import fake_messages as fake
from test.conversions.assembling import CAMERA, DEPTH, FOUND, INFO, moving_assembler, push_tf
from test.conversions.assembling import T0 as FAKE_T0
from test.field_notes.recordings import AHEAD, frames_of, look_of, MS, recording, S, T0

UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])


def test_t1_pose_is_taken_with_the_image_and_kept_for_a_slow_detector() -> None:
    """The detector takes 30 s, transforms are kept for 10."""
    assembler = moving_assembler(*CAMERA, max_wait_ns=60 * S, tf_history_ns=10 * S)
    push_tf(assembler, FAKE_T0, x=7.0)
    assembler.push(INFO, fake.camera_info(FAKE_T0))
    assembler.push(DEPTH, fake.depth_image(FAKE_T0))
    for i in range(1, 301):
        push_tf(assembler, FAKE_T0 + i * 100 * MS)

    (frame,) = assembler.push(FOUND, fake.detections(FAKE_T0, fake.detection()))

    pose = frame.cameras[0].world_T_camera
    assert pose is not None
    assert pose.translation[0] == 7.0


def test_t2_transform_a_little_after_the_image_is_waited_for(tmp_path: Path) -> None:
    with recording(tmp_path / 'late_tf.mcap') as taker:
        for i in range(5):
            stamp_ns = T0 + i * 100 * MS
            taker.info(stamp_ns)
            taker.depth(stamp_ns)
            taker.found(stamp_ns)
            taker.tf(stamp_ns, log_ns=stamp_ns + 30 * MS)

    frames, counters = frames_of(tmp_path / 'late_tf.mcap')

    assert [f.cameras[0].world_T_camera for f in frames] == [AHEAD] * 5
    assert counters == {}


def test_t3_newest_transform_is_taken_only_where_the_rig_is_said_to_stand(tmp_path: Path) -> None:
    with recording(tmp_path / 'old_tf.mcap') as taker:
        taker.tf(T0)
        taker.info(T0 + S)
        taker.depth(T0 + S)
        taker.found(T0 + S)

    exact, _ = look_of(tmp_path / 'old_tf.mcap')
    static, _ = look_of(tmp_path / 'old_tf.mcap', pose_policy=PosePolicy.STATIC_RIG)

    assert exact.world_T_camera is None
    assert static.world_T_camera == AHEAD


@pytest.mark.parametrize(
    ('stamps', 'parent', 'expected'),
    [
        ([T0 + S], 'map', 'too_old: map <- optical'),
        ([T0 - 10 * S], 'map', 'too_new: map <- optical'),
        ([T0 - S, T0 + S], 'map', 'in_gap: map <- optical'),
        ([T0], 'odom', 'unknown_frame: map <- optical'),
    ],
)
def test_t4_missing_pose_says_which_way_it_is_missing(
    tmp_path: Path, stamps: list[int], parent: str, expected: str
) -> None:
    with recording(tmp_path / 'tf.mcap') as taker:
        for stamp_ns in stamps:
            taker.tf(stamp_ns, parent, log_ns=T0)
        taker.info(T0)
        taker.depth(T0)
        taker.found(T0)

    look, _ = look_of(tmp_path / 'tf.mcap')

    assert look.pose_problem == expected


def test_t4_two_trees_are_said_to_be_two(tmp_path: Path) -> None:
    with recording(tmp_path / 'trees.mcap') as taker:
        taker.tf(T0, 'map', 'base')
        taker.tf(T0, 'camera_link', 'optical')
        taker.info(T0)
        taker.found(T0)

    assert look_of(tmp_path / 'trees.mcap')[0].pose_problem == 'not_connected: map <- optical'
    (line, *_) = diagnose(tmp_path / 'trees.mcap').missing
    assert "connected with 'map' are: base, map" in line


def test_t5_no_lookup_can_wait() -> None:
    """A lookup that waits keeps the transform that it waits for from coming in."""
    for lookup in (TransformBuffer.lookup, TransformBuffer.latest):
        assert not {'timeout', 'timeout_s', 'wait'} & set(inspect.signature(lookup).parameters)


def test_t7_static_transforms_hold_from_the_start_wherever_they_stand(tmp_path: Path) -> None:
    with recording(tmp_path / 'static_last.mcap') as taker:
        for i in range(3):
            taker.tf(T0 + i * S, 'map', 'base')
            taker.info(T0 + i * S)
            taker.depth(T0 + i * S)
            taker.found(T0 + i * S)
        taker.tf(T0 + 9 * S, 'base', 'optical', static=True)

    frames, counters = frames_of(tmp_path / 'static_last.mcap')

    assert all(f.cameras[0].world_T_camera is not None for f in frames)
    assert counters == {}


def test_t7_static_transforms_outlive_a_clock_that_jumps_back(tmp_path: Path) -> None:
    with recording(tmp_path / 'loop.mcap') as taker:
        taker.tf(T0, static=True)
        for i, stamp_ns in enumerate((T0, T0 + S, T0, T0 + S)):
            taker.info(stamp_ns, log_ns=T0 + i * S)
            taker.depth(stamp_ns, log_ns=T0 + i * S)
            taker.found(stamp_ns, log_ns=T0 + i * S)

    frames, _ = frames_of(tmp_path / 'loop.mcap')

    assert [f.epoch for f in frames] == [0, 0, 1, 1]
    assert all(f.cameras[0].world_T_camera == AHEAD for f in frames)


@pytest.mark.parametrize('stamp_ns', [0, 1, T0 + 100 * S])
def test_t8_stamp_of_a_static_transform_does_not_matter(tmp_path: Path, stamp_ns: int) -> None:
    with recording(tmp_path / 'static.mcap') as taker:
        taker.tf(stamp_ns, log_ns=T0, static=True)
        taker.info(T0)
        taker.found(T0)

    assert look_of(tmp_path / 'static.mcap')[0].world_T_camera == AHEAD


def test_t9_leading_slash_is_the_same_frame(tmp_path: Path) -> None:
    with recording(tmp_path / 'slash.mcap') as taker:
        taker.tf(T0, '/map', '/optical')
        taker.info(T0, frame_id='optical')
        taker.depth(T0, frame_id='/optical')
        taker.found(T0)

    look, counters = look_of(tmp_path / 'slash.mcap')

    assert look.world_T_camera == AHEAD
    assert look.depth_m is not None
    assert counters == {}


@pytest.mark.parametrize(
    ('frame', 'pose', 'is_said'),
    [
        ('camera_link', RigidTransform.identity(), True),
        ('camera_link', AHEAD, False),
        ('camera_optical_frame', RigidTransform.identity(), False),
    ],
)
def test_t10_frame_of_a_link_that_is_used_for_images_is_named(
    tmp_path: Path, frame: str, pose: RigidTransform, is_said: bool
) -> None:
    with recording(tmp_path / 'link.mcap') as taker:
        for i in range(2):
            taker.tf(T0 + i * S, 'map', frame, pose)
            taker.info(T0 + i * S, frame_id=frame)
            taker.found(T0 + i * S)

    warnings = diagnose(tmp_path / 'link.mcap').warnings

    assert any('is it the frame of a link' in line for line in warnings) is is_said


def test_t11_repeated_transforms_are_no_matter(tmp_path: Path) -> None:
    with recording(tmp_path / 'repeated.mcap') as taker:
        for _ in range(3):
            taker.tf(T0)
            taker.tf(T0, 'map', 'shelf', static=True)
        taker.info(T0)
        taker.found(T0)

    look, counters = look_of(tmp_path / 'repeated.mcap')

    assert look.world_T_camera == AHEAD
    assert counters == {}


def test_t11_missing_fixed_frame_is_named_with_the_roots_there_are(tmp_path: Path) -> None:
    with recording(tmp_path / 'odom.mcap') as taker:
        taker.tf(T0, 'odom', 'optical')
        taker.info(T0)
        taker.found(T0)

    (line, *_) = diagnose(tmp_path / 'odom.mcap').missing

    assert line.startswith("no frame 'map' in /tf: name the fixed frame in the settings")
    assert line.endswith('the roots are: odom')


def test_t13_replay_of_a_dense_recording_poses_every_frame(tmp_path: Path) -> None:
    """A replay is driven by what it reads, not by a clock that runs away."""
    with recording(tmp_path / 'dense.mcap') as taker:
        for i in range(200):
            taker.tf(T0 + i * MS, pose=RigidTransform(np.array([i, 0.0, 0.0]), UPRIGHT))
            taker.info(T0 + i * MS)
            taker.found(T0 + i * MS)

    frames, counters = frames_of(tmp_path / 'dense.mcap')

    poses = [f.cameras[0].world_T_camera for f in frames]
    assert [pose.translation[0] for pose in poses if pose is not None] == list(range(200))
    assert counters == {}
