"""Let a missing object live on as the newcomer that it is."""

from __future__ import annotations

import numpy as np

from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.looks import LookRecorder
from st_memory.core.memory.motion import MotionModel
from st_memory.core.memory.pursuit import last_sure_ns
from st_memory.core.memory.track import Track
from st_memory.core.records import LifeCycle
from st_memory.core.records.objects import PLACED_BY_LOSS

__all__ = ['Merger']


class Merger:
    """Puts two tracks together: the one that lost a thing and the one that found it."""

    def __init__(self, motion: MotionModel, looks: LookRecorder) -> None:
        self._motion = motion
        self._looks = looks

    def merge(self, lost: Track, newcomer: Track, state: FoldState, out: DeltaBuilder) -> None:
        """Let the missing object live on as the newcomer."""
        found_ns = newcomer.first_seen_ns if newcomer.first_seen_ns is not None else out.stamp_ns
        for track in (lost, newcomer):
            for camera_id, log in sorted(state.logs.items()):
                self._looks.close(track, camera_id, log, out)
            track.views.clear()
        # Losing it in a hand has counted as the movement already.
        was_counted = lost.placed_by == PLACED_BY_LOSS
        if newcomer.appeared_held and newcomer.num_moves:  # so has the newcomer's arrival
            newcomer.num_moves -= was_counted
            was_counted = True
        is_on_the_way = newcomer.appeared_held and newcomer.in_motion and not newcomer.num_moves
        if was_counted and not is_on_the_way:
            out.placement(lost, end_ns=found_ns)
        else:
            gone_ns = lost.absent_since_ns if lost.absent_since_ns is not None else found_ns
            left_ns = last_sure_ns(lost)
            self._motion.start(lost, min(gone_ns, found_ns), out)
            lost.motion_start_ns = min(left_ns, found_ns)  # it was moved at some time since
        out.placement(newcomer, end_ns=out.stamp_ns)
        if is_on_the_way:
            lost.life_cycle = LifeCycle.CONFIRMED
        else:
            self._settle(lost, newcomer, was_counted, out)
        self._take_place(lost, newcomer)
        self._take_sightings(lost, newcomer)
        if newcomer.external_id:
            state.hand_over(newcomer.external_id, lost)
        newcomer.life_cycle = LifeCycle.RETIRED
        newcomer.placed_ns, newcomer.in_motion = None, False
        out.touched.update((lost.object_id, newcomer.object_id))
        out.event(
            'merged',
            out.stamp_ns,
            out.stamp_ns,
            [('object', lost.object_id), ('merged', newcomer.object_id)],
            detail=f'{newcomer.object_id} is {lost.object_id}, which was moved',
        )

    def _settle(self, lost: Track, newcomer: Track, was_counted: bool, out: DeltaBuilder) -> None:
        """Let it have come to where the newcomer is, and take over the newcomer's movements."""
        lost.life_cycle = LifeCycle.CONFIRMED
        place = np.array(newcomer.mean if newcomer.mean is not None else newcomer.last_fix)
        since_ns = newcomer.placed_ns if newcomer.placed_ns is not None else out.stamp_ns
        lost.carrier, lost.carrier_pose = newcomer.carrier, list(newcomer.carrier_pose)
        if was_counted:
            lost.last_placed_ns, lost.placed_by = newcomer.first_seen_ns, 'inferred'
            self._motion.place(lost, place, since_ns, 'inferred', out, in_carrier=True)
        else:
            # What the newcomer did since is told already.
            came_ns = since_ns
            if newcomer.num_moves and newcomer.first_seen_ns is not None:
                came_ns = min(since_ns, newcomer.first_seen_ns)
            self._motion.finish(
                lost, place, came_ns, 'inferred', out, in_carrier=True, since_ns=since_ns
            )
            lost.last_placed_ns = newcomer.first_seen_ns
        lost.num_moves += newcomer.num_moves
        if newcomer.last_placed_ns is not None:
            lost.last_placed_ns, lost.placed_by = newcomer.last_placed_ns, newcomer.placed_by
        lost.num_fixes, lost.variance = newcomer.num_fixes, newcomer.variance
        if newcomer.in_motion and newcomer.motion_start_ns is not None:
            self._motion.start(lost, newcomer.motion_start_ns, out)

    @staticmethod
    def _take_place(lost: Track, newcomer: Track) -> None:
        """Take over what is known of its box, and of where it was seen last."""
        lost.size, lost.num_sizes = list(newcomer.size), newcomer.num_sizes
        lost.quat, lost.sunk_m = list(newcomer.quat), newcomer.sunk_m
        lost.last_fix, lost.last_fix_ns = newcomer.last_fix, newcomer.last_fix_ns
        lost.sure_fix, lost.sure_fix_ns = newcomer.sure_fix, newcomer.sure_fix_ns
        lost.trail, lost.is_held = list(newcomer.trail), newcomer.is_held

    @staticmethod
    def _take_sightings(lost: Track, newcomer: Track) -> None:
        """Take over what was seen of it."""
        lost.aliases = sorted({*lost.aliases, *newcomer.aliases, newcomer.object_id})
        lost.forget_absence()
        lost.misses = 0
        lost.last_seen_ns = newcomer.last_seen_ns
        lost.last_visible_ns = newcomer.last_visible_ns
        lost.num_observations += newcomer.num_observations
        lost.score_sum += newcomer.score_sum
        if newcomer.appearance:  # how it looks where it is now
            lost.appearance = newcomer.appearance
            lost.appearance_count = newcomer.appearance_count
        for label, votes in newcomer.label_votes.items():
            lost.label_votes[label] = lost.label_votes.get(label, 0.0) + votes
