"""Bags of a camera at rest with masks of the own body, written anew each time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from st_memory.bags.messages import (
    camera_info_message,
    compressed_image_message,
    detections_message,
    transform_message,
)
from st_memory.bags.msgtypes import standard_typestore
from st_memory.bags.writer import BagWriter, LATCHED
from st_memory.conversions.compressed_depth import DEPTH_PNG_FORMAT, encode_depth_png
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import Detection
from test.bags.bag_files import CAMERA, START_NS, STEP_NS, TF_TYPE

__all__ = ['LEFT', 'RIGHT', 'mask_bag', 'mask_message']

LEFT, RIGHT = [1, 1, 0, 0], [0, 0, 1, 1]
IMAGE = 'sensor_msgs/msg/Image'


def mask_message(stamp_ns: int, row: Sequence[int], encoding: str = 'mono8') -> Any:
    """Build a ``sensor_msgs/Image`` of the standard types, the same in all three rows."""
    types = standard_typestore().types
    sec, nanosec = divmod(stamp_ns, 1_000_000_000)
    stamp = types['builtin_interfaces/msg/Time'](sec=sec, nanosec=nanosec)
    return types[IMAGE](
        header=types['std_msgs/msg/Header'](stamp=stamp, frame_id='optical'),
        height=3,
        width=len(row),
        encoding=encoding,
        is_bigendian=0,
        step=len(row),
        data=np.tile(np.array(row, dtype=np.uint8), 3),
    )


def mask_bag(
    folder: Path,
    masks: Sequence[tuple[int, Any]],
    *,
    name: str = 'masks.mcap',
    num_looks: int = 8,
) -> Path:
    """
    Write looks at a cup, and masks.

    Parameters
    ----------
    folder : Path
        Where.
    masks : sequence of (int, message)
        Step at which each is recorded, and the message.

    """
    path = folder / name
    still = RigidTransform.identity()
    with BagWriter(path) as writer:
        link = transform_message(START_NS, 'map', 'optical', still)
        writer.write('/tf_static', TF_TYPE, link, START_NS, LATCHED)
        for i in range(num_looks):
            at_ns = START_NS + i * STEP_NS
            info = camera_info_message(at_ns, 'optical', CAMERA)
            writer.write('/head/camera_info', 'sensor_msgs/msg/CameraInfo', info, at_ns)
            cup = Detection('cup', 0.9, camera_p=(0.0, 0.0, 1.5), size_m=(0.4, 0.4, 0.4))
            found = detections_message(at_ns, 'optical', [cup] if i < 5 else [], 'test')
            kind = 'st_memory_interfaces/msg/DetectionArray'
            writer.write('/head/detections', kind, found, at_ns)
            png = encode_depth_png(np.full((3, 4), 1.5, np.float32))
            depth = compressed_image_message(at_ns, 'optical', png, DEPTH_PNG_FORMAT)
            kind = 'sensor_msgs/msg/CompressedImage'
            writer.write('/head/depth/compressedDepth', kind, depth, at_ns)
            for step, mask in masks:
                if step == i:
                    writer.write('/head/self_mask', IMAGE, mask, at_ns)
    return path
