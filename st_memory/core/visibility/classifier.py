"""Classify all remembered objects against one camera frame: cull, cast, measure, decide."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import axis_aligned_nine_points, CameraModel, RigidTransform
from st_memory.core.ports import RayCaster
from st_memory.core.records import CameraFrame, Visibility
from st_memory.core.visibility.evidence import Evidence
from st_memory.core.visibility.presets import VisibilityPreset
from st_memory.core.visibility.verdicts import Cause, NO_OCCLUDER, Targets, Verdicts
from st_memory.core.visibility.view import project_points, View

__all__ = ['classify']

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


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
        All UNKNOWN with cause ``no_pose`` when the frame has no pose. In view, but with no depth
        measured at any point and no scene to cast rays into: UNKNOWN, ``invalid_depth``. With
        neither a scene nor a depth image to use, nothing can show an obstacle at all, and
        VISIBLE says only that the object lies in the image.

    References
    ----------
    .. [1] Beyond3D (2026), sec. 4.1 (in view, occlusion) and 10.2 (fixture ambiguity).

    """
    count = len(targets.centres)
    if frame.world_T_camera is None:
        return _unknown(count)
    view = _project(targets, frame.model, frame.world_T_camera, preset)
    centre_p = view.camera_p[:, -1]
    centre_range = np.sqrt(np.einsum('ij,ij->i', centre_p, centre_p))
    num_valid = view.valid.sum(axis=1).astype(np.int32)
    within_range = centre_range <= preset.max_range_m
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
        evidence = Evidence.gather(view.of(rows), frame, preset, caster)
        blocked_share[rows] = evidence.blocked_share
        seen_through[rows] = evidence.seen_through
        if preset.use_depth and frame.depth_m is not None:
            blind = rows[np.isnan(evidence.blocked_share)]
            geometry[blind], cause[blind] = Visibility.UNKNOWN, Cause.INVALID_DEPTH
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
        range_m=centre_range,
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


def _project(
    targets: Targets, model: CameraModel, world_T_camera: RigidTransform, preset: VisibilityPreset
) -> View:
    """Project the test points of every object."""
    if preset.in_view_points == 'box':
        world_p = axis_aligned_nine_points(targets.centres, targets.sizes)
    else:
        world_p = targets.centres[:, None, :]
    return project_points(world_p, model, world_T_camera, preset)


def _out_of_view_cause(view: View, within_range: Mask) -> NDArray[np.int8]:
    """Give the first rule that most of the object fails."""
    cause = np.full(len(within_range), Cause.OUTSIDE_VALID_CIRCLE, dtype=np.int8)
    half = view.valid.shape[1] / 2
    cause[view.in_frame.sum(axis=1) <= half] = Cause.OUTSIDE_IMAGE
    cause[(view.camera_p[..., 2] > 0).sum(axis=1) <= half] = Cause.BEHIND_CAMERA
    cause[~within_range] = Cause.BEYOND_RANGE
    return cause


def _pixel_size(view: View, targets: Targets, model: CameraModel, in_view: Mask) -> Array:
    """Larger side of the projection, from the median extent (its thin side may face us)."""
    depth = np.where(in_view, view.camera_p[:, -1, 2], np.inf)
    extent = np.sort(targets.sizes, axis=1)[:, 1]
    with np.errstate(divide='ignore', invalid='ignore'):
        return np.where(depth > 0, model.focal_px * extent / depth, 0.0)


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
