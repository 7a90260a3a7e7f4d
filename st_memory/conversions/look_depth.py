"""The depth of a look: images and clouds, registered to the camera that it belongs to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from st_memory.conversions.calibrations import Calibration, Calibrations
from st_memory.conversions.depth_fit import fit_depth, fits
from st_memory.conversions.depth_registration import depth_of_points, register_depth
from st_memory.conversions.images import depth_from_message
from st_memory.conversions.pending import Look
from st_memory.conversions.point_clouds import is_cloud, points_from_cloud
from st_memory.conversions.roles import TopicKind
from st_memory.conversions.stamps import frame_name
from st_memory.core.errors import ConversionError
from st_memory.core.geometry import CameraModel, RigidTransform

__all__ = ['LookDepth']

Depth = NDArray[np.float32]
Lookup = Callable[[str, str, int], RigidTransform | None]


class LookDepth:
    """
    Read the depth of looks.

    Depth in the frame of its camera is taken as it is. Depth from another frame is registered
    through the transform at the stamp: an image with the intrinsics of the depth camera
    (``TopicKind.DEPTH_INFO``), a cloud without. What cannot be registered is counted.

    Parameters
    ----------
    lookup : callable
        Gives ``target_T_source`` for target, source and stamp, or None.
    unit_m : mapping of str to float
        Metres of one step of 16-bit depth, by camera; 0.001 where it says nothing.
    counters : Counter
        Shared with the assembler.

    """

    def __init__(
        self, lookup: Lookup, unit_m: Mapping[str, float], counters: Counter[str]
    ) -> None:
        self.calibrations = Calibrations('depth camera_info')
        self._lookup = lookup
        self._unit_m = unit_m
        self._counters = counters

    def other_frame(self, camera_id: str, look: Look, frame_id: str) -> str:
        """Name the frame whose transform is needed to register the depth of a look; '' if none."""
        message = look.pieces.get(TopicKind.DEPTH)
        if message is None:
            return ''
        source = frame_name(message.header.frame_id) or frame_id
        can_register = is_cloud(message) or self.calibrations.at(camera_id, look.stamp_ns)
        return source if source != frame_id and can_register else ''

    def read(self, camera_id: str, look: Look, frame_id: str, model: CameraModel) -> Depth | None:
        """
        Give the depth of a look as its camera sees it.

        Parameters
        ----------
        camera_id : str
            Which camera.
        look : Look
            What has come of it.
        frame_id : str
            Its optical frame.
        model : CameraModel
            Its model, fitted to its images.

        Returns
        -------
        (height, width) float32 or None
            Metres, NaN where not measured; None when there is none that can be used.

        """
        message = look.pieces.get(TopicKind.DEPTH)
        if message is None:
            return None
        source = frame_name(message.header.frame_id) or frame_id
        calibration = self.calibrations.at(camera_id, look.stamp_ns)
        if source != frame_id and calibration is None and not is_cloud(message):
            self._counters['depth_in_other_frame'] += 1
            return None
        camera_T_source: RigidTransform | None = RigidTransform.identity()
        if source != frame_id:
            camera_T_source = self._lookup(frame_id, source, look.stamp_ns)
        if camera_T_source is None:
            self._counters['depth_without_transform'] += 1
            return None
        try:
            depth_m = self._decoded(camera_id, message, model, calibration, camera_T_source)
        except ConversionError:
            self._counters['depth_undecodable'] += 1
            return None
        return None if depth_m is None else fit_depth(depth_m, model, self._counters)

    def _decoded(
        self,
        camera_id: str,
        message: Any,
        model: CameraModel,
        calibration: Calibration | None,
        camera_T_source: RigidTransform,
    ) -> Depth | None:
        name = f'depth of {camera_id}'
        is_same_place = _is_identity(camera_T_source)
        if is_cloud(message):
            points = points_from_cloud(message, name)
            if is_same_place and points.shape[:2] == (model.height, model.width):
                z_m = points[..., 2].astype(np.float32)
                return np.where(z_m > 0, z_m, np.float32(np.nan))
            flat = points.reshape(-1, 3)
            usable = flat[~np.isnan(flat[:, 0])]
            return (
                depth_of_points(camera_T_source.apply(usable), model)
                if len(usable)
                else (np.full((model.height, model.width), np.nan, dtype=np.float32))
            )
        depth_m = depth_from_message(message, name, self._unit_m.get(camera_id))
        if calibration is None or (is_same_place and calibration.model == model):
            return depth_m
        depth_model = self._fitted(calibration.model, depth_m)
        if depth_model is None or (is_same_place and depth_model == model):
            return None if depth_model is None else depth_m
        return register_depth(depth_m, depth_model, camera_T_source, model)

    def _fitted(self, model: CameraModel, depth_m: Depth) -> CameraModel | None:
        height, width = depth_m.shape
        if (height, width) == (model.height, model.width):
            return model
        if not fits(depth_m.shape, model):
            self._counters['depth_size_mismatch'] += 1
            return None
        try:
            return model.resized(width, height)
        except ValueError:
            self._counters['depth_size_mismatch'] += 1
            return None


def _is_identity(a_T_b: RigidTransform) -> bool:
    return not a_T_b.translation.any() and not a_T_b.quat_xyzw[:3].any()
