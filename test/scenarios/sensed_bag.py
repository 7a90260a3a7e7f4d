"""Frames of the synthetic world as a recording."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from st_memory.bags import BagRecorder
from st_memory.core.records import SensedFrame

__all__ = ['write_sensed']


def write_sensed(path: Path, frames: Sequence[SensedFrame]) -> Path:
    """Write every camera with a pose as TF, calibration, depth and detections of our own type."""
    with BagRecorder(path) as bag:
        for frame in frames:
            at_ns = frame.stamp_ns
            for camera in frame.cameras:
                optical = f'{camera.camera_id}_optical'
                assert camera.world_T_camera is not None
                bag.write_transform(at_ns, 'map', optical, camera.world_T_camera)
                bag.write_camera_info(at_ns, camera.camera_id, optical, camera.model)
                if camera.depth_m is not None:
                    bag.write_depth(at_ns, camera.camera_id, optical, camera.depth_m)
                if camera.detections is not None:
                    bag.write_detections(at_ns, camera.camera_id, optical, camera.detections)
    return path
