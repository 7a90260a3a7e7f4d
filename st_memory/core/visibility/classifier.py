"""Classify all remembered objects against one camera frame: cull, cast, measure, decide."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import (
    axis_aligned_nine_points,
    CameraModel,
    Fisheye624Camera,
    in_image,
    RigidTransform,
)
from st_memory.core.ports import NO_PART, RayCaster
from st_memory.core.records import CameraFrame, Visibility
from st_memory.core.visibility.presets import VisibilityPreset
from st_memory.core.visibility.verdicts import (
    Cause,
    DEPTH_OCCLUDER,
    NO_OCCLUDER,
    Targets,
    Verdicts,
)

__all__ = ['classify']

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class _View(NamedTuple):
    """Points of the objects as the camera has them: leading axes (N, P)."""

    world_p: Array  # (N, P, 3)
    camera_z: Array
    pixels: Array  # (N, P, 2)
    in_front: Mask
    in_frame: Mask
    valid: Mask
    centre_range: Array  # (N,)


def classify(
    targets: Targets,
    frame: CameraFrame,
    preset: VisibilityPreset,
    caster: RayCaster | None = None,
    unsure_fixtures: frozenset[str] = frozenset(),
) -> Verdicts:
    """
    Decide for every object whether this camera can see it now, and why not.

    Parameters
    ----------
    targets : Targets
        N objects in the fixed frame.
    frame : CameraFrame
        Camera model, pose and optional depth of one stamp.
    preset : VisibilityPreset
        Version of the rules.
    caster : RayCaster, optional
        Scene, with its movable parts already posed for this stamp.
    unsure_fixtures : frozenset of str
        Containers whose doors' state is not known at this stamp.

    Returns
    -------
    Verdicts
        All UNKNOWN with cause ``no_pose`` when the frame has no pose.

    References
    ----------
    .. [1] Beyond3D (2026), sec. 4.1 (in view, occlusion) and 10.2 (fixture ambiguity).

    """
    count = len(targets.centres)
    if frame.world_T_camera is None:
        return _unknown(count)
    view = _look(targets, frame.model, frame.world_T_camera, preset)
    num_valid = view.valid.sum(axis=1).astype(np.int32)
    within_range = view.centre_range <= preset.max_range_m
    num_points = view.valid.shape[1]
    in_view = (num_valid >= np.ceil(preset.min_in_view_share * num_points)) & (num_valid > 0)
    in_view &= within_range

    geometry = np.where(in_view, Visibility.VISIBLE, Visibility.OUT_OF_VIEW).astype(np.int8)
    cause = _out_of_view_cause(view, within_range)
    cause[in_view] = Cause.IN_VIEW
    occluder = np.full(count, NO_OCCLUDER, dtype=np.int32)
    blocked_share = np.full(count, np.nan)
    seen_through = np.zeros(count, dtype=bool)

    rows = np.flatnonzero(in_view)
    if rows.size:
        evidence = _Evidence.gather(view, rows, frame, preset, caster)
        blocked_share[rows] = evidence.blocked_share
        seen_through[rows] = evidence.seen_through
        hidden = evidence.blocked_share >= preset.min_blocked_share
        occluder[rows] = np.where(hidden, evidence.occluder, NO_OCCLUDER)
        geometry[rows[hidden]] = Visibility.OCCLUDED
        cause[rows[hidden]] = Cause.OCCLUDED_BY
        if preset.use_fixture_rule and caster is not None and unsure_fixtures:
            ambiguous = _ambiguous(rows[hidden], occluder, targets, caster, unsure_fixtures)
            geometry[ambiguous] = Visibility.AMBIGUOUS_FIXTURE
    return Verdicts(
        geometry=geometry,
        cause=cause,
        occluder=occluder,
        in_view_points=num_valid,
        blocked_share=blocked_share,
        seen_through=seen_through,
        range_m=view.centre_range,
        pixel_size=_pixel_size(view, targets, frame.model, in_view),
        pixels=view.pixels[:, -1],
    )


def _unknown(count: int) -> Verdicts:
    """Verdicts without a pose."""
    return Verdicts(
        geometry=np.full(count, Visibility.UNKNOWN, dtype=np.int8),
        cause=np.full(count, Cause.NO_POSE, dtype=np.int8),
        occluder=np.full(count, NO_OCCLUDER, dtype=np.int32),
        in_view_points=np.zeros(count, dtype=np.int32),
        blocked_share=np.full(count, np.nan),
        seen_through=np.zeros(count, dtype=bool),
        range_m=np.full(count, np.nan),
        pixel_size=np.zeros(count),
        pixels=np.full((count, 2), np.nan),
    )


def _look(
    targets: Targets, model: CameraModel, world_T_camera: RigidTransform, preset: VisibilityPreset
) -> _View:
    """Project the test points of every object; the centre is the last point."""
    if preset.in_view_points == 'box':
        world_p = axis_aligned_nine_points(targets.centres, targets.sizes)
    else:
        world_p = targets.centres[:, None, :]
    count, points = world_p.shape[:2]
    flat = world_T_camera.inverse().apply(world_p.reshape(-1, 3))
    # Beyond the lens's limit the formula alone gives pixels too; some presets want just that.
    if isinstance(model, Fisheye624Camera) and not preset.check_lens:
        pixels, projectable = model.project_unchecked(flat)
    else:
        pixels, projectable = model.project(flat)
    bounds = preset.pixel_bounds
    in_frame = projectable & in_image(model, pixels, bounds=bounds, circle='none')
    valid = projectable & in_image(model, pixels, bounds=bounds, circle=preset.image_circle)
    centre = flat.reshape(count, points, 3)[:, -1]
    return _View(
        world_p=world_p,
        camera_z=flat[:, 2].reshape(count, points),
        pixels=pixels.reshape(count, points, 2),
        in_front=(flat[:, 2] > 0).reshape(count, points),
        in_frame=in_frame.reshape(count, points),
        valid=valid.reshape(count, points),
        centre_range=np.sqrt(np.einsum('ij,ij->i', centre, centre)),
    )


def _out_of_view_cause(view: _View, within_range: Mask) -> NDArray[np.int8]:
    """Give the first rule that most of the object fails."""
    cause = np.full(len(within_range), Cause.OUTSIDE_VALID_CIRCLE, dtype=np.int8)
    half = view.valid.shape[1] / 2
    cause[view.in_frame.sum(axis=1) <= half] = Cause.OUTSIDE_IMAGE
    cause[view.in_front.sum(axis=1) <= half] = Cause.BEHIND_CAMERA
    cause[~within_range] = Cause.BEYOND_RANGE
    return cause


def _pixel_size(view: _View, targets: Targets, model: CameraModel, in_view: Mask) -> Array:
    """Larger side of the projection, from the median extent (its thin side may face us)."""
    depth = np.where(in_view, view.camera_z[:, -1], np.inf)
    extent = np.sort(targets.sizes, axis=1)[:, 1]
    with np.errstate(divide='ignore', invalid='ignore'):
        return np.where(depth > 0, model.focal_px * extent / depth, 0.0)


class _Evidence(NamedTuple):
    """What blocks the in-view objects: arrays over the rows asked for."""

    blocked_share: Array
    seen_through: Mask
    occluder: NDArray[np.int32]

    @classmethod
    def gather(
        cls,
        view: _View,
        rows: NDArray[np.intp],
        frame: CameraFrame,
        preset: VisibilityPreset,
        caster: RayCaster | None,
    ) -> _Evidence:
        """Fuse mesh and depth per point: a valid depth of this moment overrules the mesh."""
        valid = view.valid[rows]
        part = np.full(valid.shape, NO_PART, dtype=np.int32)
        if caster is not None and frame.world_T_camera is not None:
            part = _mesh_hits(
                view.world_p[rows], valid, frame.world_T_camera.translation, preset, caster
            )
        mesh_blocked = part != NO_PART
        blocked, by_depth = mesh_blocked, np.zeros_like(valid)
        seen_through = np.zeros(len(rows), dtype=bool)
        if preset.use_depth and frame.depth_m is not None:
            known, depth_blocked, seen_through = _depth_tests(view, rows, frame.depth_m, preset)
            blocked = np.where(known, depth_blocked, mesh_blocked)
            by_depth = depth_blocked & ~mesh_blocked
        blocked = blocked & valid
        share = blocked.sum(axis=1) / valid.sum(axis=1)
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
    view: _View, rows: NDArray[np.intp], depth_m: NDArray[np.float32], preset: VisibilityPreset
) -> tuple[Mask, Mask, Mask]:
    """
    Test the measured depth at each object's points; gives (known, blocked, seen_through).

    The object's own surface lies between its nearest and farthest point, so only depth in front
    of all of it blocks. That nothing is there is shown only by depth behind all of it over most
    of its inner half, with no surface where it should be: the corners of a box see past what is
    in it. ``known`` and ``blocked`` are (R, P), ``seen_through`` is (R,).
    """
    valid = view.valid[rows]
    pixels = view.pixels[rows]
    z = view.camera_z[rows]
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
    """Depth at the nearest pixels, (R, P); NaN where not valid or not measured."""
    height, width = depth_m.shape
    safe = np.where(valid[..., None], pixels, 0.0)
    u = np.clip(np.rint(safe[..., 0]).astype(np.intp), 0, width - 1)
    v = np.clip(np.rint(safe[..., 1]).astype(np.intp), 0, height - 1)
    return np.where(valid, depth_m[v, u].astype(np.float64), np.nan)


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


def _ambiguous(
    rows: NDArray[np.intp],
    occluder: NDArray[np.int32],
    targets: Targets,
    caster: RayCaster,
    unsure_fixtures: frozenset[str],
) -> NDArray[np.intp]:
    """Rows hidden by the very fixture that holds them, whose doors' state is not known."""
    holders = np.array(targets.fixture_ids, dtype=object)[rows]
    by_part = occluder[rows] >= 0
    blockers = np.array((*caster.part_fixtures, ''), dtype=object)[
        np.where(by_part, occluder[rows], len(caster.part_fixtures))
    ]
    unsure = np.isin(holders.astype(str), sorted(unsure_fixtures))
    ambiguous: NDArray[np.intp] = rows[by_part & unsure & (holders == blockers)]
    return ambiguous
