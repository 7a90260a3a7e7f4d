"""From verdicts and matches to states, and from states to run-length intervals."""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.memory.absence import AbsenceEvidence
from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.camera_log import CameraLog
from st_memory.core.memory.fusion import Fusion, Key
from st_memory.core.memory.judgement import Judgement, judgements
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.table import ObjectTable, Rows
from st_memory.core.memory.track import Track
from st_memory.core.memory.view import View
from st_memory.core.records import CameraFrame, LifeCycle, Visibility
from st_memory.core.visibility import Cause, Verdicts, VisibilityPreset

__all__ = ['JudgedLook', 'LookRecorder']


Mask = NDArray[np.bool_]

_VISIBLE = int(Visibility.VISIBLE)


class JudgedLook(NamedTuple):
    """What one look of one camera said of the N objects that have a place."""

    object_ids: tuple[str, ...]
    verdicts: Verdicts


class LookRecorder:
    """Applies one camera's verdicts to the tracks; keeps what changed only."""

    def __init__(
        self, settings: MemorySettings, preset: VisibilityPreset, part_names: tuple[str, ...]
    ) -> None:
        self._preset = preset
        self._absence = AbsenceEvidence(settings)
        self._fusion = Fusion(settings, preset, part_names, self._absence)

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
        asked = np.flatnonzero(~is_quiet)
        tracks = [table.tracks[row] for row in rows[asked].tolist()]
        for track, judged in zip(tracks, judgements(verdicts, expected, asked), strict=True):
            hit = track in matched
            if not hit and self._fusion.goes_on(track, track.views.get(frame.camera_id), judged):
                continue
            if hit or judged.is_expected:
                self._absence.count(track, judged, frame, hit=hit, out=out)
            self._update(track, judged, hit, frame, log, out)

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
                state, why = Visibility.ABSENT, self._absence.why(track)
            key = Key(int(state), int(Visibility.UNKNOWN), why.text(), '')
            before = track.views.get(frame.camera_id)
            view = self._switch(track, frame.camera_id, key, log, out)
            view.run_confirmed = before is not None and before.run_confirmed

    def _update(
        self,
        track: Track,
        judged: Judgement,
        hit: bool,
        frame: CameraFrame,
        log: CameraLog,
        out: DeltaBuilder,
    ) -> None:
        """Switch the interval of one track if its verdict changed."""
        view = track.views.get(frame.camera_id)
        run_confirmed, since_match = self._fusion.run_of(view, judged.geometry, hit)
        key = self._fusion.key(
            track, judged, hit, run_confirmed, since_match, frame.detections is not None
        )
        if view is None or (view.run_confirmed, view.since_match) != (run_confirmed, since_match):
            out.touched.add(track.object_id)  # a restart must find it so
        view = self._switch(track, frame.camera_id, key, log, out)
        view.run_confirmed, view.since_match = run_confirmed, since_match
        if hit:
            view.confirmed += 1
        if hit or key.state == _VISIBLE:
            track.last_visible_ns = out.stamp_ns
            out.touched.add(track.object_id)

    def _switch(
        self,
        track: Track,
        camera_id: str,
        key: Key,
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
