"""A recording sink that keeps every call, checks the port's rules and compares byte for byte."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import hashlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import CameraModel, RigidTransform
from st_memory.core.records import Detection, MovementReport, Scene, WorldDetection

__all__ = ['ListSink', 'SinkCall']


class SinkCall(NamedTuple):
    """One call: what kind, at which stamp, with which arguments by name."""

    kind: str
    stamp_ns: int
    args: dict[str, Any]


class ListSink:
    """
    Keeps calls in ``calls``.

    Raises ``ValueError`` where a recorder would refuse: a stamp that is not positive or that
    goes backwards.
    """

    def __init__(self) -> None:
        self.calls: list[SinkCall] = []

    def of_kind(self, kind: str) -> list[SinkCall]:
        """Calls of one kind, in order: ``transform``, ``camera_info``, ``color``, ..."""
        return [call for call in self.calls if call.kind == kind]

    def digest(self) -> str:
        """Hash over all calls and every bit of their arguments."""
        state = hashlib.sha256()
        for call in self.calls:
            state.update(repr((call.kind, call.stamp_ns)).encode())
            for name in sorted(call.args):
                state.update(name.encode())
                state.update(_frozen(call.args[name]))
        return state.hexdigest()

    def _keep(self, kind: str, stamp_ns: int, **args: Any) -> None:
        if not isinstance(stamp_ns, int) or stamp_ns <= 0:
            raise ValueError(f'{kind}: expected an int stamp > 0, got {stamp_ns!r}')
        if self.calls and stamp_ns < self.calls[-1].stamp_ns:
            raise ValueError(f'{kind}: stamp {stamp_ns} after {self.calls[-1].stamp_ns}')
        self.calls.append(SinkCall(kind, stamp_ns, args))

    def write_transform(
        self,
        stamp_ns: int,
        parent_frame: str,
        child_frame: str,
        parent_T_child: RigidTransform,
        *,
        static: bool = False,
    ) -> None:
        self._keep(
            'transform',
            stamp_ns,
            parent_frame=parent_frame,
            child_frame=child_frame,
            parent_T_child=parent_T_child,
            static=static,
        )

    def write_camera_info(
        self, stamp_ns: int, camera_id: str, frame_id: str, model: CameraModel
    ) -> None:
        self._keep('camera_info', stamp_ns, camera_id=camera_id, frame_id=frame_id, model=model)

    def write_color(
        self, stamp_ns: int, camera_id: str, frame_id: str, image_rgb: NDArray[np.uint8]
    ) -> None:
        self._keep('color', stamp_ns, camera_id=camera_id, frame_id=frame_id, image_rgb=image_rgb)

    def write_color_encoded(
        self, stamp_ns: int, camera_id: str, frame_id: str, data: bytes, image_format: str
    ) -> None:
        self._keep(
            'color_encoded',
            stamp_ns,
            camera_id=camera_id,
            frame_id=frame_id,
            data=data,
            image_format=image_format,
        )

    def write_depth(
        self, stamp_ns: int, camera_id: str, frame_id: str, depth_m: NDArray[np.float32]
    ) -> None:
        self._keep('depth', stamp_ns, camera_id=camera_id, frame_id=frame_id, depth_m=depth_m)

    def write_detections(
        self,
        stamp_ns: int,
        camera_id: str,
        frame_id: str,
        detections: Sequence[Detection],
        *,
        source: str = 'detector',
    ) -> None:
        self._keep(
            'detections',
            stamp_ns,
            camera_id=camera_id,
            frame_id=frame_id,
            detections=tuple(detections),
            source=source,
        )

    def write_world_detections(
        self, stamp_ns: int, fixed_frame: str, detections: Sequence[WorldDetection]
    ) -> None:
        self._keep(
            'world_detections', stamp_ns, fixed_frame=fixed_frame, detections=tuple(detections)
        )

    def write_movement(self, stamp_ns: int, movement: MovementReport) -> None:
        self._keep('movement', stamp_ns, movement=movement)

    def write_joints(self, stamp_ns: int, position_by_joint: Mapping[str, float]) -> None:
        self._keep('joints', stamp_ns, position_by_joint=dict(position_by_joint))

    def write_scene(self, stamp_ns: int, fixed_frame: str, scene: Scene) -> None:
        self._keep('scene', stamp_ns, fixed_frame=fixed_frame, scene=scene)


def _frozen(value: Any) -> bytes:
    """Give bytes that differ when the value differs in any bit."""
    if isinstance(value, np.ndarray):
        return repr((value.dtype.str, value.shape)).encode() + value.tobytes()
    if isinstance(value, bytes):
        return value
    if isinstance(value, RigidTransform):
        return value.translation.tobytes() + value.quat_xyzw.tobytes()
    if isinstance(value, Scene):
        meshes = b''.join(
            repr((p.name, p.fixture_id, p.frame_id)).encode()
            + _frozen(p.vertices)
            + _frozen(p.triangles)
            for p in value.parts
        )
        boxes = b''.join(
            repr((f.fixture_id, f.label, f.size_m, f.is_container)).encode()
            + _frozen(f.world_T_box)
            for f in value.fixtures
        )
        return meshes + boxes
    if isinstance(value, CameraModel):
        return repr(
            (value.model_name, value.width, value.height, value.parameters, value.valid_circle)
        ).encode()
    return repr(value).encode()
