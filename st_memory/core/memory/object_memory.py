"""The fold: one frame in, everything it changes out; deterministic, no clock, no I/O."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from st_memory.core.memory.absence import absence_proven
from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.camera_log import CameraLog
from st_memory.core.memory.carrying import carry_over
from st_memory.core.memory.doubts import Doubts
from st_memory.core.memory.edits import Editor
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.identity import IdentityKeeper
from st_memory.core.memory.looks import JudgedLook, LookRecorder
from st_memory.core.memory.motion import MotionModel
from st_memory.core.memory.moving_parts import MovingParts
from st_memory.core.memory.places import Places
from st_memory.core.memory.reports import Reporter
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.sightings import Sighter
from st_memory.core.memory.table import targets_of
from st_memory.core.memory.track import Track
from st_memory.core.memory.track_text import TrackWriter
from st_memory.core.ports import Checkpoint, RayCaster
from st_memory.core.records import (
    BASE_LOOK,
    CameraFrame,
    CameraLook,
    Edit,
    FrameDelta,
    Scene,
    SensedFrame,
    Visibility,
)
from st_memory.core.stamps import Moment
from st_memory.core.visibility import Cause, classify, preset_named, VisibilityPreset

__all__ = ['ObjectMemory']


class ObjectMemory:
    """
    The object memory of one place.

    Parameters
    ----------
    settings : MemorySettings
        Numbers of the fold.
    scene : Scene, optional
        Fixtures and meshes.
    caster : RayCaster, optional
        The scene's meshes for occlusion; None when there are none.
    checkpoint : Checkpoint, optional
        Where an earlier run of the same memory left off; going on from it gives the same result
        as never having stopped.
    visibility : VisibilityPreset, optional
        Rules of the visibility verdict; by default those that ``settings`` names.

    """

    def __init__(
        self,
        settings: MemorySettings,
        scene: Scene | None = None,
        caster: RayCaster | None = None,
        checkpoint: Checkpoint | None = None,
        visibility: VisibilityPreset | None = None,
    ) -> None:
        self._settings = settings
        self._preset = visibility or preset_named(settings.visibility_preset)
        scene = scene or Scene()
        self._caster = caster
        self._places = places = Places(scene, settings.fixture_reach_m, caster)
        self._parts = MovingParts(scene, places, caster)
        part_names = caster.part_names if caster is not None else ()
        self._motion = MotionModel(settings, places)
        self._reporter = Reporter(settings, self._motion)
        self._sighter = Sighter(settings, self._motion, places)
        self._looks = LookRecorder(settings, self._preset, part_names)
        self._identity = IdentityKeeper(settings, self._motion, self._looks, places)
        self._editor = Editor(settings, self._motion, self._looks)
        self._doubts = Doubts(settings)
        self._now: Moment | None = None
        self._seq = 0
        self._writer = TrackWriter()
        self._judged: dict[str, JudgedLook] = {}
        self._state = FoldState(settings)
        if checkpoint is not None:
            self._now = Moment(checkpoint.frame.epoch, checkpoint.frame.stamp_ns)
            self._seq = checkpoint.frame.seq + 1
            self._state = FoldState.restored(settings, checkpoint)

    @property
    def now(self) -> Moment | None:
        """Moment of the last frame; None before the first."""
        return self._now

    @property
    def counters(self) -> Mapping[str, int]:
        """What happened to the detections of this epoch, by outcome."""
        return {name: n for name, n in sorted(self._state.counts.items()) if n}

    @property
    def on_probation(self) -> Mapping[str, int]:
        """Matches, by label, of what has not been seen often enough to be an object; the most."""
        waiting: dict[str, int] = {}
        for candidate in self._state.pool.candidates:
            count = max(waiting.get(candidate.label, 0), candidate.num_observations)
            waiting[candidate.label] = count
        return waiting

    @property
    def looks(self) -> Mapping[str, JudgedLook]:
        """What geometry and depth said in the last frame, by camera that looked in it."""
        return self._judged

    def refusal(self, edit: Edit) -> str:
        """
        Say why an edit cannot be done now; '' when it can.

        A frame that brings such an edit leaves it out and counts it.
        """
        return self._editor.refusal(self._state, edit)

    def integrate(self, frame: SensedFrame) -> FrameDelta:
        """
        Fold one frame into the memory.

        Parameters
        ----------
        frame : SensedFrame
            Must come after the last one: a later epoch, or a later stamp in the same.

        Returns
        -------
        FrameDelta
            Everything the frame changed, for one store transaction.

        Raises
        ------
        ValueError
            If the frame is not after the last one.

        """
        moment = Moment(frame.epoch, frame.stamp_ns)
        if self._now is not None and moment <= self._now:
            raise ValueError(f'frame: expected a moment after {self._now}, got {moment}')
        before, before_epoch = self._state, None if self._now is None else self._now.epoch
        if self._now is not None and frame.epoch > self._now.epoch:
            self._state = FoldState(self._settings)  # evidence is never mixed between epochs
        out = DeltaBuilder(frame.epoch, frame.stamp_ns)
        self._judged = {}
        self._parts.pose(self._state, frame, out)
        if frame.rebase is not None:
            self._state = carry_over(
                before,
                before_epoch,
                frame.rebase,
                self._settings,
                self._editor.unions,
                self._places,
                out,
            )
        self._editor.apply(self._state, frame.edits, out)
        for movement in frame.movements:
            if movement.end_ns is None:
                self._reporter.moved(self._state, movement, out)
        placed = [
            self._reporter.positioned(self._state, seen, out) for seen in frame.world_detections
        ]
        self._parts.attach(
            self._state, {track for track in placed if track is not None}, frame, out
        )
        if not self._preset.closed_movements:
            self._end_movements(frame, out)
        if frame.cameras:
            self._integrate_cameras(frame, out)
        if self._preset.closed_movements:
            self._end_movements(frame, out)
        self._conclude(out)
        cameras = self._state.recent_cameras(frame.stamp_ns)
        out.touched |= self._state.no_longer_seen_by(cameras)
        delta = out.build(
            self._state.tracks, cameras, self._seq, self._state.to_json(), self._writer
        )
        self._seq += 1
        self._now = moment
        return delta

    def _end_movements(self, frame: SensedFrame, out: DeltaBuilder) -> None:
        for movement in frame.movements:
            if movement.end_ns is not None:
                self._reporter.moved(self._state, movement, out)

    def _integrate_cameras(self, frame: SensedFrame, out: DeltaBuilder) -> None:
        """Associate and judge, camera by camera."""
        if frame.world_T_base is not None:
            out.look(CameraLook(BASE_LOOK, frame.epoch, frame.stamp_ns, frame.world_T_base))
        for camera in frame.cameras:
            out.look(
                CameraLook(
                    camera.camera_id,
                    frame.epoch,
                    frame.stamp_ns,
                    camera.world_T_camera,
                    camera.detections is not None,
                )
            )
            log = self._state.logs.setdefault(camera.camera_id, CameraLog())
            if log.begin(frame.stamp_ns, camera.world_T_camera, self._settings):
                self._state.doubt_poses(log.doubt_until_ns)
            matched = self._sighter.sight(self._state, camera, out)
            self._state.refresh(out.touched, out.stamp_ns)
            matched |= self._identity.reconcile(self._state, matched, out)
            self._parts.attach(self._state, matched, frame, out)
            self._judge(camera, matched, log, out)
            log.looks += 1
            log.last_ns = frame.stamp_ns

    def _judge(
        self,
        camera: CameraFrame,
        matched: set[Track],
        log: CameraLog,
        out: DeltaBuilder,
    ) -> None:
        """Decide for every object whether this camera can see it."""
        table = self._state.refresh(out.touched, out.stamp_ns)
        if camera.world_T_camera is None:
            self._looks.unseen(table, table.is_live, Cause.NO_POSE, camera, log, out)
            return
        lost = table.is_live & ~table.is_located
        self._looks.unseen(table, lost, Cause.NOT_YET_LOCATED, camera, log, out)
        rows = np.flatnonzero(table.is_live & table.is_located)
        candidates = self._state.pool.candidates
        if not len(rows) and not candidates:
            return
        # Together: a second look for a few things on probation would cost a third of the first.
        targets, before = table.targets(rows), table.views(camera.camera_id).geometry[rows]
        if candidates:
            targets = targets.joined(targets_of(candidates, out.stamp_ns))
            before = np.append(before, np.full(len(candidates), Visibility.UNKNOWN, np.int8))
        verdicts, of_candidates = classify(
            targets, camera, self._preset, self._caster, self._places.unsure, before=before
        ).split(len(rows))
        if len(rows):
            self._judged[camera.camera_id] = JudgedLook(table.ids(rows), verdicts)
            self._looks.apply(table, rows, verdicts, matched, camera, log, out)
        self._state.pool.count(self._looks.expected(of_candidates, camera, log), matched)

    def _conclude(self, out: DeltaBuilder) -> None:
        """Draw what follows from absence and from the passing of time."""
        self._doubts.settle(self._state, out)
        table = self._state.refresh(out.touched, out.stamp_ns)
        for track in table.some(table.is_moving | table.is_doubtful):
            if track.in_motion:
                self._motion.expire(track, out)
            elif absence_proven(track, out.stamp_ns, self._settings):
                self._motion.vanish(track, out)
        self._state.counts['candidates_dropped'] += self._state.pool.drop_stale(out.stamp_ns)
