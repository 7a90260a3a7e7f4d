"""What mesh, depth and own body say about objects in view: blocked, free, or nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.ports import NO_PART, RayCaster
from st_memory.core.records import CameraFrame
from st_memory.core.visibility.depth_evidence import DepthEvidence
from st_memory.core.visibility.lines import Lines
from st_memory.core.visibility.targets import Targets
from st_memory.core.visibility.verdicts import DEPTH_OCCLUDER, SELF_OCCLUDER
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
    is_blind : (R,) bool
        Nothing was learnt about the lines of sight that the own body leaves free.
    by_body : (R,) bool, optional
        The own body blocks most of what is blocked; None without a mask of it.
    depth : DepthEvidence, optional
        None without a depth image to use.

    """

    blocked_share: Array
    mesh_blocked: Mask
    by_depth: Mask
    is_blind: Mask
    by_body: Mask | None
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
        Fuse mesh, depth and own body.

        The own body blocks the lines of sight that its mask is on, whatever else is measured
        there. On the others depth of this moment overrules the mesh on the share of an object's
        outline where it was measured; the mesh speaks for the rest. A ray into the mesh is
        evidence, blocked or free; depth that was not measured is none, neither of an obstacle nor
        of free space.

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
        depth_m = frame.depth_m if eye.preset.use_depth else None
        if depth_m is None and frame.own_body is None:
            return cls(share, mesh_blocked, by_depth, np.isnan(share), None, None)
        lines = Lines.to(offset, targets, rows, eye)
        body, body_share = None, None
        if frame.own_body is not None:
            body, body_share = lines.through(frame.own_body)
        depth = None
        if depth_m is not None:
            depth = DepthEvidence.gather(depth_m, lines, eye.preset, body)
            mesh_share, share = share, _overruled(share, depth)
            with np.errstate(invalid='ignore'):
                by_depth = (share >= least) & ~(mesh_share >= least)
        is_blind, by_body = np.isnan(share), None
        if body_share is not None:
            share = _behind_body(share, body_share)
            by_body = 2.0 * body_share > share  # false for NaN
        return cls(share, mesh_blocked, by_depth, is_blind, by_body, depth)


def _overruled(mesh_share: Array, depth: DepthEvidence) -> Array:
    """Give the blocked share (R,): of depth where it was measured, of the mesh elsewhere."""
    known = depth.known_share
    fused = known * depth.blocked_share + (1.0 - known) * mesh_share
    by_depth = np.where(np.isnan(fused), depth.blocked_share, fused)
    return np.where(known > 0.0, by_depth, mesh_share)


def _behind_body(share: Array, body_share: Array) -> Array:
    """
    Give the blocked share (R,) with what the own body blocks.

    Where the mask is and where it is not is known everywhere, so it is no sample of the rest: a
    rest of which nothing is known adds nothing to it.
    """
    whole = body_share + (1.0 - body_share) * share
    alone = np.where(body_share > 0.0, body_share, np.nan)
    return np.where(np.isnan(share), alone, whole)


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
        Index of the part; ``SELF_OCCLUDER`` where the own body blocks most of it,
        ``DEPTH_OCCLUDER`` where no mesh explains the rest.

    """
    chosen = evidence.mesh_blocked[hidden] & ~evidence.by_depth[hidden, None]
    if evidence.by_body is not None:
        chosen &= ~evidence.by_body[hidden, None]
    part = np.full(chosen.shape, NO_PART, dtype=np.int32)
    if caster is not None and chosen.any():
        ends, tolerance = _segments(offset[..., hidden], chosen, eye)
        part[chosen] = caster.first_hits(eye.world_T_camera.translation, ends, tolerance).part
    # Of nine points the part that most of them name, and of equals the first of the scene.
    votes = (part[:, :, None] == part[:, None, :]).sum(axis=2) * (part != NO_PART)
    is_best = votes == np.maximum(votes.max(axis=1, keepdims=True), 1)
    first = np.where(is_best, part, np.iinfo(np.int32).max).min(axis=1)
    named = np.where(is_best.any(axis=1), first, DEPTH_OCCLUDER).astype(np.int32)
    if evidence.by_body is not None:
        named[evidence.by_body[hidden]] = SELF_OCCLUDER
    return named
