"""Reading a recording and nothing else: deserialise every message, decode every depth image."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from rosbags.highlevel import AnyReader
from rosbags.typesys import get_typestore, Stores

__all__ = ['BagContents', 'read_bag']

_DEPTH_HEADER_BYTES = 12  # of the compressedDepth transport, before the PNG file


class BagContents(NamedTuple):
    """How much was read."""

    covered_s: float
    num_messages: int
    num_depth_images: int


def read_bag(path: Path) -> BagContents:
    """
    Read a bag whole.

    Colour is not decoded: a memory has no use for it, and would look better beside it.
    """
    num_messages = num_depth_images = 0
    with AnyReader([path], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
        for connection, _, raw in reader.messages():
            message: Any = reader.deserialize(raw, connection.msgtype)
            num_messages += 1
            if connection.topic.endswith('/compressedDepth'):
                png = np.asarray(message.data)[_DEPTH_HEADER_BYTES:]
                image = cv2.imdecode(png, cv2.IMREAD_UNCHANGED)
                num_depth_images += image is not None
        covered_s = (reader.end_time - reader.start_time) / 1e9
    return BagContents(covered_s, num_messages, num_depth_images)
