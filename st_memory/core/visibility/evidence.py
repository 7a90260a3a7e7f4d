"""What mesh and depth say about objects in view: blocked, free, or nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.ports import NO_PART, RayCaster
from st_memory.core.records import CameraFrame
from st_memory.core.visibility.depth_evidence import DepthEvidence
from st_memory.core.visibility.verdicts import DEPTH_OCCLUDER, Targets
from st_memory.core.visibility.view import Eye, Rows

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
        offset: Array,
        valid: Mask,
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

        Parameters
        ----------
        offset : (3, P, R) float64
            Test points of R objects, from the camera, fixed frame, metres.
        valid : (R, P) bool
            Which of them count.
        targets, rows
            All objects, and which of them these are.
        frame, eye, caster
            What is looked at, how, and in which scene.

        """
        least = eye.preset.min_blocked_share
        by_depth = np.zeros(len(rows), dtype=bool)
        if caster is None:
            share, mesh_blocked = np.full(len(rows), np.nan), np.zeros(valid.shape, dtype=bool)
        else:
            mesh_blocked = _mesh_tests(offset, valid, eye, caster)
            share = mesh_blocked.sum(axis=1) / np.maximum(valid.sum(axis=1), 1)
        if not eye.preset.use_depth or frame.depth_m is None:
            return cls(share, mesh_blocked, by_depth, None)
        depth = DepthEvidence.gather(frame.depth_m, offset, targets, rows, eye)
        mesh_share, known = share, depth.known_share
        fused = known * depth.blocked_share + (1.0 - known) * mesh_share
        share = np.where(known > 0.0, np.where(np.isnan(fused), depth.blocked_share, fused), share)
        with np.errstate(invalid='ignore'):
            by_depth = (share >= least) & ~(mesh_share >= least)
        return cls(share, mesh_blocked, by_depth, depth)


def _segments(offset: Array, chosen: Mask, eye: Eye) -> tuple[Array, Array]:
    """
    Give the ends (N, 3) of the rays to chosen points (R, P), and how near a hit may be to them.

    Object by object: rays that go the same way one after the other find the same nodes in the
    cache.
    """
    points = offset.transpose(0, 2, 1).reshape(3, -1)
    if not chosen.all():
        points = points.take(np.flatnonzero(chosen), axis=1)
    x, y, z = points
    length = np.sqrt(x * x + y * y + z * z)
    preset = eye.preset
    tolerance = np.maximum(preset.mesh_tolerance_m, preset.mesh_tolerance_share * length)
    return (points + eye.world_T_camera.translation[:, None]).T, tolerance


def _mesh_tests(offset: Array, valid: Mask, eye: Eye, caster: RayCaster) -> Mask:
    """Whether the scene blocks each valid point, (R, P)."""
    blocked = np.zeros(valid.shape, dtype=bool)
    ends, tolerance = _segments(offset, valid, eye)
    blocked[valid] = caster.any_hits(eye.world_T_camera.translation, ends, tolerance)
    return blocked


def name_occluders(
    offset: Array, evidence: Evidence, hidden: Rows, eye: Eye, caster: RayCaster | None
) -> NDArray[np.int32]:
    """
    Name what hides objects: the part that blocks most of their points.

    Parameters
    ----------
    offset, evidence
        Of R objects, as in :meth:`Evidence.gather`.
    hidden : (H,) intp
        Which of them to name an occluder for.
    eye, caster
        Camera and scene.

    Returns
    -------
    (H,) int32
        Index of the part; ``DEPTH_OCCLUDER`` where no mesh explains it.

    """
    chosen = evidence.mesh_blocked[hidden] & ~evidence.by_depth[hidden, None]
    part = np.full(chosen.shape, NO_PART, dtype=np.int32)
    if caster is not None and chosen.any():
        ends, tolerance = _segments(offset[..., hidden], chosen, eye)
        part[chosen] = caster.first_hits(eye.world_T_camera.translation, ends, tolerance).part
    # Of nine points the part that most of them name, and of equals the first of the scene.
    votes = (part[:, :, None] == part[:, None, :]).sum(axis=2) * (part != NO_PART)
    is_best = votes == np.maximum(votes.max(axis=1, keepdims=True), 1)
    first = np.where(is_best, part, np.iinfo(np.int32).max).min(axis=1)
    return np.where(is_best.any(axis=1), first, DEPTH_OCCLUDER).astype(np.int32)
