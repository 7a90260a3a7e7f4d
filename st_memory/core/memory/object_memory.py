"""The fold: one frame in, everything it changes out; deterministic, no clock, no I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
import json
import re
from typing import Any

import numpy as np

from st_memory.core.association import Measurement, localize
from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.candidates import CandidatePool, is_duplicate
from st_memory.core.memory.identity import IdentityKeeper
from st_memory.core.memory.looks import (
    CameraLog,
    LookRecorder,
    absence_proven,
    targets_of,
)
from st_memory.core.memory.matching import match
from st_memory.core.memory.motion import MotionModel
from st_memory.core.memory.places import Places, unsure_fixtures
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track, canonical_json
from st_memory.core.ports import Checkpoint, RayCaster
from st_memory.core.records import (
    CameraFrame,
    CameraLook,
    FrameDelta,
    LifeCycle,
    MovementReport,
    Observation,
    Scene,
    SensedFrame,
    WorldDetection,
)
from st_memory.core.stamps import Moment
from st_memory.core.visibility import Cause, classify, preset_named

__all__ = ['ObjectMemory']


class ObjectMemory:
    """
    The object memory of one place.

    Parameters
    ----------
    settings : MemorySettings
        Numbers of the fold.
    scene : Scene
        Fixtures and meshes; may be empty.
    caster : RayCaster, optional
        The scene's meshes for occlusion; None when there are none.
    checkpoint : Checkpoint, optional
        Where an earlier run of the same memory left off; going on from it gives the same result
        as never having stopped.

    """

    def __init__(
        self,
        settings: MemorySettings,
        scene: Scene | None = None,
        caster: RayCaster | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        self._settings = settings
        self._preset = preset_named(settings.visibility_preset)
        self._scene = scene or Scene()
        self._caster = caster
        parts = caster.part_names if caster is not None else ()
        self._places = Places(self._scene, settings.fixture_reach_m)
        self._motion = MotionModel(settings, self._places)
        self._looks = LookRecorder(settings, self._preset, parts)
        self._identity = IdentityKeeper(settings, self._motion, self._looks)
        self._now: Moment | None = None
        self._seq = 0
        self._forget()
        if checkpoint is not None:
            self._restore(checkpoint)

    @property
    def now(self) -> Moment | None:
        """Moment of the last frame; None before the first."""
        return self._now

    @property
    def counters(self) -> Mapping[str, int]:
        """What happened to detections of this epoch, by outcome."""
        return dict(sorted(self._counts.items()))

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
        if self._now is not None and frame.epoch > self._now.epoch:
            self._forget()  # evidence is never mixed between epochs
        out = DeltaBuilder(frame.epoch, frame.stamp_ns)
        self._begin_movements(frame, out)
        for detection in frame.world_detections:
            self._integrate_world_detection(detection, out)
        if not self._preset.closed_movements:
            self._end_movements(frame, out)
        if frame.cameras:
            self._integrate_cameras(frame, out)
        if self._preset.closed_movements:
            self._end_movements(frame, out)
        for track in self._ordered():
            self._motion.expire(track, out)
        self._counts['merges'] += self._identity.reconcile(self._tracks, self._logs, out)
        delta = out.build(self._tracks, self._seq, self._fold_json())
        self._seq += 1
        self._now = moment
        return delta

    # Movements and positions that come from outside.

    def _begin_movements(self, frame: SensedFrame, out: DeltaBuilder) -> None:
        for movement in frame.movements:
            if movement.end_ns is None:
                self._motion.reported(self._named_track(movement), movement, out)

    def _end_movements(self, frame: SensedFrame, out: DeltaBuilder) -> None:
        for movement in frame.movements:
            if movement.end_ns is not None:
                self._motion.reported(self._named_track(movement), movement, out)

    def _named_track(self, named: MovementReport) -> Track:
        """Find or open the track of an object that is known by its id."""
        if named.object_id not in self._tracks:
            self._tracks[named.object_id] = Track(
                named.object_id,
                label_votes={named.label: 0.0},
                life_cycle=LifeCycle.CONFIRMED,
                annotated=True,
            )
        return self._tracks[named.object_id]

    def _integrate_world_detection(self, seen: WorldDetection, out: DeltaBuilder) -> None:
        """Take in a position in the fixed frame; without an id it goes the way of the others."""
        if not seen.track_id:
            self._counts['world_detection_without_id'] += 1
            return
        world_p = np.array(seen.world_p)
        track = self._tracks.get(seen.track_id)
        is_new = track is None
        if track is None:
            track = Track(seen.track_id, life_cycle=LifeCycle.CONFIRMED)
            self._tracks[seen.track_id] = track
        observation = Observation(
            observation_id=self._observation_id('world', out),
            object_id=track.object_id,
            epoch=out.epoch,
            stamp_ns=out.stamp_ns,
            label=seen.label,
            score=seen.score,
            world_p=seen.world_p,
            source=seen.source,
        )
        track.note_sighting(observation)
        out.observe(observation)
        track.last_fix, track.last_fix_ns = [float(v) for v in world_p], out.stamp_ns
        if seen.size_m is not None:
            track.refine_size(np.array(seen.size_m))
        if track.in_motion:
            return
        if is_new or track.mean is None:
            source = seen.source if seen.source.startswith('annotation') else 'first_seen'
            self._motion.place(track, world_p, out.stamp_ns, source, out)
        else:
            track.refine(world_p, 1.0)

    # Cameras.

    def _integrate_cameras(self, frame: SensedFrame, out: DeltaBuilder) -> None:
        if self._caster is not None:
            self._caster.pose_parts(frame.world_T_part)
        unsure = unsure_fixtures(self._scene, frozenset(frame.world_T_part))
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
            matched = self._sight(camera, out)
            self._look(camera, matched, unsure, out)
            log = self._logs.setdefault(camera.camera_id, CameraLog())
            log.looks += 1
            log.last_ns = frame.stamp_ns
        self._counts['candidates_dropped'] += self._pool.drop_stale(out.stamp_ns)

    def _measure(self, camera: CameraFrame) -> list[Measurement]:
        """Locate the detections that are strong enough; count the others."""
        measurements = []
        for index, detection in enumerate(camera.detections or ()):
            if detection.score < self._settings.min_score:
                self._counts['below_min_score'] += 1
                continue
            if camera.world_T_camera is None:
                self._counts['no_pose'] += 1
                continue
            located = localize(
                camera,
                camera.world_T_camera,
                detection,
                index,
                depth_sigma_share=self._settings.depth_sigma_share,
                pose_sigma_rad=self._settings.pose_sigma_rad,
                pose_sigma_m=self._settings.pose_sigma_m,
            )
            if located is None:
                self._counts['no_position'] += 1
            else:
                measurements.append(located)
        return measurements

    def _sight(self, camera: CameraFrame, out: DeltaBuilder) -> frozenset[str]:
        """Associate this camera's detections; give the ids (candidates' too) that matched."""
        measurements = self._measure(camera)
        objects = self._ordered()
        pairs, rest = match(objects, measurements, out.stamp_ns, self._settings)
        explained = [m for _, m in pairs]
        for track, m in pairs:
            self._record(track, m, camera, out)
            self._motion.sighted(track, m, out)
            if track.life_cycle == LifeCycle.ABSENT:
                self._return(track, out)
        named = [m for m in rest if m.detection.track_id]
        for m in named:
            self._admit(Track(m.detection.track_id), m, camera, out)
        anonymous = [m for m in rest if not m.detection.track_id]
        fresh = [m for m in anonymous if not is_duplicate(m, explained)]
        self._counts['duplicate_detection'] += len(anonymous) - len(fresh)
        trial, unexplained = match(
            self._pool.candidates, fresh, out.stamp_ns, self._settings
        )
        trial += [(self._pool.open(m, out.stamp_ns), m) for m in unexplained]
        for candidate, m in trial:
            self._try(candidate, m, camera, out)
        promoted = {c.object_id: self._promote(c, out) for c in self._pool.take_confirmed()}
        hits = [t.object_id for t, _ in pairs] + [m.detection.track_id for m in named]
        hits += [promoted.get(c.object_id, c.object_id) for c, _ in trial]
        return frozenset(hits)

    def _observation(
        self, object_id: str, m: Measurement, camera: CameraFrame, out: DeltaBuilder
    ) -> Observation:
        d = m.detection
        return Observation(
            observation_id=f'o{out.epoch}-{out.stamp_ns}-{camera.camera_id}-{m.index}',
            object_id=object_id,
            epoch=out.epoch,
            stamp_ns=out.stamp_ns,
            label=d.label,
            score=d.score,
            camera_id=camera.camera_id,
            camera_p=(float(m.camera_p[0]), float(m.camera_p[1]), float(m.camera_p[2])),
            world_p=(float(m.world_p[0]), float(m.world_p[1]), float(m.world_p[2])),
            box_px=d.box_px,
        )

    def _record(
        self, track: Track, m: Measurement, camera: CameraFrame, out: DeltaBuilder
    ) -> None:
        observation = self._observation(track.object_id, m, camera, out)
        track.note_sighting(observation)
        out.observe(observation)

    def _try(
        self, candidate: Track, m: Measurement, camera: CameraFrame, out: DeltaBuilder
    ) -> None:
        """Count a match of a candidate; it leaves no trace in the store before it is believed."""
        candidate.note_sighting(self._observation(candidate.object_id, m, camera, out))
        candidate.last_fix = [float(v) for v in m.world_p]
        candidate.last_fix_ns = out.stamp_ns
        candidate.refine_size(m.size_m)
        candidate.refine(m.world_p, 0.2 if m.is_cut else 1.0)

    def _promote(self, candidate: Track, out: DeltaBuilder) -> str:
        """Turn a candidate into an object; gives its id."""
        label = candidate.label
        slug = re.sub(r'[^a-z0-9]+', '_', label.lower()).strip('_') or 'object'
        while True:
            self._numbers[slug] += 1
            candidate.object_id = f'{slug}_{self._numbers[slug]}'
            if candidate.object_id not in self._tracks:
                break
        self._enter(candidate, out)
        return candidate.object_id

    def _admit(self, track: Track, m: Measurement, camera: CameraFrame, out: DeltaBuilder) -> None:
        """Open an object that a tracker or annotation vouches for."""
        track.reset_estimate(m.world_p)
        track.refine_size(m.size_m)
        track.last_fix = [float(v) for v in m.world_p]
        track.last_fix_ns = out.stamp_ns
        self._record(track, m, camera, out)
        self._enter(track, out)

    def _enter(self, track: Track, out: DeltaBuilder) -> None:
        """Add a believed object: its first placement began when it was first seen."""
        track.life_cycle = LifeCycle.CONFIRMED
        self._tracks[track.object_id] = track
        track.placed_ns = track.first_seen_ns
        track.placement_source = 'first_seen'
        self._places.attribute(track)
        out.placement(track)
        seen_ns = track.first_seen_ns if track.first_seen_ns is not None else out.stamp_ns
        out.event(
            'appeared',
            seen_ns,
            seen_ns,
            [('object', track.object_id)],
            detail=f'a {track.label} was seen for the first time',
        )

    def _return(self, track: Track, out: DeltaBuilder) -> None:
        """Revive a tombstone."""
        track.life_cycle = LifeCycle.CONFIRMED
        if track.placed_ns is None and not track.in_motion:
            track.placed_ns = out.stamp_ns
            track.placement_source = 'observed'
            out.placement(track)
        out.event('returned', out.stamp_ns, out.stamp_ns, [('object', track.object_id)])

    def _look(
        self,
        camera: CameraFrame,
        matched: frozenset[str],
        unsure: frozenset[str],
        out: DeltaBuilder,
    ) -> None:
        """Judge every object from this camera."""
        log = self._logs.setdefault(camera.camera_id, CameraLog())
        live = [t for t in self._ordered() if t.life_cycle != LifeCycle.RETIRED]
        if camera.world_T_camera is None:
            self._looks.unseen(live, Cause.NO_POSE, camera, log, out)
            return
        located = [t for t in live if t.position is not None]
        lost = [t for t in live if t.position is None]
        self._looks.unseen(lost, Cause.NOT_YET_LOCATED, camera, log, out)
        everything = located + self._pool.candidates
        if not everything:
            return
        verdicts = classify(
            targets_of(everything), camera, self._preset, self._caster, unsure
        )
        expected = self._looks.expected(verdicts, camera)
        self._looks.apply(located, verdicts, matched, camera, log, out)
        self._pool.count(expected[len(located) :], matched, self._pool.candidates)
        for track in located:
            if absence_proven(track, out.stamp_ns, self._settings):
                self._bury(track, out)

    def _bury(self, track: Track, out: DeltaBuilder) -> None:
        """Set up a tombstone: it is shown not to be where it was."""
        gone_ns = track.absent_since_ns if track.absent_since_ns is not None else out.stamp_ns
        out.placement(track, end_ns=gone_ns)
        track.placed_ns = None
        track.life_cycle = LifeCycle.ABSENT
        out.touched.add(track.object_id)
        out.event(
            'absent',
            gone_ns,
            out.stamp_ns,
            [('object', track.object_id)],
            detail=f'the {track.label} is no longer where it was',
        )

    def _ordered(self) -> list[Track]:
        """Tracks by id: the same order before and after a restart."""
        return [self._tracks[name] for name in sorted(self._tracks)]

    # State that survives a restart.

    def _observation_id(self, kind: str, out: DeltaBuilder) -> str:
        self._world_index += 1
        return f'o{out.epoch}-{out.stamp_ns}-{kind}-{self._world_index}'

    def _forget(self) -> None:
        self._tracks: dict[str, Track] = {}
        self._pool = CandidatePool(self._settings)
        self._logs: dict[str, CameraLog] = {}
        self._numbers: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._world_index = 0

    def _fold_json(self) -> str:
        return canonical_json(
            {
                'candidate_number': self._pool.next_number,
                'candidates': [asdict(c) for c in self._pool.candidates],
                'counts': {k: v for k, v in self._counts.items() if v},
                'logs': {name: asdict(log) for name, log in self._logs.items()},
                'numbers': dict(self._numbers),
                'world_index': self._world_index,
            }
        )

    def _restore(self, checkpoint: Checkpoint) -> None:
        data: dict[str, Any] = json.loads(checkpoint.frame.fold_json)
        self._now = Moment(checkpoint.frame.epoch, checkpoint.frame.stamp_ns)
        self._seq = checkpoint.frame.seq + 1
        tracks = [Track.from_json(record.fold_json) for record in checkpoint.tracks]
        self._tracks = {t.object_id: t for t in tracks}
        candidates = [Track.from_json(canonical_json(c)) for c in data['candidates']]
        self._pool = CandidatePool(self._settings, candidates, data['candidate_number'])
        self._logs = {name: CameraLog(**log) for name, log in data['logs'].items()}
        self._numbers = Counter(data['numbers'])
        self._counts = Counter(data['counts'])
        self._world_index = data['world_index']
