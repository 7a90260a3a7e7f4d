"""What mesh and depth say about the points of objects in view: blocked, free, or nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.ports import NO_PART, RayCaster
from st_memory.core.records import CameraFrame
from st_memory.core.visibility.presets import VisibilityPreset
from st_memory.core.visibility.verdicts import DEPTH_OCCLUDER, NO_OCCLUDER
from st_memory.core.visibility.view import View

__all__ = ['Evidence']

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Evidence(NamedTuple):
    """
    What says that objects in view are hidden: arrays over the R objects looked at.

    Attributes
    ----------
    blocked_share : (R,) float64
        Blocked share of the in-view points that anything was learnt about; NaN without any.
    seen_through : (R,) bool
        Depth lies behind all of the object where most of it should be.
    occluder : (R,) int32
        What blocks most points; ``NO_OCCLUDER`` where none is blocked.

    """

    blocked_share: Array
    seen_through: Mask
    occluder: NDArray[np.int32]

    @classmethod
    def gather(
        cls, view: View, frame: CameraFrame, preset: VisibilityPreset, caster: RayCaster | None
    ) -> Evidence:
        """
        Fuse mesh and depth per point.

        A valid depth of this moment overrules the mesh. A ray into the mesh is evidence, blocked
        or free; depth that was not measured is none, neither of an obstacle nor of free space.
        """
        valid = view.valid
        part = np.full(valid.shape, NO_PART, dtype=np.int32)
        if caster is not None and frame.world_T_camera is not None:
            origin = frame.world_T_camera.translation
            part = _mesh_hits(view.world_p, valid, origin, preset, caster)
        mesh_blocked = part != NO_PART
        blocked, by_depth = mesh_blocked, np.zeros_like(valid)
        judged = valid if caster is not None else np.zeros_like(valid)
        seen_through = np.zeros(len(valid), dtype=bool)
        if preset.use_depth and frame.depth_m is not None:
            known, depth_blocked, seen_through = _depth_tests(view, frame.depth_m, preset)
            blocked = np.where(known, depth_blocked, mesh_blocked)
            by_depth = depth_blocked & ~mesh_blocked
            judged = judged | known
        blocked = blocked & valid
        num_judged = judged.sum(axis=1)
        share = np.full(len(valid), np.nan)
        np.divide(blocked.sum(axis=1), num_judged, out=share, where=num_judged > 0)
        return cls(share, seen_through, _main_occluder(part, blocked, by_depth))


def _mesh_hits(
    world_p: Array, valid: Mask, origin: Array, preset: VisibilityPreset, caster: RayCaster
) -> NDArray[np.int32]:
    """Index of the part that blocks each valid point; NO_PART where it is free."""
    part = np.full(valid.shape, NO_PART, dtype=np.int32)
    points = world_p[valid]
    gap = points - origin
    distance = np.sqrt(np.einsum('ij,ij->i', gap, gap))
    tolerance = np.maximum(preset.mesh_tolerance_m, preset.mesh_tolerance_share * distance)
    part[valid] = caster.first_hits(origin, points, tolerance).part
    return part


def _depth_tests(
    view: View, depth_m: NDArray[np.float32], preset: VisibilityPreset
) -> tuple[Mask, Mask, Mask]:
    """
    Test the measured depth at each object's points; gives (known, blocked, seen_through).

    The object's own surface lies between its nearest and farthest point, so only depth in front
    of all of it blocks. That nothing is there is shown only by depth behind all of it over most
    of its inner half, with no surface where it should be: the corners of a box see past what is
    in it. ``known`` and ``blocked`` are (R, P), ``seen_through`` is (R,).
    """
    valid, pixels, z = view.valid, view.pixels, view.camera_p[..., 2]
    nearest, farthest = z.min(axis=1, keepdims=True), z.max(axis=1, keepdims=True)
    tolerance = np.maximum(preset.depth_tolerance_m, preset.depth_tolerance_share * farthest)
    measured = _sample(depth_m, pixels, valid)
    known = np.isfinite(measured)
    inner = _sample(depth_m, (pixels + pixels[:, -1:]) / 2, valid & valid[:, -1:])
    with np.errstate(invalid='ignore'):
        blocked = measured < nearest - tolerance
        beyond = inner > farthest + tolerance
        at_place = (inner >= nearest - tolerance) & ~beyond
    through = (2 * beyond.sum(axis=1) > inner.shape[1]) & ~at_place.any(axis=1)
    return known, blocked, through


def _sample(depth_m: NDArray[np.float32], pixels: Array, valid: Mask) -> Array:
    """Depth at the nearest pixels, (R, P); NaN where not valid or not measured (0, inf, ...)."""
    height, width = depth_m.shape
    safe = np.where(valid[..., None], pixels, 0.0)
    u = np.clip(np.rint(safe[..., 0]).astype(np.intp), 0, width - 1)
    v = np.clip(np.rint(safe[..., 1]).astype(np.intp), 0, height - 1)
    depth = depth_m[v, u].astype(np.float64)
    return np.where(valid & (depth > 0) & (depth < np.inf), depth, np.nan)


def _main_occluder(part: NDArray[np.int32], blocked: Mask, by_depth: Mask) -> NDArray[np.int32]:
    """Name what blocks most points of each row; DEPTH_OCCLUDER where no mesh explains it."""
    names = np.where(blocked, np.where(by_depth, DEPTH_OCCLUDER, part), NO_OCCLUDER)
    out = np.full(len(names), NO_OCCLUDER, dtype=np.int32)
    best = np.zeros(len(names), dtype=np.int64)
    for name in np.unique(names[names != NO_OCCLUDER]):  # over occluders, not over objects
        votes = (names == name).sum(axis=1)
        better = votes > best
        out[better], best[better] = name, votes[better]
    return out
