"""From detections to objects: locate, associate, put on probation, believe."""

from __future__ import annotations

import numpy as np

from st_memory.core.association import localize, Measurement
from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.candidates import is_duplicate
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.matching import match
from st_memory.core.memory.motion import MotionModel
from st_memory.core.memory.places import Places
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import CameraFrame, LifeCycle, Observation, WorldDetection
from st_memory.core.records.detections import Point

__all__ = ['Sighter']


class Sighter:
    """Takes detections in; every change to the objects goes into the given state."""

    def __init__(self, settings: MemorySettings, motion: MotionModel, places: Places) -> None:
        self._settings = settings
        self._motion = motion
        self._places = places

    def sight(self, state: FoldState, camera: CameraFrame, out: DeltaBuilder) -> frozenset[str]:
        """
        Associate one camera's detections.

        Returns
        -------
        frozenset of str
            Ids of the objects and candidates that matched.

        """
        measurements = self._measure(state, camera)
        pairs, rest = match(state.ordered(), measurements, out.stamp_ns, self._settings)
        for track, m in pairs:
            self._observe(track, m, camera, out)
            self._motion.sighted(track, m, out)
            if track.life_cycle == LifeCycle.ABSENT:
                self._revive(track, out)
        named = [m for m in rest if m.detection.track_id]
        for m in named:
            self._admit(state, m, camera, out)
        anonymous = [m for m in rest if not m.detection.track_id]
        explained = [m for _, m in pairs]
        fresh = [m for m in anonymous if not is_duplicate(m, explained)]
        state.counts['duplicate_detection'] += len(anonymous) - len(fresh)
        hits = [track.object_id for track, _ in pairs] + [m.detection.track_id for m in named]
        return frozenset(hits + self._probe(state, fresh, camera, out))

    def sight_in_world(self, state: FoldState, seen: WorldDetection, out: DeltaBuilder) -> None:
        """Take in a position in the fixed frame; it must say whose."""
        if not seen.track_id:
            state.counts['world_detection_without_id'] += 1
            return
        state.counts['world_detection'] += 1
        track = state.tracks.get(seen.track_id)
        if track is None:
            track = Track(seen.track_id, life_cycle=LifeCycle.CONFIRMED)
            state.tracks[seen.track_id] = track
        observation = Observation(
            observation_id=f'o{out.epoch}-{out.stamp_ns}-world-{seen.track_id}',
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
        self._motion.fixed(track, seen, out)

    def _measure(self, state: FoldState, camera: CameraFrame) -> list[Measurement]:
        """Locate the detections that are strong enough; count the others."""
        measurements = []
        for index, detection in enumerate(camera.detections or ()):
            if detection.score < self._settings.min_score:
                state.counts['below_min_score'] += 1
                continue
            if camera.world_T_camera is None:
                state.counts['no_pose'] += 1
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
                state.counts['no_position'] += 1
            else:
                measurements.append(located)
        return measurements

    def _probe(
        self,
        state: FoldState,
        measurements: list[Measurement],
        camera: CameraFrame,
        out: DeltaBuilder,
    ) -> list[str]:
        """Match what no object explains to the candidates; give the ids that matched."""
        pool = state.pool
        trial, unexplained = match(
            pool.candidates, measurements, out.stamp_ns, self._settings, pursue=False
        )
        trial += [(pool.open(m, out.stamp_ns), m) for m in unexplained]
        for candidate, m in trial:
            # A candidate leaves no trace in the store before it is believed.
            candidate.note_sighting(_observation(candidate.object_id, m, camera, out))
            candidate.last_fix, candidate.last_fix_ns = list(_point(m.world_p)), out.stamp_ns
            candidate.refine_size(m.size_m)
            candidate.refine(m.world_p, m.weight)
        measured = {candidate.object_id: m for candidate, m in trial}
        for candidate in pool.take_confirmed():
            m = measured[candidate.object_id]  # only a match can tip the balance
            candidate.object_id = state.new_id(candidate.label)
            self._enter(state, candidate, out)
            out.observe(_observation(candidate.object_id, m, camera, out))
        return [candidate.object_id for candidate, _ in trial]

    def _observe(
        self, track: Track, m: Measurement, camera: CameraFrame, out: DeltaBuilder
    ) -> None:
        observation = _observation(track.object_id, m, camera, out)
        track.note_sighting(observation)
        out.observe(observation)

    def _admit(
        self, state: FoldState, m: Measurement, camera: CameraFrame, out: DeltaBuilder
    ) -> None:
        """Open an object that a tracker or annotation vouches for."""
        track = Track(m.detection.track_id)
        track.reset_estimate(m.world_p)
        track.refine_size(m.size_m)
        track.last_fix, track.last_fix_ns = list(_point(m.world_p)), out.stamp_ns
        self._observe(track, m, camera, out)
        self._enter(state, track, out)

    def _enter(self, state: FoldState, track: Track, out: DeltaBuilder) -> None:
        """Add a believed object: its first placement began when it was first seen."""
        track.life_cycle = LifeCycle.CONFIRMED
        state.tracks[track.object_id] = track
        track.placed_ns = track.first_seen_ns
        track.placement_source = 'first_seen'
        self._places.attribute(track)
        out.placement(track)
        seen_ns = track.first_seen_ns if track.first_seen_ns is not None else out.stamp_ns
        detail = f'a {track.label} was seen for the first time'
        roles = [('object', track.object_id)]
        out.event('appeared', seen_ns, seen_ns, roles, detail=detail)

    def _revive(self, track: Track, out: DeltaBuilder) -> None:
        """Take down a tombstone."""
        track.life_cycle = LifeCycle.CONFIRMED
        if track.placed_ns is None and not track.in_motion:
            track.placed_ns = out.stamp_ns
            track.placement_source = 'observed'
            out.placement(track)
        detail = f'the {track.label} was seen again'
        roles = [('object', track.object_id)]
        out.event('returned', out.stamp_ns, out.stamp_ns, roles, detail=detail)


def _observation(
    object_id: str, m: Measurement, camera: CameraFrame, out: DeltaBuilder
) -> Observation:
    return Observation(
        observation_id=f'o{out.epoch}-{out.stamp_ns}-{camera.camera_id}-{m.index}',
        object_id=object_id,
        epoch=out.epoch,
        stamp_ns=out.stamp_ns,
        label=m.detection.label,
        score=m.detection.score,
        camera_id=camera.camera_id,
        camera_p=_point(m.camera_p),
        world_p=_point(m.world_p),
        box_px=m.detection.box_px,
    )


def _point(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Point:
    return float(values[0]), float(values[1]), float(values[2])
