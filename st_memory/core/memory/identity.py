"""One identity, many placements: a thing gone from here that turned up there is one thing."""

from __future__ import annotations

from collections.abc import Iterable, Set

import numpy as np

from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.looks import LookRecorder
from st_memory.core.memory.motion import MotionModel
from st_memory.core.memory.pursuit import is_missing
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import LifeCycle
from st_memory.core.records.objects import PLACED_BY_LOSS
from st_memory.core.stamps import NS_PER_S

__all__ = ['IdentityKeeper']


class IdentityKeeper:
    """Joins the track that lost a thing with the track that found it again."""

    def __init__(self, settings: MemorySettings, motion: MotionModel, looks: LookRecorder) -> None:
        self._settings = settings
        self._motion = motion
        self._looks = looks

    def reconcile(self, state: FoldState, matched: Set[Track], out: DeltaBuilder) -> set[Track]:
        """
        Merge newcomers into missing objects of the same class.

        A missing object was shown to be gone, or was only assumed to lie where it was lost, or
        its place looked empty of late (weak alone, but not beside a newcomer). A newcomer first
        appeared after the missing one was last seen. The pair that lost sight most recently goes
        first; a newcomer serves one missing object.

        Parameters
        ----------
        state : FoldState
            All objects.
        matched : set of Track
            Objects that a detection of this look matched.
        out : DeltaBuilder
            Receives what follows.

        Returns
        -------
        set of Track
            Objects that live on as a newcomer that matched.

        """
        doubtful = state.table.some(state.table.is_doubtful)
        missing = [
            t
            for t in doubtful
            if is_missing(t, self._settings)
            and t.life_cycle != LifeCycle.RETIRED
            and t.last_seen_ns != out.stamp_ns
        ]
        if not missing:
            return set()
        missing.sort(key=lambda t: (-(t.last_seen_ns or 0), t.object_id))
        young: dict[str, list[Track]] = {}
        for track in state.ordered():
            if track.life_cycle == LifeCycle.CONFIRMED and not track.annotated:
                young.setdefault(track.kind, []).append(track)
        live_on: set[Track] = set()
        for lost in missing:
            newcomer = self._newcomer(lost, young.get(lost.kind, ()), out.stamp_ns)
            if newcomer is not None:
                young[lost.kind].remove(newcomer)
                self._merge(lost, newcomer, state, out)
                state.counts['merges'] += 1
                if newcomer in matched:
                    live_on.add(lost)
        return live_on

    def _could_have_got_there(self, lost: Track, newcomer: Track) -> bool:
        """Whether anyone could carry it that far between the last sight and the first."""
        start, end = lost.sure_fix or lost.first_fix, newcomer.first_fix
        if start is None or end is None:
            return False
        elapsed_s = ((newcomer.first_seen_ns or 0) - _last_sure(lost)) / NS_PER_S
        reach = self._settings.max_speed_mps * elapsed_s + self._settings.same_object_m
        gap = np.array(end) - np.array(start)
        return float(np.sqrt(gap @ gap)) <= reach

    def _newcomer(self, lost: Track, young: Iterable[Track], now_ns: int) -> Track | None:
        """
        Earliest object that first appeared after ``lost`` was last seen, and can be it.

        It must have been there for a while: until then the lost one may turn up in a hand.
        """
        fits = [
            t
            for t in young
            if t is not lost
            and not (t.external_id and lost.external_id)  # a tracker says that they are two
            and t.first_seen_ns is not None
            and t.first_seen_ns > _last_sure(lost)
            and now_ns - t.first_seen_ns >= self._motion.wait_ns
            and self._could_have_got_there(lost, t)
        ]
        return min(fits, key=lambda t: (t.first_seen_ns, t.object_id), default=None)

    def _merge(self, lost: Track, newcomer: Track, state: FoldState, out: DeltaBuilder) -> None:
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
            left_ns = _last_sure(lost)
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
        if was_counted:
            lost.last_placed_ns, lost.placed_by = newcomer.first_seen_ns, 'inferred'
            self._motion.place(lost, place, since_ns, 'inferred', out)
        else:
            self._motion.finish(lost, place, since_ns, 'inferred', out)
            lost.last_placed_ns = newcomer.first_seen_ns
        lost.num_moves += newcomer.num_moves
        if newcomer.last_placed_ns is not None:
            lost.last_placed_ns, lost.placed_by = newcomer.last_placed_ns, newcomer.placed_by
        lost.num_fixes, lost.variance = newcomer.num_fixes, newcomer.variance
        lost.carrier, lost.carrier_pose = newcomer.carrier, list(newcomer.carrier_pose)
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
        for label, votes in newcomer.label_votes.items():
            lost.label_votes[label] = lost.label_votes.get(label, 0.0) + votes


def _last_sure(track: Track) -> int:
    """When it was seen last, but for single sights beside its place: those may be of another."""
    last_ns = track.sure_fix_ns if track.sure_fix_ns is not None else track.first_seen_ns
    return 0 if last_ns is None else last_ns
