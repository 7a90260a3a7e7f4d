"""Tests of a bag as a source of frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from st_memory.bags import BagFrameSource, BagRecorder
from st_memory.bags.messages import compressed_image_message
from st_memory.bags.writer import BagWriter
from st_memory.conversions import AssemblerSettings, TopicKind, TopicRole
from st_memory.core.errors import BagError, ConversionError
from st_memory.core.geometry import RigidTransform
from test.bags import bag_files
from test.contracts.frame_source import frame_key, FrameSourceContract

COMPRESSED = 'sensor_msgs/msg/CompressedImage'


class TestFrameSourceContract(FrameSourceContract):
    """The source obeys the rules of the port."""

    def make_source(self, tmp_path: Any) -> BagFrameSource:
        """Give the walk."""
        path = tmp_path / 'walk.mcap'
        return BagFrameSource(path if path.exists() else bag_files.walk_bag(tmp_path))


@pytest.fixture(scope='module')
def walk(tmp_path_factory: pytest.TempPathFactory) -> BagFrameSource:
    """Give a walk of five steps."""
    return BagFrameSource(bag_files.walk_bag(tmp_path_factory.mktemp('walk')))


def test_frames_of_the_walk_are_complete(walk: BagFrameSource) -> None:
    frames = list(walk.frames())

    assert [f.stamp_ns for f in frames] == [
        bag_files.START_NS + i * bag_files.STEP_NS for i in range(5)
    ]
    assert walk.counters() == {}


def test_frames_have_pose_depth_and_detections(walk: BagFrameSource) -> None:
    (camera,) = list(walk.frames())[3].cameras

    assert camera.model == bag_files.CAMERA
    assert camera.world_T_camera is not None
    assert camera.world_T_camera.translation == pytest.approx([0.3, 0.0, 1.0])
    assert camera.depth_m is not None
    assert camera.depth_m.tolist() == [[1.5] * 4] * 3
    assert camera.detections is not None
    assert camera.detections[0].box_px == (1.0, 1.0, 2.0, 1.0)
    assert camera.detections[0].camera_p == (0.0, 0.0, 1.5)


def test_frames_have_movable_parts_movements_and_world_detections(walk: BagFrameSource) -> None:
    last = list(walk.frames())[-1]

    assert list(last.world_T_part) == ['door_frame']
    assert [m.object_id for m in last.movements] == ['cup_1']
    assert [d.world_p for d in last.world_detections] == [(1.0, 2.0, 3.0)]


def test_scene_is_there_before_any_frame(walk: BagFrameSource) -> None:
    assert [p.name for p in walk.scene.parts] == ['cupboard/door']
    assert [f.fixture_id for f in walk.scene.fixtures] == ['cupboard']


def test_name_is_the_file_name(walk: BagFrameSource) -> None:
    assert walk.name == 'walk.mcap'


def test_frames_of_a_bag_without_scene_have_an_empty_one(tmp_path: Path) -> None:
    source = BagFrameSource(bag_files.rosbag2_folder(tmp_path / 'bag', [5]))

    assert source.scene.parts == ()
    assert list(source.frames()) == []


def test_frames_static_transform_recorded_late_holds_from_the_start(tmp_path: Path) -> None:
    with BagRecorder(tmp_path / 'late.mcap') as recorder:
        for i in range(3):
            recorder.write_camera_info(10**9 + i, 'head', 'optical', bag_files.CAMERA)
        pose = RigidTransform.identity()
        recorder.write_transform(5 * 10**9, 'map', 'optical', pose, static=True)

    frames = list(BagFrameSource(tmp_path / 'late.mcap').frames())

    assert [f.cameras[0].pose_problem for f in frames] == [''] * 3


def test_frames_without_tf_have_a_problem_and_are_counted(tmp_path: Path) -> None:
    with BagRecorder(tmp_path / 'no_tf.mcap') as recorder:
        recorder.write_camera_info(10**9, 'head', 'optical', bag_files.CAMERA)

    source = BagFrameSource(tmp_path / 'no_tf.mcap')
    (frame,) = source.frames()

    assert frame.cameras[0].pose_problem == 'unknown_frame: map <- optical'
    assert source.counters() == {'missing_pose': 1}


def test_frames_in_another_fixed_frame(tmp_path: Path) -> None:
    path = tmp_path / 'bag.mcap'
    with BagRecorder(path) as recorder:
        for parent, child in (('map', 'base'), ('base', 'optical')):
            recorder.write_transform(10**9, parent, child, bag_files.pose_at(2))
        recorder.write_camera_info(10**9, 'head', 'optical', bag_files.CAMERA)

    (frame,) = BagFrameSource(path, AssemblerSettings(fixed_frame='base')).frames()

    assert frame.cameras[0].world_T_camera is not None
    assert frame.cameras[0].world_T_camera.translation.tolist() == [0.2, 0.0, 1.0]


def test_source_of_a_scene_in_another_fixed_frame_says_so(tmp_path: Path) -> None:
    path = bag_files.walk_bag(tmp_path)

    with pytest.raises(ConversionError, match="expected a fixture in 'odom', got one in 'map'"):
        BagFrameSource(path, AssemblerSettings(fixed_frame='odom'))


def test_frames_role_by_topic_overrides_the_name(tmp_path: Path) -> None:
    path = bag_files.walk_bag(tmp_path)
    role = TopicRole(TopicKind.DETECTIONS, 'other')

    source = BagFrameSource(path, AssemblerSettings(role_by_topic={'/head/detections': role}))

    assert source.roles['/head/detections'] == role
    assert all(c.detections is None for f in source.frames() for c in f.cameras)


def test_frames_of_unknown_depth_encoding_raise_one_line(tmp_path: Path) -> None:
    with BagWriter(tmp_path / 'odd.mcap') as writer:
        message = compressed_image_message(10**9, 'optical', b'abc', '8UC4; compressedDepth png')
        writer.write('/head/depth/compressedDepth', COMPRESSED, message, 10**9)

    with pytest.raises(ConversionError, match=r"depth of head: unknown .*'8UC4.*known are"):
        list(BagFrameSource(tmp_path / 'odd.mcap').frames())


def test_frames_of_bag_with_zero_stamps_are_none_and_counted(tmp_path: Path) -> None:
    with BagWriter(tmp_path / 'zero.mcap') as writer:
        message = compressed_image_message(0, 'optical', b'abc', '16UC1; compressedDepth png')
        writer.write('/head/depth/compressedDepth', COMPRESSED, message, 10**9)

    source = BagFrameSource(tmp_path / 'zero.mcap')

    assert list(source.frames()) == []
    assert source.counters() == {'zero_stamp': 1}


def test_frames_of_a_ros1_bag_do_not_fail(tmp_path: Path) -> None:
    source = BagFrameSource(bag_files.ros1_bag(tmp_path / 'one.bag', [10**9]))

    assert list(source.frames()) == []
    assert source.roles == {'/tf': TopicRole(TopicKind.TF)}


def test_source_of_a_missing_bag_raises_at_once(tmp_path: Path) -> None:
    with pytest.raises(BagError, match='no such file'):
        BagFrameSource(tmp_path / 'none.mcap')


def test_frames_of_two_recordings_of_the_same_are_equal(tmp_path: Path) -> None:
    first = BagFrameSource(bag_files.walk_bag(tmp_path, 'a.mcap'))
    second = BagFrameSource(bag_files.walk_bag(tmp_path, 'b.mcap'))

    assert [frame_key(f) for f in first.frames()] == [frame_key(f) for f in second.frames()]


def test_covered_time_is_that_of_the_recording(walk: BagFrameSource) -> None:
    assert walk.covered_ns == 4 * bag_files.STEP_NS
