"""Messages of rclpy become the same frames as those of rosbags."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from st_memory.bags import BagFrameSource, open_bag
from st_memory.conversions import AssemblerSettings, FrameAssembler, ReleasePolicy
from st_memory.conversions.detection_batch import read_detections
from test.bags import bag_files
from test.contracts.frame_source import frame_key

pytestmark = pytest.mark.ros


def live_class(type_name: str) -> Any:
    """Give the generated class of a message type."""
    package, _, name = type_name.split('/')
    return getattr(pytest.importorskip(f'{package}.msg'), name)


def test_push_live_messages_gives_the_frames_of_the_bag(tmp_path: Path) -> None:
    pytest.importorskip('rclpy')
    serialization = importlib.import_module('rclpy.serialization')
    source = BagFrameSource(bag_files.walk_bag(tmp_path))
    assembler = FrameAssembler(
        AssemblerSettings(roles=tuple(source.roles.values()), release=ReleasePolicy.DEADLINE)
    )

    frames = []
    with open_bag(tmp_path / 'walk.mcap') as reader:
        for message in reader.messages(source.roles):
            live = serialization.deserialize_message(message.raw, live_class(message.type_name))
            frames += assembler.push(source.roles[message.topic], live)
    frames += assembler.flush()

    assert [frame_key(f) for f in frames] == [frame_key(f) for f in source.frames()]
    assert len(frames) == 5
    assert assembler.counters == {}


def test_read_detections_of_live_vision_msgs_2d() -> None:
    message = live_class('vision_msgs/msg/Detection2DArray')()
    item = live_class('vision_msgs/msg/Detection2D')()
    result = live_class('vision_msgs/msg/ObjectHypothesisWithPose')()
    result.hypothesis.class_id, result.hypothesis.score = 'cup', 0.5
    item.results = [result]
    item.bbox.center.position.x, item.bbox.center.position.y = 30.0, 40.0
    item.bbox.size_x, item.bbox.size_y = 10.0, 20.0
    item.id = 't3'
    message.detections = [item]

    (found,) = read_detections(message, 'detector').items

    assert (found.label, found.score, found.track_id) == ('cup', 0.5, 't3')
    assert found.box_px == (25.0, 30.0, 10.0, 20.0)


def test_read_detections_of_live_vision_msgs_3d() -> None:
    message = live_class('vision_msgs/msg/Detection3DArray')()
    item = live_class('vision_msgs/msg/Detection3D')()
    result = live_class('vision_msgs/msg/ObjectHypothesisWithPose')()
    result.hypothesis.class_id, result.hypothesis.score = 'cup', 0.5
    item.results = [result]
    item.bbox.center.position.z = 2.0
    item.bbox.size.x = 0.25
    message.header.frame_id = '/map'
    message.detections = [item]

    batch = read_detections(message, 'detector_3d')

    assert batch.frame_id == 'map'
    assert batch.items[0].position == (0.0, 0.0, 2.0)
    assert batch.items[0].size_m == (0.25, 0.0, 0.0)
