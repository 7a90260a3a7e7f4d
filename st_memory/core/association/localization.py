"""From a detection in the image to a position: a robust depth inside its box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association.appearance import unit_vector
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import CameraFrame, Detection
from st_memory.core.records.detections import ALONG_AXES, Quaternion

__all__ = ['Measurement', 'depths_in', 'localize']

Array = NDArray[np.float64]

# Share of the box, around its centre, that the depth is read from: the border shows background.
_CORE_SHARE = 0.5
_MIN_DEPTH_SAMPLES = 4
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
    cut = _is_cut(frame, detection)
    if detection.camera_p is not None:
        camera_p = np.array(detection.camera_p)
        size = np.array(detection.size_m or (0.0, 0.0, 0.0))
        spread = 0.0
    else:
        located = _from_depth(frame, detection)
        if located is None:
            return None
        camera_p, size, spread = located
    distance = float(np.sqrt(camera_p @ camera_p))
    lateral = float(np.hypot(pose_sigma_m, pose_sigma_rad * distance))
    if cut:
        lateral += 0.5 * float(size.max())
    ray = float(np.sqrt((depth_sigma_share * distance) ** 2 + pose_sigma_m**2 + spread**2))
    return Measurement(
        detection=detection,
        index=index,
        camera_p=camera_p,
        world_p=world_T_camera.apply(camera_p),
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


def _from_depth(frame: CameraFrame, detection: Detection) -> tuple[Array, Array, float] | None:
    """Centre, extents and depth spread from the box and the depth image."""
    if frame.depth_m is None or detection.box_px is None:
        return None
    x, y, w, h = detection.box_px
    surface = _box_depths(frame.depth_m, frame.own_body, x, y, w, h)
    if surface is None:
        return None
    # Lower quartile to median: the object stands in front of its background, and a hand or an
    # edge in front of it covers less than a quarter of the core.
    z_front, z_middle = _quantiles(surface)
    ray = frame.model.unproject(np.array([[x + w / 2, y + h / 2]]))[0]
    if not np.isfinite(ray).all():
        return None
    width_m = w * float(z_middle) / frame.model.focal_px
    height_m = h * float(z_middle) / frame.model.focal_px
    extent = min(width_m, height_m)
    # What is seen is the front surface; the centre lies half the (unknown) extent behind it.
    camera_p = ray * (float(z_middle) + extent / 2)
    size = np.array([width_m, width_m, height_m])
    return camera_p, size, float(z_middle - z_front)


def _quantiles(depths: NDArray[np.float32]) -> tuple[float, float]:
    """Lower quartile and median, linear between samples."""
    ordered = np.sort(depths)

    def at(share: float) -> float:
        place = share * (len(ordered) - 1)
        low = int(place)
        high = min(low + 1, len(ordered) - 1)
        before, after = float(ordered[low]), float(ordered[high])
        return before + (place - low) * (after - before)

    return at(0.25), at(0.5)


def _box_depths(
    depth_m: NDArray[np.float32],
    own_body: NDArray[np.bool_] | None,
    x: float,
    y: float,
    w: float,
    h: float,
) -> NDArray[np.float32] | None:
    """Give the valid depths in the middle of a box, or in all of it if those are too few."""
    for share in (_CORE_SHARE, 1.0):
        valid = depths_in(depth_m, own_body, (x, y, w, h), share)
        if valid.size >= _MIN_DEPTH_SAMPLES:
            return valid
    return None


def depths_in(
    depth_m: NDArray[np.float32],
    own_body: NDArray[np.bool_] | None,
    box_px: tuple[float, float, float, float],
    share: float,
) -> NDArray[np.float32]:
    """Give the valid depths, (K,) metres, in the middle ``share`` of an x, y, w, h box."""
    height, width = depth_m.shape
    x, y, w, h = box_px
    left = min(max(round(x + w * (1 - share) / 2), 0), width - 1)
    right = min(max(round(x + w * (1 + share) / 2), left + 1), width)
    top = min(max(round(y + h * (1 - share) / 2), 0), height - 1)
    bottom = min(max(round(y + h * (1 + share) / 2), top + 1), height)
    patch = depth_m[top:bottom, left:right]
    is_valid = np.isfinite(patch)
    if own_body is not None:  # an arm in front of a thing is not its surface
        is_valid &= ~own_body[top:bottom, left:right]
    return patch[is_valid]
