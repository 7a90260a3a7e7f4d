"""The recording sink that writes a bag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from st_memory.bags import messages
from st_memory.bags.msgtypes import INTERFACES
from st_memory.bags.writer import BagWriter, LATCHED, VOLATILE
from st_memory.conversions.compressed_depth import DEPTH_PNG_FORMAT, encode_depth_png
from st_memory.conversions.images import encode_jpeg
from st_memory.core.geometry import CameraModel, RigidTransform
from st_memory.core.records import Detection, MovementReport, Scene, WorldDetection

if TYPE_CHECKING:
    from rosbags.interfaces import Connection, Qos

__all__ = ['BagRecorder']

_JPEG_QUALITY = 90
_IMAGE = 'sensor_msgs/msg/CompressedImage'
_TRANSFORMS = 'tf2_msgs/msg/TFMessage'
_DETECTIONS = f'{INTERFACES}/msg/DetectionArray'
_EVENTS = f'{INTERFACES}/msg/EventArray'


class _OpenTransforms(NamedTuple):
    """Transforms of one stamp that still wait for others to share their message."""

    topic: str
    stamp_ns: int
    message: Any


class BagRecorder:
    """
    Write a recording as an MCAP file; see :class:`st_memory.core.ports.RecordingSink`.

    The file appears under its name at :meth:`close` (or at the end of a ``with`` block that
    raised nothing); before that nothing is to be seen there. The time of recording of a message
    is its stamp.

    Parameters
    ----------
    path : str or Path
        Target, named ``*.mcap``.
    overwrite : bool
        Replace an existing file.

    Raises
    ------
    BagError
        If the file exists, or cannot be written.

    """

    def __init__(self, path: str | Path, *, overwrite: bool = False) -> None:
        self._writer = BagWriter(path, overwrite=overwrite)
        self._newest_ns = 0
        self._pinned_log_ns: int | None = None
        self._transforms: _OpenTransforms | None = None

    @property
    def path(self) -> Path:
        """Where the file goes."""
        return self._writer.path

    @property
    def num_messages(self) -> int:
        """How many messages were written so far."""
        self._close_transforms()
        return self._writer.num_messages

    def close(self) -> None:
        """Complete the file; raises BagError when nothing was recorded."""
        self._close_transforms()
        self._writer.close()

    def abort(self) -> None:
        """Throw the recording away."""
        self._writer.abort()

    def __enter__(self) -> BagRecorder:
        """Give the recorder itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Complete the file, or throw it away after an error."""
        if error is None:
            self._close_transforms()
        self._writer.__exit__(kind, error, trace)

    def write_transform(
        self,
        stamp_ns: int,
        parent_frame: str,
        child_frame: str,
        parent_T_child: RigidTransform,
        *,
        static: bool = False,
    ) -> None:
        """
        Write one transform to ``/tf`` or ``/tf_static``.

        Transforms of one stamp that follow each other share a message, as publishers send them:
        a reader pays for messages, not for transforms.
        """
        message = messages.transform_message(stamp_ns, parent_frame, child_frame, parent_T_child)
        topic = '/tf_static' if static else '/tf'
        self._check_stamp(topic, stamp_ns)
        if self._transforms is not None and self._transforms[:2] == (topic, stamp_ns):
            self._transforms.message.transforms.extend(message.transforms)
            return
        self._close_transforms()
        self._transforms = _OpenTransforms(topic, stamp_ns, message)

    def write_camera_info(
        self, stamp_ns: int, camera_id: str, frame_id: str, model: CameraModel
    ) -> None:
        """Write a calibration to ``/<cam>/camera_info``."""
        message = messages.camera_info_message(stamp_ns, frame_id, model)
        self._write(stamp_ns, f'/{camera_id}/camera_info', 'sensor_msgs/msg/CameraInfo', message)

    def write_color(
        self, stamp_ns: int, camera_id: str, frame_id: str, image_rgb: NDArray[np.uint8]
    ) -> None:
        """Write an (H, W, 3) RGB image as JPEG to ``/<cam>/image/compressed``."""
        data = encode_jpeg(image_rgb, _JPEG_QUALITY)
        self.write_color_encoded(stamp_ns, camera_id, frame_id, data, 'jpeg')

    def write_color_encoded(
        self, stamp_ns: int, camera_id: str, frame_id: str, data: bytes, image_format: str
    ) -> None:
        """Write a ``jpeg`` or ``png`` file to ``/<cam>/image/compressed``, byte for byte."""
        if image_format not in ('jpeg', 'png'):
            raise ValueError(f"image_format: expected 'jpeg' or 'png', got {image_format!r}")
        message = messages.compressed_image_message(stamp_ns, frame_id, data, image_format)
        self._write(stamp_ns, f'/{camera_id}/image/compressed', _IMAGE, message)

    def write_depth(
        self, stamp_ns: int, camera_id: str, frame_id: str, depth_m: NDArray[np.float32]
    ) -> None:
        """Write (H, W) depth in metres to ``/<cam>/depth/compressedDepth`` as millimetres."""
        message = messages.compressed_image_message(
            stamp_ns, frame_id, encode_depth_png(depth_m), DEPTH_PNG_FORMAT
        )
        self._write(stamp_ns, f'/{camera_id}/depth/compressedDepth', _IMAGE, message)

    def write_detections(
        self,
        stamp_ns: int,
        camera_id: str,
        frame_id: str,
        detections: Sequence[Detection],
        *,
        source: str = 'detector',
    ) -> None:
        """Write the detections of one image to ``/<cam>/detections``; they may be none."""
        message = messages.detections_message(stamp_ns, frame_id, detections, source)
        self._write(stamp_ns, f'/{camera_id}/detections', _DETECTIONS, message)

    def write_world_detections(
        self, stamp_ns: int, fixed_frame: str, detections: Sequence[WorldDetection]
    ) -> None:
        """Write observations to ``/world_detections``, one message for each source."""
        for source in dict.fromkeys(d.source for d in detections):
            of_source = [d for d in detections if d.source == source]
            message = messages.world_detections_message(stamp_ns, fixed_frame, of_source, source)
            self._write(stamp_ns, '/world_detections', _DETECTIONS, message)

    def write_movement(self, stamp_ns: int, movement: MovementReport) -> None:
        """Write a start or an end of a movement to ``/movements``."""
        message = messages.movement_message(stamp_ns, movement)
        self._write(stamp_ns, '/movements', _EVENTS, message)

    def write_joints(self, stamp_ns: int, position_by_joint: Mapping[str, float]) -> None:
        """Write joint positions to ``/joint_states``."""
        message = messages.joints_message(stamp_ns, position_by_joint)
        self._write(stamp_ns, '/joint_states', 'sensor_msgs/msg/JointState', message)

    def write_scene(self, stamp_ns: int, fixed_frame: str, scene: Scene) -> None:
        """Write parts and fixtures to ``/scene``, latched."""
        message = messages.scene_message(stamp_ns, fixed_frame, scene)
        self._write(stamp_ns, '/scene', 'visualization_msgs/msg/MarkerArray', message, LATCHED)

    def add_raw_connection(
        self, topic: str, type_name: str, definition: str, digest: str, qos: list[Qos]
    ) -> Connection:
        """Announce a topic whose messages come as bytes; see :class:`BagWriter`."""
        self._close_transforms()
        return self._writer.add_raw_connection(topic, type_name, definition, digest, qos)

    def write_raw(self, connection: Connection, log_ns: int, data: bytes) -> None:
        """Write one serialised message, byte for byte."""
        self._close_transforms()
        self._writer.write_raw(connection, log_ns, data)

    @contextmanager
    def logging_at(self, log_ns: int) -> Iterator[None]:
        """Within the block, messages get this time of recording and stamps may go back."""
        self._close_transforms()
        self._pinned_log_ns = log_ns
        try:
            yield
            self._close_transforms()
        finally:
            self._pinned_log_ns = None

    def _write(
        self, stamp_ns: int, topic: str, type_name: str, message: Any, qos: Qos = VOLATILE
    ) -> None:
        self._check_stamp(topic, stamp_ns)
        self._close_transforms()
        self._put(stamp_ns, topic, type_name, message, qos)

    def _check_stamp(self, topic: str, stamp_ns: int) -> None:
        """Refuse a stamp that is no time, or earlier than what was written."""
        if self._pinned_log_ns is not None:
            return
        if stamp_ns <= 0 or stamp_ns < self._newest_ns:
            raise ValueError(
                f'{topic}: expected a stamp > 0 and >= {self._newest_ns} ns, got {stamp_ns}'
            )
        self._newest_ns = stamp_ns

    def _close_transforms(self) -> None:
        """Write the transforms that wait."""
        if self._transforms is None:
            return
        topic, stamp_ns, message = self._transforms
        self._transforms = None
        qos = LATCHED if topic == '/tf_static' else VOLATILE
        self._put(stamp_ns, topic, _TRANSFORMS, message, qos)

    def _put(self, stamp_ns: int, topic: str, type_name: str, message: Any, qos: Qos) -> None:
        log_ns = stamp_ns if self._pinned_log_ns is None else self._pinned_log_ns
        self._writer.write(topic, type_name, message, log_ns, qos)
