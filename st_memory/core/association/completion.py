"""What a half-hidden thing is in full: its box grown to where something stands before it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association.localization import Measurement
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import CameraFrame

__all__ = ['completed']

Array = NDArray[np.float64]

# A box that lacks less than this share of the known extent is taken as it is.
_WHOLE_SHARE = 0.8
# Depth beside the box counts as an obstacle when it is this much nearer than the object.
_NEARER_M, _NEARER_SHARE = 0.02, 0.01
# Share of the pixels beside the box that must be so.
_HIDING_SHARE = 0.5
# Pixels beside the box that are looked at: a boundary pixel belongs to either.
_GAP_PX, _STRIP_PX = 1, 3
# Nearer to upright than this, what hangs from the lower side of the box hangs down in the world.
_UPRIGHT_COSINE = 0.5


def completed(
    m: Measurement,
    frame: CameraFrame,
    world_T_camera: RigidTransform,
    size_m: Array,
    support_below: Callable[[Array], float | None],
) -> Measurement:
    """
    Grow a detection that shows only a part of an object.

    Beside the side of the box that something nearer begins at, the object goes on. As far as its
    size is known, its centre is half of what is missing farther that way. If it is not, and the
    lower part is hidden as in a drawer, the object stands on what is under it. Where nothing
    nearer begins, the object has turned, or is smaller than thought, and the detection stands.

    Parameters
    ----------
    m : Measurement
        Located detection of the object.
    frame : CameraFrame
        Where it was detected; says nothing without depth or box.
    world_T_camera : RigidTransform
        Pose of the frame.
    size_m : (3,) float64
        Width, depth and height that are known of the object; zeros when unknown.
    support_below : callable
        Gives how far under a place (3,), metres, the scene has a surface; None for none near.

    Returns
    -------
    Measurement
        With ``is_partial`` where its extents are not those of the object; else as it came, or
        with the height that it must have.

    """
    box = m.detection.box_px
    if frame.depth_m is None or box is None or m.is_cut or not m.camera_p[2] > 0.0:
        return m
    metres = float(m.camera_p[2]) / frame.model.focal_px
    nearest = _nearest_own(m)
    is_upright = bool(world_T_camera.rotation[2, 1] <= -_UPRIGHT_COSINE)
    step, full_m, is_partial = np.zeros(3), m.size_m.copy(), False
    for axis, full in ((0, float(size_m[0])), (1, float(size_m[2]))):
        missing_m = full - box[2 + axis] * metres
        if missing_m <= (1 - _WHOLE_SHARE) * full:
            continue
        before, after = (
            _is_hidden_at(frame.depth_m, box, axis, at_end, nearest) for at_end in (False, True)
        )
        if axis == 1 and after and is_upright:
            # What stands on a surface right under what shows of it goes on no farther down.
            gap = support_below(m.world_p)
            after = gap is None or gap - float(m.size_m[2]) / 2 >= missing_m / 2
        if before or after:
            is_partial = True
            full_m[[0, 1] if axis == 0 else [2]] = full
        if before != after:
            step[axis] = missing_m / 2 * (1 if after else -1)
    if is_partial:
        camera_p = _deepened(m, full_m) + step
        return _moved(replace(m, is_partial=True), camera_p, world_T_camera)
    if not is_upright or not _is_hidden_at(frame.depth_m, box, 1, True, nearest):
        return m
    gap = support_below(m.world_p)
    return m if gap is None else _standing(m, gap, float(size_m[2]), world_T_camera)


def _nearest_own(m: Measurement) -> float:
    """Depth that is in front of all of the object, metres."""
    depth = float(m.camera_p[2])
    return depth - 0.5 * float(min(m.size_m.tolist())) - max(_NEARER_M, _NEARER_SHARE * depth)


def _deepened(m: Measurement, full_m: Array) -> Array:
    """
    Put the centre as far behind the surface as all of the object asks for.

    It was put half of the least extent behind it, of the part that shows.
    """
    behind = max(0.0, float(full_m.min() - m.size_m.min()) / 2)
    deeper: Array = m.camera_p * (1.0 + behind / float(m.camera_p[2]))
    return deeper


def _moved(m: Measurement, camera_p: Array, world_T_camera: RigidTransform) -> Measurement:
    return replace(m, camera_p=camera_p, world_p=world_T_camera.apply(camera_p))


def _standing(
    m: Measurement, gap: float, known: float, world_T_camera: RigidTransform
) -> Measurement:
    """Let an object whose lower part is hidden reach down to what it stands on, if it does."""
    seen = float(m.size_m[2])
    height = seen / 2 + gap
    if height * _WHOLE_SHARE <= seen or 0.0 < known < height * _WHOLE_SHARE:
        return m  # all of it shows, or it is not tall enough to stand there: it is held
    down = np.array([0.0, 0.0, -(height - seen) / 2])
    size = np.array([m.size_m[0], m.size_m[1], height])
    camera_p = _deepened(m, size) + world_T_camera.rotation.T @ down
    return _moved(replace(m, size_m=size), camera_p, world_T_camera)


def _is_hidden_at(
    depth_m: NDArray[np.float32],
    box: tuple[float, float, float, float],
    axis: int,
    at_end: bool,
    nearest_m: float,
) -> bool:
    """Whether something nearer begins at the left (top) of a box, or at its right (bottom)."""
    start, across = box[axis], box[1 - axis]
    length, breadth = box[2 + axis], box[3 - axis]
    size, other = depth_m.shape[1 - axis], depth_m.shape[axis]
    left = min(max(round(across + breadth / 4), 0), other - 1)
    right = min(max(round(across + 3 * breadth / 4), left + 1), other)
    first = round(start + length) + _GAP_PX if at_end else round(start) - _GAP_PX - _STRIP_PX
    low, high = max(first, 0), max(min(first + _STRIP_PX, size), 0)
    strip = depth_m[low:high, left:right] if axis else depth_m[left:right, low:high]
    positive = strip[strip > 0.0]
    num_measured = np.count_nonzero(positive < np.inf)
    if num_measured == 0:
        return False
    return bool(np.count_nonzero(positive < nearest_m) / num_measured >= _HIDING_SHARE)
