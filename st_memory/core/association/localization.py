"""From a detection in the image to a position: a robust depth inside its box."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association.appearance import unit_vector
from st_memory.core.association.box_depths import depths_in_core, front_and_middle
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import CameraFrame, Detection
from st_memory.core.records.detections import ALONG_AXES, Quaternion

__all__ = ['Measurement', 'localize', 'localize_all']

Array = NDArray[np.float64]

# Pixels this near the image border: the box is cut there and says little about the extent.
_BORDER_PX = 2.0
_CUT_WEIGHT = 0.2


@dataclass(frozen=True, eq=False)
class Measurement:
    """
    A located detection.

    Attributes
    ----------
    detection : Detection
        What was measured.
    index : int
        Its place among the frame's detections.
    camera_p, world_p : (3,) float64
        Centre of the object in the camera optical frame and in the fixed frame, metres.
    world_ray : (3,) float64
        Unit vector of the viewing ray in the fixed frame.
    size_m : (3,) float64
        Extents along the axes of the box; zeros when unknown.
    quat_xyzw : (4,) float
        Attitude of the box in the fixed frame.
    ray_sigma_m, lateral_sigma_m : float
        Spread along the viewing ray and across it, metres.
    is_cut : bool
        The box touches the image border, so its centre and extents are off.
    is_partial : bool
        Something hides a part of it: the centre was worked out from what is known of its size.
    appearance : (D,) float32, optional
        How it looks, a unit vector; None when nothing usable was given.

    """

    detection: Detection
    index: int
    camera_p: Array
    world_p: Array
    world_ray: Array
    size_m: Array
    quat_xyzw: Quaternion
    ray_sigma_m: float
    lateral_sigma_m: float
    is_cut: bool
    is_partial: bool = False
    appearance: NDArray[np.float32] | None = None

    @property
    def weight(self) -> float:
        """How much it counts in an average, in (0, 1]: a cut box says little."""
        return _CUT_WEIGHT if self.is_cut else 1.0


def localize(
    frame: CameraFrame,
    world_T_camera: RigidTransform,
    detection: Detection,
    index: int,
    *,
    depth_sigma_share: float,
    pose_sigma_rad: float,
    pose_sigma_m: float,
) -> Measurement | None:
    """
    Locate a detection by its own position or by the depth inside its box.

    Parameters
    ----------
    frame : CameraFrame
        Camera model and depth.
    world_T_camera : RigidTransform
        Pose of the frame.
    detection, index
        The detection and its place in the frame.
    depth_sigma_share : float
        One sigma of depth as a share of the range.
    pose_sigma_rad, pose_sigma_m : float
        One sigma of the camera pose.

    Returns
    -------
    Measurement or None
        None when only the bearing is known (no depth inside the box).

    """
    (located,) = localize_all(
        frame,
        world_T_camera,
        [(index, detection)],
        depth_sigma_share=depth_sigma_share,
        pose_sigma_rad=pose_sigma_rad,
        pose_sigma_m=pose_sigma_m,
    )
    return located


def localize_all(
    frame: CameraFrame,
    world_T_camera: RigidTransform,
    detections: Iterable[tuple[int, Detection]],
    *,
    depth_sigma_share: float,
    pose_sigma_rad: float,
    pose_sigma_m: float,
) -> list[Measurement | None]:
    """Locate detections, each with its place in the frame; see :func:`localize`."""
    numbered = list(detections)
    rays = _rays_to(frame, [detection for _, detection in numbered])
    spreads = _Spreads(depth_sigma_share, pose_sigma_rad, pose_sigma_m)
    found = [_in_camera(frame, d, ray) for (_, d), ray in zip(numbered, rays, strict=True)]
    known = [place for place in found if place is not None]
    places = world_T_camera.apply(np.reshape([place.camera_p for place in known], (-1, 3)))
    remaining = iter(places)
    return [
        None
        if place is None
        else _located(frame, world_T_camera, detection, index, place, next(remaining), spreads)
        for (index, detection), place in zip(numbered, found, strict=True)
    ]


class _InCamera(NamedTuple):
    """Centre in the optical frame and extents, (3,) metres; spread of the depth."""

    camera_p: Array
    size_m: Array
    depth_spread_m: float


class _Spreads(NamedTuple):
    """One sigma of depth as a share of the range, and of the camera pose."""

    depth_share: float
    pose_rad: float
    pose_m: float


def _rays_to(frame: CameraFrame, detections: Sequence[Detection]) -> list[Array | None]:
    """Give the ray, z = 1, through the middle of each box whose depth is to be read."""
    rays: list[Array | None] = [None] * len(detections)
    asked = [
        i
        for i, detection in enumerate(detections)
        if detection.camera_p is None and detection.box_px is not None
    ]
    if frame.depth_m is None or not asked:
        return rays
    boxes = np.array([detections[i].box_px for i in asked])
    middles = boxes[:, :2] + boxes[:, 2:] / 2
    for i, ray in zip(asked, frame.model.unproject(middles), strict=True):
        rays[i] = ray
    return rays


def _located(
    frame: CameraFrame,
    world_T_camera: RigidTransform,
    detection: Detection,
    index: int,
    place: _InCamera,
    world_p: Array,
    sigmas: _Spreads,
) -> Measurement:
    """Say of one detection how sure its place is."""
    cut = _is_cut(frame, detection)
    camera_p, size, spread = place
    distance = math.sqrt(camera_p @ camera_p)
    lateral = float(np.hypot(sigmas.pose_m, sigmas.pose_rad * distance))
    if cut:
        lateral += 0.5 * float(size.max())
    ray = math.sqrt((sigmas.depth_share * distance) ** 2 + sigmas.pose_m**2 + spread**2)
    return Measurement(
        detection=detection,
        index=index,
        camera_p=camera_p,
        world_p=world_p,
        world_ray=world_T_camera.rotation @ (camera_p / max(distance, 1e-9)),
        size_m=size,
        quat_xyzw=_attitude(world_T_camera, detection),
        ray_sigma_m=ray,
        lateral_sigma_m=lateral,
        is_cut=cut,
        appearance=unit_vector(detection.embedding) if detection.embedding else None,
    )


def _attitude(world_T_camera: RigidTransform, detection: Detection) -> Quaternion:
    """Attitude of a detection's box in the fixed frame."""
    if detection.camera_quat_xyzw is None:
        return ALONG_AXES
    camera_T_box = RigidTransform(np.zeros(3), np.array(detection.camera_quat_xyzw))
    x, y, z, w = (world_T_camera @ camera_T_box).quat_xyzw.tolist()
    return (x, y, z, w)


def _is_cut(frame: CameraFrame, detection: Detection) -> bool:
    """Whether the box touches the image border."""
    if detection.box_px is None:
        return False
    x, y, w, h = detection.box_px
    return (
        x <= _BORDER_PX
        or y <= _BORDER_PX
        or x + w >= frame.model.width - 1 - _BORDER_PX
        or y + h >= frame.model.height - 1 - _BORDER_PX
    )


def _in_camera(frame: CameraFrame, detection: Detection, ray: Array | None) -> _InCamera | None:
    """Say where a detection is, by itself or by the box the ray through whose middle is given."""
    if detection.camera_p is not None:
        size = np.array(detection.size_m or (0.0, 0.0, 0.0))
        return _InCamera(np.array(detection.camera_p), size, 0.0)
    if frame.depth_m is None or detection.box_px is None or ray is None:
        return None
    x, y, w, h = detection.box_px
    surface = depths_in_core(frame.depth_m, frame.own_body, x, y, w, h)
    if surface is None:
        return None
    # Lower quartile to median: the object stands in front of its background, and a hand or an
    # edge in front of it covers less than a quarter of the core.
    z_front, z_middle = front_and_middle(surface)
    if not all(map(math.isfinite, ray.tolist())):
        return None
    width_m = w * z_middle / frame.model.focal_px
    height_m = h * z_middle / frame.model.focal_px
    extent = min(width_m, height_m)
    # What is seen is the front surface; the centre lies half the (unknown) extent behind it.
    camera_p = ray * (z_middle + extent / 2)
    size = np.array([width_m, width_m, height_m])
    return _InCamera(camera_p, size, z_middle - z_front)
