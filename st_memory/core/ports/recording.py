"""Where recordings go: what a simulator or a dataset converter writes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import CameraModel, RigidTransform
from st_memory.core.records import Detection, MovementReport, Scene, WorldDetection

__all__ = ['RecordingSink']


@runtime_checkable
class RecordingSink(Protocol):
    """
    Takes a recording piece by piece, in any order of kinds, with non-decreasing stamps.

    The bag recorder is one; tests use a list. Everything is at a stamp in nanoseconds > 0.
    """

    def write_transform(
        self,
        stamp_ns: int,
        parent_frame: str,
        child_frame: str,
        parent_T_child: RigidTransform,
        *,
        static: bool = False,
    ) -> None:
        """Write one transform to ``/tf`` or, if static, to ``/tf_static``."""

    def write_camera_info(
        self, stamp_ns: int, camera_id: str, frame_id: str, model: CameraModel
    ) -> None:
        """Write the calibration of a camera whose optical frame is ``frame_id``."""

    def write_color(
        self, stamp_ns: int, camera_id: str, frame_id: str, image_rgb: NDArray[np.uint8]
    ) -> None:
        """Write an (H, W, 3) RGB image, compressed as JPEG."""

    def write_color_encoded(
        self, stamp_ns: int, camera_id: str, frame_id: str, data: bytes, image_format: str
    ) -> None:
        """Write an image that is already ``jpeg`` or ``png``, byte for byte."""

    def write_depth(
        self, stamp_ns: int, camera_id: str, frame_id: str, depth_m: NDArray[np.float32]
    ) -> None:
        """Write (H, W) depth along the optical axis, NaN = not measured (lossless millimetres)."""

    def write_detections(
        self,
        stamp_ns: int,
        camera_id: str,
        frame_id: str,
        detections: Sequence[Detection],
        *,
        source: str = 'detector',
    ) -> None:
        """Write what a detector found in one image; an empty list says that it found nothing."""

    def write_world_detections(
        self, stamp_ns: int, fixed_frame: str, detections: Sequence[WorldDetection]
    ) -> None:
        """Write observations that have a position in the fixed frame."""

    def write_movement(self, stamp_ns: int, movement: MovementReport) -> None:
        """Write that a movement started or ended."""

    def write_joints(self, stamp_ns: int, position_by_joint: Mapping[str, float]) -> None:
        """Write joint positions, radians or metres."""

    def write_scene(self, stamp_ns: int, fixed_frame: str, scene: Scene) -> None:
        """Write meshes and fixtures once, latched; each part is in its own TF frame."""
