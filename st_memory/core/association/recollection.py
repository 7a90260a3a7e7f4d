"""A thing seen past something nearer: its depth read where it is remembered, if it is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association.box_depths import depths_in
from st_memory.core.association.localization import Measurement
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import CameraFrame

__all__ = ['recollected']

Array = NDArray[np.float64]

# A thing shows on at least this share of its box; the rest is before or behind it.
_OWN_SHARE = 0.25
# Depths this many spreads beside the thing are not of it.
_SLACK_SIGMAS = 2.0


def recollected(
    m: Measurement,
    frame: CameraFrame,
    world_T_camera: RigidTransform,
    place: Sequence[float] | Array,
    size_m: Sequence[float] | Array,
    *,
    depth_sigma_share: float,
    pose_sigma_m: float,
) -> Measurement:
    """
    Read the depth of a detection where a thing rests that it may be.

    A box holds more than the thing: an arm or an edge before it, a wall behind it. A quantile of
    its depths is on either at times; where the thing was is known, and whether it shows there.

    Parameters
    ----------
    m : Measurement
        Located by the depths of its box.
    frame : CameraFrame
        Where it was detected; says nothing without depth or box.
    world_T_camera : RigidTransform
        Pose of the frame.
    place, size_m : (3,) float
        Where the thing rests, in the optical frame, and its extents, metres.
    depth_sigma_share, pose_sigma_m : float
        One sigma of depth as a share of the range, and of the camera position.

    Returns
    -------
    Measurement
        At the depth of the thing when a fair share of the box shows it there; else as it came.

    """
    box = m.detection.box_px
    if frame.depth_m is None or box is None or m.detection.camera_p is not None:
        return m
    depth = float(place[2])
    slack = _SLACK_SIGMAS * float(np.hypot(depth_sigma_share * depth, pose_sigma_m))
    reach = float(min(size_m)) / 2 + slack
    if depth <= reach or abs(float(m.camera_p[2]) - depth) <= reach:
        return m
    depths = depths_in(frame.depth_m, frame.own_body, box, 1.0)
    own = depths[np.abs(depths - depth) <= reach]
    if not own.size or own.size < _OWN_SHARE * depths.size:
        return m
    surface = float(np.median(own))
    width, height = (extent * surface / frame.model.focal_px for extent in box[2:])
    camera_p = m.camera_p * ((surface + min(width, height) / 2) / float(m.camera_p[2]))
    return replace(
        m,
        camera_p=camera_p,
        world_p=world_T_camera.apply(camera_p),
        size_m=np.array([width, width, height]),
        ray_sigma_m=float(np.hypot(depth_sigma_share * depth, pose_sigma_m)),
    )
