"""What mesh and depth say about objects in view: blocked, free, or nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.ports import NO_PART, RayCaster
from st_memory.core.records import CameraFrame
from st_memory.core.visibility.depth_evidence import DepthEvidence
from st_memory.core.visibility.verdicts import DEPTH_OCCLUDER, Targets
from st_memory.core.visibility.view import Eye, Rows, View

__all__ = ['Evidence', 'name_occluders']

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Evidence(NamedTuple):
    """
    What says that objects in view are hidden: arrays over the R objects looked at.

    Attributes
    ----------
    blocked_share : (R,) float64
        Blocked share of the lines of sight that anything was learnt about; NaN without any.
    mesh_blocked : (R, P) bool
        Valid points that the scene's meshes block.
    by_depth : (R,) bool
        Depth alone says that it is hidden; no mesh explains it.
    depth : DepthEvidence, optional
        None without a depth image to use.

    """

    blocked_share: Array
    mesh_blocked: Mask
    by_depth: Mask
    depth: DepthEvidence | None

    @classmethod
    def gather(
        cls,
        view: View,
        targets: Targets,
        rows: Rows,
        frame: CameraFrame,
        eye: Eye,
        caster: RayCaster | None,
    ) -> Evidence:
        """
        Fuse mesh and depth.

        Depth of this moment overrules the mesh on the share of an object's outline where it was
        measured; the mesh speaks for the rest. A ray into the mesh is evidence, blocked or free;
        depth that was not measured is none, neither of an obstacle nor of free space.
        """
        least = eye.preset.min_blocked_share
        share = np.full(len(rows), np.nan)
        mesh_blocked = np.zeros(view.valid.shape, dtype=bool)
        if caster is not None:
            mesh_blocked = _mesh_tests(view, eye, caster)
            num_valid = view.valid.sum(axis=1)
            np.divide(mesh_blocked.sum(axis=1), num_valid, out=share, where=num_valid > 0)
        if not eye.preset.use_depth or frame.depth_m is None:
            return cls(share, mesh_blocked, np.zeros(len(rows), dtype=bool), None)
        depth = DepthEvidence.gather(frame.depth_m, view, targets, rows, eye)
        mesh_share, known = share, depth.known_share
        fused = known * depth.blocked_share + (1.0 - known) * mesh_share
        share = np.where(known > 0.0, np.where(np.isnan(fused), depth.blocked_share, fused), share)
        with np.errstate(invalid='ignore'):
            by_depth = (share >= least) & ~(mesh_share >= least)
        return cls(share, mesh_blocked, by_depth, depth)


def _reach(view: View, eye: Eye, chosen: Mask) -> tuple[Array, Array]:
    """Give the ends of rays to some points, fixed frame, and how near a hit may be to them."""
    offset = view.offset[chosen]
    length = np.sqrt(np.einsum('ij,ij->i', offset, offset))
    preset = eye.preset
    tolerance = np.maximum(preset.mesh_tolerance_m, preset.mesh_tolerance_share * length)
    return offset + eye.world_T_camera.translation, tolerance


def _mesh_tests(view: View, eye: Eye, caster: RayCaster) -> Mask:
    """Whether the scene blocks each valid point."""
    blocked = np.zeros(view.valid.shape, dtype=bool)
    ends, tolerance = _reach(view, eye, view.valid)
    blocked[view.valid] = caster.any_hits(eye.world_T_camera.translation, ends, tolerance)
    return blocked


def name_occluders(
    view: View, evidence: Evidence, hidden: Rows, eye: Eye, caster: RayCaster | None
) -> NDArray[np.int32]:
    """
    Name what hides objects: the part that blocks most of their points.

    Parameters
    ----------
    view, evidence
        Of R objects.
    hidden : (H,) intp
        Which of them to name an occluder for.
    eye, caster
        Camera and scene.

    Returns
    -------
    (H,) int32
        Index of the part; ``DEPTH_OCCLUDER`` where no mesh explains it.

    """
    part = np.full((len(hidden), view.valid.shape[1]), NO_PART, dtype=np.int32)
    chosen = evidence.mesh_blocked[hidden] & ~evidence.by_depth[hidden, None]
    if caster is not None and chosen.any():
        ends, tolerance = _reach(view.of(hidden), eye, chosen)
        hits = caster.first_hits(eye.world_T_camera.translation, ends, tolerance)
        part[chosen] = hits.part
    out = np.full(len(hidden), DEPTH_OCCLUDER, dtype=np.int32)
    best = np.zeros(len(hidden), dtype=np.int64)
    for name in np.unique(part[part != NO_PART]):  # over occluders, not over objects
        votes = (part == name).sum(axis=1)
        better = votes > best
        out[better], best[better] = name, votes[better]
    return out
