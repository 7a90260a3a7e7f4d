"""Bags written message by message, as other people's robots write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from st_memory.bags import BagFrameSource
from st_memory.bags.messages import (
    camera_info_message,
    compressed_image_message,
    detections_message,
    transform_message,
)
from st_memory.bags.msgtypes import message_class
from st_memory.bags.writer import BagWriter, LATCHED
from st_memory.conversions import AssemblerSettings
from st_memory.core.geometry import PinholeCamera, RigidTransform
from st_memory.core.records import CameraFrame, Detection, SensedFrame

__all__ = [
    'AHEAD',
    'CAMERA',
    'DEPTH_M',
    'MS',
    'T0',
    'S',
    'Taker',
    'depth_bag',
    'frames_of',
    'look_of',
    'recording',
]  # fmt: skip

S, MS = 1_000_000_000, 1_000_000
T0 = 100 * S
CAMERA = PinholeCamera(8, 6, 8.0, 8.0, 3.5, 2.5)
DEPTH_M = np.full((6, 8), 2.5, dtype=np.float32)
# z of the camera along x of the map, y down.
AHEAD = RigidTransform(np.array([0.0, 0.0, 1.0]), np.array([-0.5, 0.5, -0.5, 0.5]))
CUP = Detection('cup', 0.9, track_id='cup_1', box_px=(2.0, 2.0, 3.0, 2.0))


class Taker:
    """Writes one message at a time; times of recording may differ from stamps."""

    def __init__(self, writer: BagWriter) -> None:
        self._writer = writer

    def put(
        self, topic: str, type_name: str, message: Any, log_ns: int, *, latched: bool = False
    ) -> None:
        """Write any message."""
        qos = {'qos': LATCHED} if latched else {}
        self._writer.write(topic, type_name, message, log_ns, **qos)

    def tf(
        self,
        stamp_ns: int,
        parent: str = 'map',
        child: str = 'optical',
        pose: RigidTransform = AHEAD,
        *,
        log_ns: int | None = None,
        static: bool = False,
    ) -> None:
        """Write one link."""
        message = transform_message(stamp_ns, parent, child, pose)
        topic = '/tf_static' if static else '/tf'
        at_ns = stamp_ns if log_ns is None else log_ns
        self.put(topic, 'tf2_msgs/msg/TFMessage', message, at_ns, latched=static)

    def info(
        self,
        stamp_ns: int,
        *,
        log_ns: int | None = None,
        topic: str = '/head/camera_info',
        **fields: Any,
    ) -> None:
        """Write a camera_info, with some fields changed; ``frame_id`` is one of them."""
        message = camera_info_message(stamp_ns, fields.pop('frame_id', 'optical'), CAMERA)
        for name, value in fields.items():
            setattr(message, name, value)
        at_ns = stamp_ns if log_ns is None else log_ns
        self.put(topic, 'sensor_msgs/msg/CameraInfo', message, at_ns)

    def depth(
        self,
        stamp_ns: int,
        depth_m: Any = DEPTH_M,
        *,
        log_ns: int | None = None,
        frame_id: str = 'optical',
    ) -> None:
        """Write depth in millimetres."""
        pixels = np.rint(np.asarray(depth_m) * 1000).astype(np.uint16)
        self.raw_depth(stamp_ns, '16UC1', pixels, log_ns=log_ns, frame_id=frame_id)

    def raw_depth(
        self,
        stamp_ns: int,
        encoding: str,
        pixels: np.ndarray[Any, Any],
        *,
        padding: int = 0,
        big_endian: bool = False,
        log_ns: int | None = None,
        frame_id: str = 'optical',
    ) -> None:
        """Write a raw depth image."""
        rows = pixels.astype(pixels.dtype.newbyteorder('>' if big_endian else '<'))
        data = b''.join(row.tobytes() + b'\xab' * padding for row in rows)
        header = camera_info_message(stamp_ns, frame_id, CAMERA).header
        message = message_class('sensor_msgs/msg/Image')(
            header=header,
            height=pixels.shape[0],
            width=pixels.shape[1],
            encoding=encoding,
            is_bigendian=int(big_endian),
            step=len(data) // pixels.shape[0],
            data=np.frombuffer(data, dtype=np.uint8),
        )
        at_ns = stamp_ns if log_ns is None else log_ns
        self.put('/head/depth/image_raw', 'sensor_msgs/msg/Image', message, at_ns)

    def packed_depth(self, stamp_ns: int, text: str, data: bytes) -> None:
        """Write compressed depth."""
        message = compressed_image_message(stamp_ns, 'optical', data, text)
        topic, kind = '/head/depth/compressedDepth', 'sensor_msgs/msg/CompressedImage'
        self.put(topic, kind, message, stamp_ns)

    def found(
        self, stamp_ns: int, items: Iterable[Detection] = (CUP,), *, log_ns: int | None = None
    ) -> None:
        """Write what a detector found."""
        message = detections_message(stamp_ns, 'optical', list(items), 'test')
        kind = 'st_memory_interfaces/msg/DetectionArray'
        self.put('/head/detections', kind, message, stamp_ns if log_ns is None else log_ns)

    def look(self, stamp_ns: int, *, log_ns: int | None = None, depth_m: Any = DEPTH_M) -> None:
        """Write a whole look: pose, calibration, depth and detections."""
        self.tf(stamp_ns, log_ns=log_ns)
        self.info(stamp_ns, log_ns=log_ns)
        self.depth(stamp_ns, depth_m, log_ns=log_ns)
        self.found(stamp_ns, log_ns=log_ns)


@contextmanager
def recording(path: Path) -> Iterator[Taker]:
    """Write an MCAP file message by message."""
    with BagWriter(path) as writer:
        yield Taker(writer)


def frames_of(path: Path, **settings: Any) -> tuple[list[SensedFrame], dict[str, int]]:
    """Give all frames of a bag, and what was left out."""
    source = BagFrameSource(path, AssemblerSettings(**settings))
    frames = list(source.frames())
    return frames, dict(source.counters())


def look_of(path: Path, **settings: Any) -> tuple[CameraFrame, dict[str, int]]:
    """Give the look of a bag with one frame, and what was left out."""
    (frame,), counters = frames_of(path, **settings)
    return frame.cameras[0], counters


@contextmanager
def depth_bag(path: Path) -> Iterator[Taker]:
    """Write a look whose depth is written inside of the ``with`` block."""
    with recording(path) as taker:
        taker.tf(T0)
        taker.info(T0)
        yield taker
        taker.found(T0)
