"""From verdicts and matches to states, and from states to run-length intervals."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.table import ObjectTable, Rows
from st_memory.core.memory.track import Track, View
from st_memory.core.records import CameraFrame, LifeCycle, Visibility
from st_memory.core.stamps import NS_PER_S
from st_memory.core.visibility import Cause, Verdicts, VisibilityPreset
from st_memory.core.visibility.verdicts import DEPTH_OCCLUDER, SELF_OCCLUDER

__all__ = ['CameraLog', 'JudgedLook', 'LookRecorder', 'absence_proven']


Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_UNJUDGED = int(Visibility.UNKNOWN)
# However well a detector has done, it may fail once in twenty.
_MAX_HIT_RATE = 0.95
# With less of the surface that was measured in its box than this share, its surface has gone.
_GONE_SHARE = 0.6
# Nothing worth mentioning is in the way from here on.
_CLEAR_SHARE = 0.9
# What a miss is worth beside a surface that is as it was.
_SAME_SURFACE = 0.5


class JudgedLook(NamedTuple):
    """What one look of one camera said of the N objects that have a place."""

    object_ids: tuple[str, ...]
    verdicts: Verdicts


@dataclass
class CameraLog:
    """How often a camera has looked, and when and from where last."""

    looks: int = 0
    last_ns: int | None = None
    now_ns: int = 0  # of the look in progress
    pose: list[float] = field(default_factory=list)  # of the last look that had one; xyz, xyzw
    pose_ns: int | None = None
    doubt_until_ns: int | None = None

    def doubts_pose_at(self, stamp_ns: int) -> bool:
        """Whether the pose has jumped a moment ago."""
        return self.doubt_until_ns is not None and stamp_ns < self.doubt_until_ns

    def begin(self, stamp_ns: int, pose: RigidTransform | None, settings: MemorySettings) -> bool:
        """
        Take in where a look is from; gives whether it jumped there.

        A map that is corrected moves the camera farther than anyone carries it. For a while
        after, what is not found where it should be may be where it was.
        """
        self.now_ns = stamp_ns
        if pose is None:
            return False
        jumped = False
        if self.pose_ns is not None:
            before = RigidTransform(np.array(self.pose[:3]), np.array(self.pose[3:]))
            shift_m, turn_rad = before.distance_to(pose)
            elapsed_s = (stamp_ns - self.pose_ns) / NS_PER_S
            jumped = (
                shift_m > settings.pose_jump_m + settings.max_speed_mps * elapsed_s
                or turn_rad > settings.pose_jump_rad + settings.max_turn_radps * elapsed_s
            )
        if jumped:
            self.doubt_until_ns = stamp_ns + int(settings.pose_doubt_s * NS_PER_S)
        self.pose = [*pose.translation.tolist(), *pose.quat_xyzw.tolist()]
        self.pose_ns = stamp_ns
        return jumped


class LookRecorder:
    """Applies one camera's verdicts to the tracks; keeps what changed only."""

    def __init__(
        self, settings: MemorySettings, preset: VisibilityPreset, part_names: tuple[str, ...]
    ) -> None:
        self._settings = settings
        self._preset = preset
        self._part_names = part_names

    def expected(self, verdicts: Verdicts, frame: CameraFrame, log: CameraLog) -> Mask:
        """
        Where a working detector should have found the object: (N,) bool.

        Nowhere while the detector is silent or the pose has just jumped: then a thing that is
        not found shows nothing about the thing.
        """
        if frame.detections is None or log.doubts_pose_at(log.now_ns):
            return np.zeros(len(verdicts.geometry), dtype=bool)
        big_enough = verdicts.pixel_size >= self._preset.min_pixel_size
        expected: Mask = (verdicts.geometry == Visibility.VISIBLE) & big_enough
        return expected

    def apply(
        self,
        table: ObjectTable,
        rows: Rows,
        verdicts: Verdicts,
        matched: Set[Track],
        frame: CameraFrame,
        log: CameraLog,
        out: DeltaBuilder,
    ) -> None:
        """
        Bring every track's view of this camera up to date.

        Most remembered things are out of view and stay so: they are passed over all at once.

        Parameters
        ----------
        table : ObjectTable
            All objects.
        rows : (R,) intp
            The located ones, in the order of the verdicts.
        verdicts : Verdicts
            What geometry and depth say.
        matched : set of Track
            Those with a matching detection in this frame.
        frame : CameraFrame
            The look.
        log : CameraLog
            Looks of this camera before this one.
        out : DeltaBuilder
            Receives opened and closed intervals.

        """
        expected = self.expected(verdicts, frame, log)
        last = table.views(frame.camera_id)
        is_quiet = (
            (verdicts.geometry == Visibility.OUT_OF_VIEW)
            & (last.state[rows] == Visibility.OUT_OF_VIEW)
            & (last.cause[rows] == verdicts.cause)
            & table.is_steady[rows]
        )
        is_hit = np.zeros(len(table.tracks), dtype=bool)
        is_hit[table.rows_of(matched)] = True
        is_quiet &= ~is_hit[rows]
        for i in np.flatnonzero(~is_quiet).tolist():
            track = table.tracks[rows[i]]
            hit = track in matched
            if hit or expected[i]:
                self._count(track, i, verdicts, frame, hit=hit, out=out)
            self._update(track, i, verdicts, hit, frame, log, out)

    def unseen(
        self,
        table: ObjectTable,
        which: Mask,
        cause: Cause,
        frame: CameraFrame,
        log: CameraLog,
        out: DeltaBuilder,
    ) -> None:
        """Record a look that could not judge some objects, (N,) bool, for one common reason."""
        last = table.views(frame.camera_id)
        is_quiet = (last.state == Visibility.UNKNOWN) & (last.cause == cause) & table.is_steady
        for track in table.some(which & ~is_quiet):
            state, why = Visibility.UNKNOWN, cause
            if track.in_motion:  # known without looking
                state, why = Visibility.IN_MOTION, Cause.IN_MOTION
            elif track.life_cycle == LifeCycle.ABSENT:
                state, why = Visibility.ABSENT, self._why_absent(track)
            key = (int(state), _UNJUDGED, why.text(), '')
            before = track.views.get(frame.camera_id)
            view = self._switch(track, frame.camera_id, key, log, out)
            view.run_confirmed = before is not None and before.run_confirmed

    def _count(
        self,
        track: Track,
        i: int,
        verdicts: Verdicts,
        frame: CameraFrame,
        *,
        hit: bool,
        out: DeltaBuilder,
    ) -> None:
        """Keep the evidence for existence and absence."""
        track.expected_looks += 1
        out.touched.add(track.object_id)
        surface = float(verdicts.surface_share[i])
        if hit:
            track.refine_surface(surface)
            return
        track.misses += 1
        if track.in_motion:
            return
        visible_share = float(verdicts.visible_share[i])
        is_free = visible_share >= self._settings.absence_free_share  # false for NaN
        # Where something hides a part of it, less of its surface shows though it is there.
        has_gone = visible_share >= _CLEAR_SHARE and surface < _GONE_SHARE * track.surface
        if verdicts.seen_through[i] or has_gone:
            track.absent_looks += 1
        elif is_free and self._is_fresh_miss(track, frame):
            track.free_misses += _SAME_SURFACE
        else:
            return
        if track.absent_since_ns is None:
            track.absent_since_ns = out.stamp_ns
        track.absent_until_ns = out.stamp_ns

    def _is_fresh_miss(self, track: Track, frame: CameraFrame) -> bool:
        """
        Whether a miss with a free way to the thing adds to the earlier ones.

        A detector that fails once fails again from the same place.
        """
        place = track.position
        if place is None or frame.world_T_camera is None:
            return False
        eye = frame.world_T_camera.translation
        seen_from = np.array(track.missed_from).reshape(-1, 3)
        if self._is_known_view(place, eye, seen_from):
            return False
        track.missed_from.append(eye.tolist())
        return True

    def _is_known_view(self, place: Array, eye: Array, seen_from: Array) -> bool:
        """Whether a place was looked at before from here: from (K, 3) other places, metres."""
        before, now = place - seen_from, place - eye
        shift = before - now
        near = np.einsum('ij,ij->i', shift, shift) < self._settings.fresh_look_m**2
        lengths = np.sqrt(np.einsum('ij,ij->i', before, before) * (now @ now))
        cosine = (before @ now) / np.maximum(lengths, 1e-9)
        return bool((near & (cosine > math.cos(self._settings.fresh_look_rad))).any())

    def _update(
        self,
        track: Track,
        i: int,
        verdicts: Verdicts,
        hit: bool,
        frame: CameraFrame,
        log: CameraLog,
        out: DeltaBuilder,
    ) -> None:
        """Decide the fused state of one track and switch its interval if it changed."""
        geometry = int(verdicts.geometry[i])
        view = track.views.get(frame.camera_id)
        # A look that could not judge (no pose, no depth) neither confirms nor ends a run.
        goes_on = view is not None and _UNJUDGED in (geometry, view.geometry)
        same = view is not None and (goes_on or view.geometry == geometry)
        run_confirmed = hit or (view is not None and same and view.run_confirmed)
        since_match = 0 if hit else self._aged(view, geometry)
        state, cause = self._fuse(
            track,
            geometry,
            hit,
            run_confirmed,
            since_match,
            frame.detections is not None,
            float(verdicts.blocked_share[i]),
        )
        occluder = ''
        if geometry in (Visibility.OCCLUDED, Visibility.AMBIGUOUS_FIXTURE):
            occluder = self._occluder_name(int(verdicts.occluder[i]))
            if geometry == Visibility.AMBIGUOUS_FIXTURE and verdicts.occluder[i] < 0:
                occluder = track.fixture_id  # its own, by a part that the scene does not place
        if cause is None:
            cause = Cause(int(verdicts.cause[i]))
        key = (int(state), geometry, cause.text(occluder), occluder)
        if view is None or (view.run_confirmed, view.since_match) != (run_confirmed, since_match):
            out.touched.add(track.object_id)  # a restart must find it so
        view = self._switch(track, frame.camera_id, key, log, out)
        view.run_confirmed, view.since_match = run_confirmed, since_match
        if hit:
            view.confirmed += 1
        if hit or state == Visibility.VISIBLE:
            track.last_visible_ns = out.stamp_ns
            out.touched.add(track.object_id)

    def _fuse(
        self,
        track: Track,
        geometry: int,
        hit: bool,
        run_confirmed: bool,
        since_match: int | None,
        reported: bool,
        blocked: float,
    ) -> tuple[Visibility, Cause | None]:
        """Geometry x confirmation; None as cause keeps the geometric one."""
        if track.in_motion:
            return Visibility.IN_MOTION, Cause.IN_MOTION
        visible = geometry == Visibility.VISIBLE
        if hit:
            # A detection beats the model: half-hidden things still show pixels.
            return Visibility.VISIBLE, None if visible else Cause.DETECTED
        if track.life_cycle == LifeCycle.ABSENT:
            return Visibility.ABSENT, self._why_absent(track)
        if not visible:
            hidden = geometry in (Visibility.OCCLUDED, Visibility.AMBIGUOUS_FIXTURE)
            sliver = blocked < self._settings.hold_blocked_share  # false for NaN
            held = since_match is not None and since_match <= self._settings.hold_looks
            if hidden and sliver and held:
                return Visibility.VISIBLE, Cause.DETECTED
            return Visibility(geometry), None
        if not self._preset.use_confirmation or run_confirmed:
            return Visibility.VISIBLE, None
        cause = Cause.NOT_DETECTED if reported else Cause.DETECTOR_SILENT
        return Visibility.UNCONFIRMED, cause

    def _why_absent(self, track: Track) -> Cause:
        """Give what a tombstone rests on."""
        was_seen_through = track.absent_looks >= self._settings.absence_looks
        return Cause.SEEN_THROUGH if was_seen_through else Cause.NOT_DETECTED

    def _occluder_name(self, index: int) -> str:
        if index == DEPTH_OCCLUDER:
            return 'depth'
        if index == SELF_OCCLUDER:
            return 'self'
        return self._part_names[index] if index >= 0 else ''

    def _switch(
        self,
        track: Track,
        camera_id: str,
        key: tuple[int, int, str, str],
        log: CameraLog,
        out: DeltaBuilder,
    ) -> View:
        """Close the open interval and open another one unless the verdict is unchanged."""
        view = track.views.get(camera_id)
        if view is not None and (view.state, view.geometry, view.cause, view.occluder) == key:
            return view
        self.close(track, camera_id, log, out)
        state, geometry, cause, occluder = key
        fresh = View(state, geometry, cause, occluder, out.stamp_ns, log.looks)
        track.views[camera_id] = fresh
        out.interval(
            track.object_id,
            camera_id,
            fresh,
            looks_now=log.looks + 1,
            last_frame_ns=out.stamp_ns,
            end_ns=None,
        )
        return fresh

    def _aged(self, view: View | None, geometry: int) -> int | None:
        """Count the looks since the last match, this one too; forgotten once it leaves view."""
        if view is None or view.since_match is None or geometry == Visibility.OUT_OF_VIEW:
            return None
        return min(view.since_match + 1, self._settings.hold_looks + 1)  # more says no more

    def close(self, track: Track, camera_id: str, log: CameraLog, out: DeltaBuilder) -> None:
        """Close the open interval of one camera, if there is one, at this frame."""
        view = track.views.get(camera_id)
        if view is None or log.last_ns is None:
            return
        out.interval(
            track.object_id,
            camera_id,
            view,
            looks_now=log.looks,
            last_frame_ns=log.last_ns,
            end_ns=out.stamp_ns,
        )


def absence_proven(track: Track, stamp_ns: int, settings: MemorySettings) -> bool:
    """
    Whether enough looks over enough time say that it is gone.

    Looks that see through its place, or find most of its surface gone, prove it by their number.
    Where the way to it was free and there is a surface as there was, as over a plate, the
    detector must have missed it from more places than it does by chance, given the share of looks
    at which it found this very object before; and such a miss is worth half.
    """
    if track.absent_since_ns is None or track.absent_until_ns != stamp_ns or track.in_motion:
        return False  # only looks add to their span, not the time after the last of them
    if track.life_cycle != LifeCycle.CONFIRMED:
        return False
    span_ns = stamp_ns - track.absent_since_ns
    if track.absent_looks >= settings.absence_looks and span_ns >= settings.absence_s * NS_PER_S:
        return True
    earlier = track.expected_looks - track.misses
    hit_rate = min(track.num_observations / (earlier + 1), _MAX_HIT_RATE)
    num_missed = track.absent_looks / settings.absence_looks + track.free_misses
    chance = (1.0 - hit_rate) ** num_missed
    is_unlikely = chance <= settings.absence_chance and settings.absence_chance > 0.0
    return is_unlikely and span_ns >= settings.absence_free_s * NS_PER_S
