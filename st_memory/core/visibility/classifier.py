"""Classify all remembered objects against one camera frame: cull, cast, measure, decide."""

from __future__ import annotations

from collections.abc import Mapping
import math
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import Box3D
from st_memory.core.ports import RayCaster
from st_memory.core.records import CameraFrame, Visibility
from st_memory.core.visibility.evidence import Evidence, name_occluders
from st_memory.core.visibility.holders import Holders
from st_memory.core.visibility.presets import VisibilityPreset
from st_memory.core.visibility.targets import Targets
from st_memory.core.visibility.verdicts import Cause, DEPTH_OCCLUDER, Looked, Verdicts
from st_memory.core.visibility.view import cull, Eye, points_of, Rows, validity_of

__all__ = ['classify']

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Objects that are looked at in one go: their rays and points stay in the second-level cache.
_SEEN_AT_ONCE = 1024
_NONE: Mapping[str, Box3D] = MappingProxyType({})
_CAUSE_OF_AHEAD = np.array([Cause.BEHIND_CAMERA, Cause.OUTSIDE_IMAGE], dtype=np.int8)


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
        Camera model and pose of one stamp, with depth and the mask of the own body as far as
        there are any.
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
        With neither a scene nor a depth image to use, nothing can show an obstacle but the own
        body, and VISIBLE says only that the object lies in the image.

    References
    ----------
    .. [1] Beyond3D (2026), sec. 4.1 (in view, occlusion) and 10.2 (fixture ambiguity).

    """
    count = len(targets.centres)
    if frame.world_T_camera is None:
        return Verdicts.unknown(count, Cause.NO_POSE)
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
        self._sight = sight = cull(targets, eye)
        self._rows = sight.rows
        self._geometry = np.full(len(sight.is_ahead), Visibility.OUT_OF_VIEW, dtype=np.int8)
        # Of nine points most lie behind the camera just when the middle one does.
        self._cause = _CAUSE_OF_AHEAD[sight.is_ahead.view(np.int8)]
        self._out = Looked.blank(sight.rows)

    def judge(
        self,
        unsure_fixtures: Mapping[str, Box3D],
        before: NDArray[np.int8] | None,
        names_occluders: bool,
    ) -> Verdicts:
        """Write all verdicts; arguments as in :func:`classify`."""
        holders = Holders.of(self._targets, unsure_fixtures, self._eye.preset)
        for start in range(0, len(self._rows), _SEEN_AT_ONCE):
            rows = self._rows[start : start + _SEEN_AT_ONCE]
            last = None if before is None else before[rows]
            offset = points_of(self._targets, rows, self._eye)
            valid, seen = self._project(start, rows, offset, last)
            if len(seen):
                last = None if last is None else last[seen]
                self._test(
                    start + seen,
                    offset.take(seen, axis=2),
                    valid.take(seen, axis=1).T,
                    last,
                    holders,
                    names_occluders,
                )
        return Verdicts(self._geometry, self._cause, self._out)

    def _project(
        self, start: int, rows: Rows, offset: Array, last: NDArray[np.int8] | None
    ) -> tuple[Mask, Rows]:
        """Write what projection says; gives the valid points (P, M) and what is in view."""
        out, preset, num_points = self._out, self._eye.preset, offset.shape[1]
        block = slice(start, start + len(rows))
        centres = self._eye.camera_p(offset[:, -1])
        np.sqrt(np.add.reduce(centres * centres, axis=0), out=out.range_m[block])
        in_view = self._sight.is_whole[block]
        valid = np.empty(offset.shape[1:], dtype=bool)
        valid[:] = in_view
        num_valid = in_view * np.int32(num_points)
        cut = np.flatnonzero(~in_view)
        if len(cut):
            points = offset.take(cut, axis=2)
            in_frame, counted = validity_of(
                self._targets, rows[cut], points, self._sight, self._eye
            )
            valid[:, cut] = counted
            num_valid[cut] = np.add.reduce(counted, axis=0, dtype=np.int32)
            in_view[cut] = num_valid[cut] >= self._least(num_points, last, cut)
            if preset.min_in_view_share == 0.0:  # any part will do, be it between the points
                in_view[cut] |= _overlaps(self._eye.pixels(self._eye.camera_p(points)), self._eye)
            if counted is not in_frame:  # a fisheye's circle cuts what the rectangle holds
                is_round = 2 * np.add.reduce(in_frame, axis=0, dtype=np.int32) > num_points
                self._cause[rows[cut[is_round]]] = Cause.OUTSIDE_VALID_CIRCLE
        is_far = out.range_m[block] > preset.max_range_m
        if is_far.any():
            in_view &= ~is_far
            self._cause[rows[is_far]] = Cause.BEYOND_RANGE
        out.in_view_points[block] = num_valid
        seen = np.flatnonzero(in_view)
        which = rows[seen]
        self._geometry[which], self._cause[which] = Visibility.VISIBLE, Cause.IN_VIEW
        out.pixel_size[start + seen] = self._pixel_size(which, centres[2, seen])
        return valid, seen

    def _least(self, num_points: int, last: NDArray[np.int8] | None, which: Rows) -> float | Array:
        """Give how many valid points put some objects in view."""
        preset = self._eye.preset
        least = max(1.0, math.ceil(preset.min_in_view_share * num_points))
        if last is None or not preset.hysteresis_points:
            return least
        was_out = (last == Visibility.OUT_OF_VIEW) | (last == Visibility.UNKNOWN)
        return np.where(was_out[which], least, max(1.0, least - preset.hysteresis_points))

    def _pixel_size(self, rows: Rows, depth: Array) -> Array:
        """Larger side of the projection, from the median extent (its thin side may face us)."""
        x, y, z = self._targets.sizes.take(rows, axis=0).T
        extent = np.maximum(np.minimum(x, y), np.minimum(np.maximum(x, y), z))
        size = np.zeros(len(rows))
        np.divide(self._eye.model.focal_px * extent, depth, out=size, where=depth > 0.0)
        return size

    def _test(
        self,
        at: Rows,
        offset: Array,
        valid: Mask,
        last: NDArray[np.int8] | None,
        holders: Holders | None,
        names_occluders: bool,
    ) -> None:
        """Write whether objects in view are hidden, and by what; ``at``: places in ``looked``."""
        out, preset, rows = self._out, self._eye.preset, self._rows[at]
        evidence = Evidence.gather(
            offset, valid, self._targets, rows, self._frame, self._eye, self._caster
        )
        share = evidence.blocked_share
        out.blocked_share[at] = share
        if evidence.depth is not None:
            out.visible_share[at] = evidence.depth.free_share
            out.surface_share[at] = evidence.depth.surface_share
            out.seen_through[at] = evidence.depth.seen_through
            blind = rows[evidence.is_blind]
            self._geometry[blind], self._cause[blind] = Visibility.UNKNOWN, Cause.INVALID_DEPTH
        least: float | Array = preset.min_blocked_share
        if last is not None and preset.hysteresis_share > 0.0:
            was_hidden = (last == Visibility.OCCLUDED) | (last == Visibility.AMBIGUOUS_FIXTURE)
            least = np.where(was_hidden, least - preset.hysteresis_share, least)
        is_hidden = share >= least  # false for NaN
        hidden = rows[is_hidden]
        self._geometry[hidden], self._cause[hidden] = Visibility.OCCLUDED, Cause.OCCLUDED_BY
        asked = np.flatnonzero(is_hidden)
        if not names_occluders:
            asked = asked[:0] if holders is None else asked[holders.is_unsure[rows[asked]]]
        if len(asked):
            named = name_occluders(offset, evidence, asked, self._eye, self._caster)
            out.occluder[at[asked]] = named
        if holders is not None:
            parts = self._caster.part_fixtures if self._caster is not None else ()
            found = holders.hide(rows, out.occluder[at], is_hidden, evidence, self._eye, parts)
            self._geometry[rows[found]] = Visibility.AMBIGUOUS_FIXTURE
            self._cause[rows[found]] = Cause.OCCLUDED_BY
            beside = found[~is_hidden[found]]
            out.occluder[at[beside]] = DEPTH_OCCLUDER


def _overlaps(pixels: Array, eye: Eye) -> Mask:
    """Whether the rectangle around each projection meets the image; open where unknown."""
    meets = np.ones(pixels.shape[1], dtype=bool)
    for axis, size in ((0, eye.model.width), (1, eye.model.height)):
        at = pixels[..., axis]
        with np.errstate(invalid='ignore'):
            outside = (at.min(axis=0) >= size - 0.5) | (at.max(axis=0) < -0.5)  # NaN: false
        meets &= ~outside
    return meets
