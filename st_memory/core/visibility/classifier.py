"""Classify all remembered objects against one camera frame: cull, cast, measure, decide."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import Box3D
from st_memory.core.ports import RayCaster
from st_memory.core.records import CameraFrame, Visibility
from st_memory.core.visibility.evidence import Evidence, name_occluders
from st_memory.core.visibility.holders import Holders
from st_memory.core.visibility.presets import VisibilityPreset
from st_memory.core.visibility.verdicts import Cause, Targets, Verdicts
from st_memory.core.visibility.view import cull, Eye, look_at, Rows, View

__all__ = ['classify']

Array = NDArray[np.float64]

# Objects that are looked at in one go: their rays and points stay in the second-level cache.
_SEEN_AT_ONCE = 1024
_NONE: Mapping[str, Box3D] = MappingProxyType({})
_HIDDEN = (Visibility.OCCLUDED, Visibility.AMBIGUOUS_FIXTURE)


def classify(
    targets: Targets,
    frame: CameraFrame,
    preset: VisibilityPreset,
    caster: RayCaster | None = None,
    unsure_fixtures: Mapping[str, Box3D] = _NONE,
    *,
    before: NDArray[np.int8] | None = None,
    name_occluders: bool = True,
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
    unsure_fixtures : mapping of str to Box3D
        Containers whose doors' state is not known at this stamp, with their boxes when shut.
    before : (N,) int8, optional
        ``Visibility`` that geometry gave at this camera's last look, UNKNOWN for none: the
        preset's hysteresis keeps a verdict that has hardly changed.
    name_occluders : bool
        Find out which part hides each hidden object; without it only what the fixture rule needs
        is found out, which halves the cost of what is in view.

    Returns
    -------
    Verdicts
        All UNKNOWN with cause ``no_pose`` when the frame has no pose. In view, but with no depth
        measured on any line of sight and no scene to cast rays into: UNKNOWN, ``invalid_depth``.
        With neither a scene nor a depth image to use, nothing can show an obstacle at all, and
        VISIBLE says only that the object lies in the image.

    References
    ----------
    .. [1] Beyond3D (2026), sec. 4.1 (in view, occlusion) and 10.2 (fixture ambiguity).

    """
    count = len(targets.centres)
    if frame.world_T_camera is None:
        return Verdicts.blank(count, Visibility.UNKNOWN, Cause.NO_POSE)
    pose = frame.world_T_camera
    return _Look(targets, frame, Eye(frame.model, pose, pose.rotation, preset), caster).judge(
        unsure_fixtures, before, name_occluders
    )


class _Look:
    """One classification in progress."""

    def __init__(
        self, targets: Targets, frame: CameraFrame, eye: Eye, caster: RayCaster | None
    ) -> None:
        self._targets, self._frame, self._eye, self._caster = targets, frame, eye, caster
        self._out = Verdicts.blank(
            len(targets.centres), Visibility.OUT_OF_VIEW, Cause.OUTSIDE_IMAGE
        )

    def judge(
        self,
        unsure_fixtures: Mapping[str, Box3D],
        before: NDArray[np.int8] | None,
        names_occluders: bool,
    ) -> Verdicts:
        """Write all verdicts; arguments as in :func:`classify`."""
        out, sight = self._out, cull(self._targets, self._eye)
        out.range_m[:] = sight.range_m
        # Of nine points most lie behind the camera just when the middle one does.
        out.cause[~sight.is_ahead] = Cause.BEHIND_CAMERA
        out.cause[sight.range_m > self._eye.preset.max_range_m] = Cause.BEYOND_RANGE
        holders = Holders.of(self._targets, unsure_fixtures, self._eye.preset)
        for start in range(0, len(sight.rows), _SEEN_AT_ONCE):
            rows = sight.rows[start : start + _SEEN_AT_ONCE]
            last = None if before is None else before[rows]
            view = look_at(self._targets, sight, rows, self._eye)
            in_view = self._project(rows, view, last)
            if in_view.any():
                last = None if last is None else last[in_view]
                self._test(rows[in_view], view.of(in_view), last, holders, names_occluders)
        return out

    def _project(self, rows: Rows, view: View, last: NDArray[np.int8] | None) -> NDArray[np.bool_]:
        """Write what projection says of some objects; gives which of them are in view."""
        out, preset, num_points = self._out, self._eye.preset, view.valid.shape[1]
        num_valid = view.valid.sum(axis=1, dtype=np.int32)
        least = np.ceil(preset.min_in_view_share * num_points)
        if last is not None and preset.hysteresis_points:
            was_out = (last == Visibility.OUT_OF_VIEW) | (last == Visibility.UNKNOWN)
            least = np.where(was_out, least, least - preset.hysteresis_points)
        in_view: NDArray[np.bool_] = (num_valid >= least) & (num_valid > 0)
        if preset.min_in_view_share == 0.0:  # any part will do, be it between the points
            in_view |= _overlaps(view, self._eye)
        out.in_view_points[rows] = num_valid
        out.pixels[rows] = view.pixels[:, -1]
        # A fisheye's circle cuts what the rectangle holds.
        cut = rows[~in_view & (2 * view.in_frame.sum(axis=1) > num_points)]
        out.cause[cut] = Cause.OUTSIDE_VALID_CIRCLE
        seen = rows[in_view]
        out.geometry[seen], out.cause[seen] = Visibility.VISIBLE, Cause.IN_VIEW
        out.pixel_size[seen] = self._pixel_size(seen, view.camera_p[in_view, -1, 2])
        return in_view

    def _pixel_size(self, rows: Rows, depth: Array) -> Array:
        """Larger side of the projection, from the median extent (its thin side may face us)."""
        extent = np.sort(self._targets.sizes[rows], axis=1)[:, 1]
        size = np.zeros(len(rows))
        np.divide(self._eye.model.focal_px * extent, depth, out=size, where=depth > 0.0)
        return size

    def _test(
        self,
        rows: Rows,
        view: View,
        last: NDArray[np.int8] | None,
        holders: Holders | None,
        names_occluders: bool,
    ) -> None:
        """Write whether objects in view are hidden, and by what."""
        out, preset = self._out, self._eye.preset
        evidence = Evidence.gather(view, self._targets, rows, self._frame, self._eye, self._caster)
        share = evidence.blocked_share
        out.blocked_share[rows] = share
        if evidence.depth is not None:
            out.visible_share[rows] = 1.0 - evidence.depth.blocked_share
            out.surface_share[rows] = evidence.depth.surface_share
            out.seen_through[rows] = evidence.depth.seen_through
            blind = rows[np.isnan(share)]
            out.geometry[blind], out.cause[blind] = Visibility.UNKNOWN, Cause.INVALID_DEPTH
        least: float | Array = preset.min_blocked_share
        if last is not None and preset.hysteresis_share > 0.0:
            least = np.where(np.isin(last, _HIDDEN), least - preset.hysteresis_share, least)
        with np.errstate(invalid='ignore'):
            is_hidden = share >= least
        hidden = rows[is_hidden]
        out.geometry[hidden], out.cause[hidden] = Visibility.OCCLUDED, Cause.OCCLUDED_BY
        unsure = None if holders is None else holders.is_unsure[rows]
        asked = np.flatnonzero(is_hidden)
        if not names_occluders:
            asked = asked[:0] if unsure is None else asked[unsure[asked]]
        if len(asked):
            out.occluder[rows[asked]] = name_occluders(
                view, evidence, asked, self._eye, self._caster
            )
        if holders is not None:
            parts = self._caster.part_fixtures if self._caster is not None else ()
            mine = rows[
                holders.hide(rows, out.occluder[rows], is_hidden, evidence, self._eye, parts)
            ]
            out.geometry[mine], out.cause[mine] = Visibility.AMBIGUOUS_FIXTURE, Cause.OCCLUDED_BY


def _overlaps(view: View, eye: Eye) -> NDArray[np.bool_]:
    """Whether the rectangle around an object's projection meets the image; open where unknown."""
    meets = np.ones(len(view.pixels), dtype=bool)
    for axis, size in ((0, eye.model.width), (1, eye.model.height)):
        at = view.pixels[..., axis]
        with np.errstate(invalid='ignore'):
            outside = (at.min(axis=1) >= size - 0.5) | (at.max(axis=1) < -0.5)  # NaN: false
        meets &= ~outside
    return meets
