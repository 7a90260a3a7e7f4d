"""Tests of the survey."""

from __future__ import annotations

from pathlib import Path

import pytest

from st_memory.bags import BagRecorder, survey, TopicSurvey
from st_memory.bags.messages import camera_info_message, compressed_image_message
from st_memory.bags.writer import BagWriter
from st_memory.conversions import AssemblerSettings, TopicKind, TopicRole
from st_memory.conversions.mesh_parts import MeshPart
from st_memory.core.errors import BagError
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import Detection, WorldDetection
from test.bags import bag_files

S = 1_000_000_000


def topic_of(path: Path, name: str) -> TopicSurvey:
    """Survey a bag and give one topic."""
    return next(topic for topic in survey(path).topics if topic.topic == name)


def test_survey_of_the_walk_misses_nothing(tmp_path: Path) -> None:
    found = survey(bag_files.walk_bag(tmp_path))

    assert (found.missing, found.warnings) == ((), ())
    assert (found.name, found.cameras) == ('walk.mcap', ('head',))
    assert (found.start_ns, found.end_ns) == (10 * S, 10 * S + 400_000_000)


def test_survey_topic_has_type_count_rate_role_and_offset(tmp_path: Path) -> None:
    topic = topic_of(bag_files.walk_bag(tmp_path), '/head/camera_info')

    assert topic == TopicSurvey(
        topic='/head/camera_info',
        type_name='sensor_msgs/msg/CameraInfo',
        num_messages=5,
        rate_hz=pytest.approx(10.0),
        role=TopicRole(TopicKind.CAMERA_INFO, 'head'),
        stamp_offset_s=0.0,
        frame_id='optical',
    )


def test_survey_single_message_has_no_rate(tmp_path: Path) -> None:
    assert topic_of(bag_files.walk_bag(tmp_path), '/movements').rate_hz is None


def test_survey_unused_topic_has_no_role(tmp_path: Path) -> None:
    path = bag_files.mesh_bag(tmp_path)

    assert topic_of(path, '/shelf/mesh').role is None
    assert survey(path).warnings == (
        '/shelf/mesh: nothing says which part of the scene its meshes are '
        '(mesh_topics of a scene description)',
    )


def test_survey_mesh_topic_that_the_settings_name_has_its_role(tmp_path: Path) -> None:
    settings = AssemblerSettings(mesh_parts={'/shelf/mesh': MeshPart('shelf')})

    found = survey(bag_files.mesh_bag(tmp_path), settings)

    (topic,) = (t for t in found.topics if t.topic == '/shelf/mesh')
    assert topic.role == TopicRole(TopicKind.MESH, part='shelf')
    assert (topic.stamp_offset_s, found.warnings) == (None, ())


def test_survey_without_tf_says_so(tmp_path: Path) -> None:
    with BagRecorder(tmp_path / 'bag.mcap') as recorder:
        recorder.write_camera_info(S, 'head', 'optical', bag_files.CAMERA)

    assert survey(tmp_path / 'bag.mcap').missing == (
        'no /tf and no /tf_static: no camera can be placed',
        'no /head/detections: nothing to remember (st_memory detect)',
    )


def test_survey_with_static_transforms_only_says_so(tmp_path: Path) -> None:
    with BagRecorder(tmp_path / 'bag.mcap') as recorder:
        recorder.write_transform(S, 'map', 'optical', RigidTransform.identity(), static=True)
        recorder.write_world_detections(S, 'map', [WorldDetection('cup', 1.0, (1, 2, 3))])

    assert survey(tmp_path / 'bag.mcap').missing == (
        'no /tf: only cameras on static transforms can be placed',
    )


def test_survey_without_camera_info_and_depth_names_the_topics(tmp_path: Path) -> None:
    with BagRecorder(tmp_path / 'bag.mcap') as recorder:
        recorder.write_transform(S, 'map', 'optical', RigidTransform.identity())
        recorder.write_detections(S, 'head', 'optical', [Detection('cup', 0.5)])

    assert survey(tmp_path / 'bag.mcap').missing == (
        'no /head/camera_info: its images have no intrinsics',
        'no /head/depth: boxes give a direction and no position',
    )


def test_survey_without_any_camera_says_so(tmp_path: Path) -> None:
    path = bag_files.rosbag2_folder(tmp_path / 'bag', [S])

    assert survey(path).missing == ('no camera: no topic with camera_info, depth or detections',)


def test_survey_clock_offset_is_measured_and_warned_of(tmp_path: Path) -> None:
    with BagWriter(tmp_path / 'bag.mcap') as writer:
        for i in range(3):
            message = camera_info_message((i + 1) * S, 'optical', bag_files.CAMERA)
            writer.write('/head/camera_info', 'sensor_msgs/msg/CameraInfo', message, (i + 112) * S)

    found = survey(tmp_path / 'bag.mcap')

    assert found.topics[0].stamp_offset_s == 111.0
    assert found.warnings == (
        '/head/camera_info: recorded +111.000 s from its stamps; '
        'stamps count, not the time of recording',
    )


def test_survey_zero_stamps_and_unknown_encoding_are_warned_of(tmp_path: Path) -> None:
    with BagWriter(tmp_path / 'bag.mcap') as writer:
        for i in range(3):
            message = compressed_image_message(0, 'optical', b'abc', 'h264')
            writer.write(
                '/head/depth/compressedDepth', 'sensor_msgs/msg/CompressedImage', message, i + 1
            )

    encoding, zero = survey(tmp_path / 'bag.mcap').warnings

    assert "unknown compressed depth format 'h264'" in encoding
    assert zero == '/head/depth/compressedDepth: 3 of the first messages have stamp 0'


def test_survey_camera_without_focal_length_is_warned_of(tmp_path: Path) -> None:
    with BagWriter(tmp_path / 'bag.mcap') as writer:
        message = camera_info_message(S, 'optical', bag_files.CAMERA)
        message.k[:] = 0.0
        message.p[:] = 0.0
        writer.write('/head/camera_info', 'sensor_msgs/msg/CameraInfo', message, S)

    (warning,) = survey(tmp_path / 'bag.mcap').warnings

    assert warning.startswith('/head/camera_info: expected focal lengths > 0')


def test_survey_of_a_missing_bag_raises(tmp_path: Path) -> None:
    with pytest.raises(BagError, match='no such file'):
        survey(tmp_path / 'none.mcap')
