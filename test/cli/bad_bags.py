"""Bags that cannot be remembered, one for each reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from st_memory.bags import BagMessage, BagRecorder, copy_bag_with
from st_memory.bags.messages import (
    camera_info_message,
    compressed_image_message,
    detections_message,
)
from test.cli.bags import FRAME, write_walk
from test.replay.walk import CAMERA, detections_at, FIRST_NS, STEP_NS

__all__ = ['BAD_BAGS']

_INFO = 'sensor_msgs/msg/CameraInfo'
_IMAGE = 'sensor_msgs/msg/CompressedImage'
_DETECTIONS = 'st_memory_interfaces/msg/DetectionArray'


def _missing(folder: Path) -> Path:
    return folder / 'none.mcap'


def _not_a_bag(folder: Path) -> Path:
    path = folder / 'text.mcap'
    path.write_text('this is not a bag, only text that somebody named like one\n')
    return path


def _other_suffix(folder: Path) -> Path:
    path = folder / 'notes.txt'
    path.write_text('nothing')
    return path


def _truncated(folder: Path) -> Path:
    path = write_walk(folder / 'cut.mcap', num_frames=20)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    return path


def _without_transforms(folder: Path) -> Path:
    return write_walk(folder / 'no_tf.mcap', with_transforms=False)


def _without_camera_info(folder: Path) -> Path:
    return write_walk(folder / 'no_info.mcap', with_camera_info=False)


def _without_detections(folder: Path) -> Path:
    return write_walk(folder / 'no_detections.mcap', with_detections=False)


def _add(folder: Path, name: str, messages: Callable[[int], list[tuple[str, str, Any]]]) -> Path:
    """Write the walk's transforms, and messages of our own making."""
    base = write_walk(
        folder / f'base_{name}', num_frames=20, with_camera_info=False, with_detections=False
    )
    index = 0

    def extra(message: BagMessage, recorder: BagRecorder) -> None:
        nonlocal index
        if message.topic != '/tf':
            return
        stamp_ns = FIRST_NS + index * STEP_NS
        for topic, type_name, content in messages(stamp_ns):
            recorder._write(stamp_ns, topic, type_name, content)
        index += 1

    copy_bag_with(base, folder / name, extra)
    base.unlink()
    return folder / name


def _zero_focal_length(folder: Path) -> Path:
    def messages(stamp_ns: int) -> list[tuple[str, str, Any]]:
        info = camera_info_message(stamp_ns, FRAME, CAMERA)
        info.k, info.p = np.zeros(9), np.zeros(12)
        found = detections_message(stamp_ns, FRAME, detections_at(0), 'detector')
        return [('/head/camera_info', _INFO, info), ('/head/detections', _DETECTIONS, found)]

    return _add(folder, 'zero_focal.mcap', messages)


def _unknown_encoding(folder: Path) -> Path:
    def messages(stamp_ns: int) -> list[tuple[str, str, Any]]:
        depth = compressed_image_message(
            stamp_ns, FRAME, b'\x00' * 64, '12YZ; compressedDepth foo'
        )
        info = camera_info_message(stamp_ns, FRAME, CAMERA)
        return [
            ('/head/camera_info', _INFO, info),
            ('/head/depth/compressedDepth', _IMAGE, depth),
        ]

    return _add(folder, 'encoding.mcap', messages)


def _zero_stamps(folder: Path) -> Path:
    def messages(_: int) -> list[tuple[str, str, Any]]:
        return [
            ('/head/camera_info', _INFO, camera_info_message(0, FRAME, CAMERA)),
            (
                '/head/detections',
                _DETECTIONS,
                detections_message(0, FRAME, detections_at(0), 'detector'),
            ),
        ]

    return _add(folder, 'zero_stamps.mcap', messages)


def _empty(folder: Path) -> Path:
    path = folder / 'empty.mcap'
    path.write_bytes(b'')
    return path


def _without_messages(folder: Path) -> Path:
    from rosbags.rosbag2 import StoragePlugin, Writer

    target = folder / 'no_messages'
    with Writer(target, version=9, storage_plugin=StoragePlugin.MCAP):
        pass
    return target


BAD_BAGS: dict[str, tuple[Callable[[Path], Path], str]] = {
    'missing': (_missing, 'no such file'),
    'not_a_bag': (_not_a_bag, 'not a bag'),
    'other_suffix': (_other_suffix, 'not a bag'),
    'truncated': (_truncated, 'cut off'),
    'without_tf': (_without_transforms, 'no /tf'),
    'without_camera_info': (_without_camera_info, 'looks without camera_info'),
    'zero_focal_length': (_zero_focal_length, 'fx'),
    'unknown_encoding': (_unknown_encoding, '12YZ'),
    'zero_stamps': (_zero_stamps, 'zero_stamp'),
    'empty': (_empty, 'empty'),
    'without_messages': (_without_messages, 'empty'),
}
"""By name: a function that writes the bag into a folder, and what the error must say."""
