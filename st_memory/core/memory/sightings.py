"""From detections to objects: locate, associate, put on probation, believe."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association import completed, load_solver, Measurement
from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.candidates import drop_duplicates
from st_memory.core.memory.common_shift import common_shifts
from st_memory.core.memory.doubts import Doubts
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.matching import match, Weak
from st_memory.core.memory.measuring import measure
from st_memory.core.memory.motion import MotionModel
from st_memory.core.memory.outside_ids import OutsideIds
from st_memory.core.memory.places import Places
from st_memory.core.memory.pursuit import last_sure_ns
from st_memory.core.memory.recollecting import recollect
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import CameraFrame, LifeCycle, Observation
from st_memory.core.records.detections import Point
from st_memory.core.stamps import NS_PER_S

__all__ = ['Sighter']

Array = NDArray[np.float64]


class Sighter:
    """Takes detections in; every change to the objects goes into the given state."""

    def __init__(self, settings: MemorySettings, motion: MotionModel, places: Places) -> None:
        self._settings = settings
        self._grasp_ns = int(settings.rest_s * NS_PER_S)
        self._motion = motion
        self._places = places
        self._ids = OutsideIds(settings)
        load_solver()  # no frame waits for it
        self._doubts = Doubts(settings)

    def sight(self, state: FoldState, camera: CameraFrame, out: DeltaBuilder) -> set[Track]:
        """
        Associate one camera's detections; gives the objects and candidates that matched.

        Parameters
        ----------
        state : FoldState
            Receives new objects and candidates.
        camera : CameraFrame
            One camera at one stamp.
        out : DeltaBuilder
            Receives what follows.

        """
        located = self._ids.accepted(state, measure(state, camera, self._settings), out)
        if out.touched.are_recent:
            state.refresh(out.touched, out.stamp_ns)
        measurements = recollect(state, camera, located, self._settings)

        def is_stuck(track: Track) -> bool:
            doors = self._places.doors_of(track)
            seen_ns, now_ns = last_sure_ns(track), out.stamp_ns
            return state.parts.was_in_reach(doors, seen_ns, now_ns, self._grasp_ns) is False

        weak: Weak = {}
        pairs, rest = match(
            state.ordered(),
            measurements,
            out.stamp_ns,
            self._settings,
            hangs=self._hangs if self._places.knows_surfaces else None,
            is_stuck=is_stuck,
            resting=state.table.resting,
            weak=weak,
        )
        for track, (rivals, is_of_place) in weak.items():
            self._doubts.note(state, track, rivals, out, is_of_place=is_of_place)
        shifts = common_shifts(pairs, self._settings)
        for track, m in pairs:
            self._match(track, m, camera, shifts.get(track), out)
            _note_looks(state, track, m)
        named = [m for m in rest if m.detection.track_id]
        admitted = [self._admit(state, m, camera, out) for m in named]
        anonymous = [m for m in rest if not m.detection.track_id]
        fresh = drop_duplicates(anonymous, [m for _, m in pairs] + named)
        state.counts['duplicate_detection'] += len(anonymous) - len(fresh)
        tried = self._probe(state, fresh, camera, out)
        return {track for track, _ in pairs} | set(admitted) | tried

    def _has_moved(self, candidate: Track, m: Measurement) -> bool:
        """Whether a thing on probation is not where it was any more."""
        return _distance(candidate.mean, m.world_p) > self._settings.same_object_m

    def _hangs(self, m: Measurement) -> bool:
        """
        Whether a detection shows a thing with nothing under it.

        What is no farther from the camera than the scene's own surface is a picture on it, or
        nothing.
        """
        if not self._places.hangs(m.world_p, float(m.size_m[2])):
            return False
        return not self._places.is_behind(
            m.world_p, float(np.linalg.norm(m.camera_p)), m.world_ray
        )

    def _is_elsewhere(self, track: Track, m: Measurement) -> bool:
        """Whether an object shows where it does not rest."""
        return track.mean is None or self._motion.is_far(m.world_p, np.array(track.mean))

    def _completed(self, m: Measurement, camera: CameraFrame, size_m: Array) -> Measurement:
        """Grow a detection of which only a part shows."""
        if camera.world_T_camera is None:
            return m
        return completed(m, camera, camera.world_T_camera, size_m, self._places.support_below)

    def _probe(
        self,
        state: FoldState,
        measurements: list[Measurement],
        camera: CameraFrame,
        out: DeltaBuilder,
    ) -> set[Track]:
        """Match what no object explains to the candidates; gives those that matched."""
        pool = state.pool
        trial, unexplained = match(
            pool.candidates,
            measurements,
            out.stamp_ns,
            self._settings,
            pursue=False,
            hangs=self._hangs,
        )
        sure = [m for m in unexplained if m.detection.score >= self._settings.confirm_score]
        trial += [(pool.open(m, out.stamp_ns), m) for m in sure]
        trial = [(c, self._completed(m, camera, np.array(c.size))) for c, m in trial]
        for candidate, m in trial:
            # A candidate leaves no trace in the store before it is believed.
            candidate.note_sighting(_observation(candidate.object_id, m, camera, out))
            _note_looks(state, candidate, m)
            candidate.last_fix, candidate.last_fix_ns = list(_point(m.world_p)), out.stamp_ns
            candidate.is_held = self._hangs(m)
            if candidate.is_held and self._has_moved(candidate, m):
                candidate.reset_estimate(m.world_p)
            else:
                candidate.refine(m.world_p, m.weight)
            if not (m.is_cut or m.is_partial):
                candidate.refine_box(m.size_m, m.quat_xyzw)
            if candidate.num_observations == 1:
                self._places.attribute(candidate)
                doors = self._places.doors_of(candidate)
                candidate.shut_in_ns = state.parts.shut_since(doors, out.stamp_ns)
        measured = dict(trial)
        for candidate in pool.take_confirmed(measured.keys()):
            candidate.object_id = state.new_id(candidate.label)
            state.add(candidate)
            self._enter(candidate, out)
            out.observe(_observation(candidate.object_id, measured[candidate], camera, out))
        return set(measured)

    def _match(
        self,
        track: Track,
        m: Measurement,
        camera: CameraFrame,
        shift_m: Array | None,
        out: DeltaBuilder,
    ) -> None:
        """Take in a match of a believed object."""
        m = self._completed(m, camera, np.array(track.size))
        is_absent = track.life_cycle == LifeCycle.ABSENT
        observation = _observation(track.object_id, m, camera, out)
        track.note_sighting(observation)
        out.observe(observation)
        is_vouched = bool(m.detection.track_id) and not self._hangs(m)  # it rests there
        if is_absent and not is_vouched and self._is_elsewhere(track, m):
            self._motion.caught(track, m, out)
        elif is_absent:
            self._motion.revive(track, m.world_p, out)
        else:
            self._motion.sighted(track, m, out, shift_m)

    def _admit(
        self, state: FoldState, m: Measurement, camera: CameraFrame, out: DeltaBuilder
    ) -> Track:
        """Open an object that a tracker or annotation vouches for."""
        track = state.new_named(m.detection.track_id)
        m = self._completed(m, camera, np.zeros(3))
        track.reset_estimate(m.world_p)
        if not (m.is_cut or m.is_partial):
            track.refine_box(m.size_m, m.quat_xyzw)
        track.last_fix, track.last_fix_ns = list(_point(m.world_p)), out.stamp_ns
        observation = _observation(track.object_id, m, camera, out)
        track.note_sighting(observation)
        _note_looks(state, track, m)
        out.observe(observation)
        self._enter(track, out)
        return track

    def _enter(self, track: Track, out: DeltaBuilder) -> None:
        """Announce a believed object: its first placement began when it was first seen."""
        track.life_cycle = LifeCycle.CONFIRMED
        track.sure_fix, track.sure_fix_ns = track.last_fix, track.last_fix_ns
        track.placed_ns = track.first_seen_ns
        track.placement_source = 'first_seen'
        self._places.attribute(track)
        track.is_held = (
            track.is_held
            and _distance(track.first_fix, track.last_fix) > self._settings.same_object_m
        )
        if track.is_held and track.first_seen_ns is not None:
            track.appeared_held, track.placed_ns, track.mean = True, None, None
            self._motion.start(track, track.first_seen_ns, out)
        out.placement(track)
        seen_ns = track.first_seen_ns if track.first_seen_ns is not None else out.stamp_ns
        detail = f'{_article(track.label)} {track.label} was seen for the first time'
        out.event('appeared', seen_ns, seen_ns, [('object', track.object_id)], detail=detail)


def _note_looks(state: FoldState, track: Track, m: Measurement) -> None:
    """Take in how it looks; what is from another model than before is counted, and left out."""
    if m.appearance is not None and not track.refine_appearance(m.appearance, m.weight):
        state.counts['embedding_of_another_size'] += 1


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


def _distance(a: Sequence[float] | Array | None, b: Sequence[float] | Array | None) -> float:
    """Metres between two places; 0 when one is not known."""
    if a is None or b is None:
        return 0.0
    return float(np.linalg.norm(np.array(a) - np.array(b)))


def _point(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Point:
    return float(values[0]), float(values[1]), float(values[2])


def _article(noun: str) -> str:
    return 'an' if noun[:1].lower() in 'aeiou' else 'a'
