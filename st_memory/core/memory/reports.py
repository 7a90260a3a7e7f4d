"""Movements and positions that come from outside, with the name of the object they are about."""

from __future__ import annotations

import numpy as np

from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.motion import MotionModel
from st_memory.core.memory.outside_ids import OutsideIds
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import LifeCycle, MovementReport, Observation, WorldDetection

__all__ = ['Reporter']


class Reporter:
    """Takes reports in; every change to the objects goes into the given state."""

    def __init__(self, settings: MemorySettings, motion: MotionModel) -> None:
        self._motion = motion
        self._ids = OutsideIds(settings)

    def moved(self, state: FoldState, movement: MovementReport, out: DeltaBuilder) -> None:
        """
        Take in the start or the end of a movement.

        From then on the object moves only by report. A report of a movement that ended before
        the last one known is counted and left out; a start after the frame is taken as now.
        """
        track = self._named(state, movement.object_id, movement.label)
        track.annotated = True
        if track.life_cycle == LifeCycle.ABSENT:
            self._motion.revive(track, None, out)
        start_ns = min(movement.start_ns, out.stamp_ns)
        if movement.end_ns is None:
            self._motion.start(track, start_ns, out)
            return
        end_ns = min(movement.end_ns, out.stamp_ns)
        if track.last_placed_ns is not None and end_ns <= track.last_placed_ns:
            state.counts['movement_out_of_order'] += 1
            return
        self._motion.start(track, start_ns, out)  # when only the end was reported
        # Where it was last measured since the movement began is where it was put down.
        is_fresh = track.last_fix_ns is not None and track.last_fix_ns > movement.start_ns
        place = np.array(track.last_fix) if is_fresh else None
        self._motion.finish(track, place, end_ns, 'annotation', out)

    def positioned(
        self, state: FoldState, seen: WorldDetection, out: DeltaBuilder
    ) -> Track | None:
        """Take in a position in the fixed frame; it must say whose. Gives the object."""
        if not seen.track_id:
            state.counts['world_detection_without_id'] += 1
            return None
        state.counts['world_detection'] += 1
        is_annotated = seen.source.startswith('annotation')
        if not is_annotated and not self._ids.accepts(
            state, seen.track_id, seen.label, np.array(seen.world_p), out
        ):
            return None
        track = self._named(state, seen.track_id, '')
        observation = Observation(
            observation_id=f'o{out.epoch}-{out.stamp_ns}-world-{track.object_id}',
            object_id=track.object_id,
            epoch=out.epoch,
            stamp_ns=out.stamp_ns,
            label=seen.label,
            score=seen.score,
            world_p=seen.world_p,
            source=seen.source,
        )
        is_absent = track.life_cycle == LifeCycle.ABSENT
        world_p = np.array(seen.world_p)
        track.note_sighting(observation)
        out.observe(observation)
        if seen.size_m is not None:
            track.refine_box(np.array(seen.size_m), seen.quat_xyzw)
        if is_absent:
            self._motion.revive(track, world_p, out)
        else:
            source = seen.source if is_annotated else 'first_seen'
            self._motion.fixed(track, world_p, source, out)
        return track

    @staticmethod
    def _named(state: FoldState, external_id: str, label: str) -> Track:
        """Find or open the object that goes by an identity from outside."""
        track = state.known_as(external_id) or state.new_named(external_id)
        if label and not track.label_votes:
            track.label_votes = {label: 0.0}
        return track
