"""One identity, many placements: a thing gone from here that turned up there is one thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import numpy as np

from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.chances import Chances
from st_memory.core.memory.contenders import Contenders
from st_memory.core.memory.doubts import Doubts
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.looks import LookRecorder
from st_memory.core.memory.merging import Merger
from st_memory.core.memory.motion import MotionModel
from st_memory.core.memory.places import Places
from st_memory.core.memory.pursuit import is_missing, last_sure_ns
from st_memory.core.memory.recognition import is_told_apart, looks_apart
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import LifeCycle
from st_memory.core.stamps import NS_PER_S

__all__ = ['IdentityKeeper']


class IdentityKeeper:
    """Joins the track that lost a thing with the track that found it again."""

    def __init__(
        self,
        settings: MemorySettings,
        motion: MotionModel,
        looks: LookRecorder,
        places: Places,
    ) -> None:
        self._settings = settings
        self._motion = motion
        self._merger = Merger(motion, looks)
        self._chances = Chances(settings, places)
        self._contenders = Contenders(settings, self._chances)
        self._doubts = Doubts(settings)

    def reconcile(self, state: FoldState, matched: Set[Track], out: DeltaBuilder) -> set[Track]:
        """
        Merge newcomers into missing objects of the same class.

        A missing object was shown to be gone, or was only assumed to lie where it was lost, or
        its place looked empty of late (weak alone, but not beside a newcomer), or is the only
        one that the newcomer can be. A newcomer first appeared
        after the missing one was last seen. The pair that lost sight most recently goes first; a
        newcomer serves one missing object.

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
        missing = [t for t in state.table.some(state.table.is_doubtful) if self._is_lost(t)]
        found = state.found_since(out.stamp_ns - self._patience_ns)
        # One that may be several waits in vain, and must then be asked about still.
        waited = state.found_since(out.stamp_ns - 2 * self._patience_ns)
        kinds = {t.kind for t in (*missing, *waited)}
        known = {kind: [t for t in state.table.of_kind(kind) if not t.annotated] for kind in kinds}
        missing += [t for t in self._possibly_taken(known, state) if t not in missing]
        missing += [t for t in self._displaced(found, known) if t not in missing]
        newest_ns = {
            kind: max((t.first_seen_ns or 0 for t in some), default=0)
            for kind, some in known.items()
        }
        live_on: set[Track] = set()
        settled: set[Track] = set()
        for lost in sorted(missing, key=lambda t: (-(t.last_seen_ns or 0), t.object_id)):
            if lost.life_cycle == LifeCycle.RETIRED or lost.last_seen_ns == out.stamp_ns:
                continue
            if newest_ns.get(lost.kind, 0) <= last_sure_ns(lost):
                continue  # as nearly always: nothing of its class came later
            rivals = [t for t in missing if t.kind == lost.kind and t not in (*settled, lost)]
            newcomer = self._newcomer(lost, rivals, known.get(lost.kind, ()), state, out.stamp_ns)
            if newcomer is not None:
                known[lost.kind].remove(newcomer)
                others = self._contenders.others_that_fit(lost, newcomer, known[lost.kind], state)
                self._merger.merge(lost, newcomer, state, out)
                self._doubts.note(state, lost, others, out)
                settled.add(lost)
                state.counts['merges'] += 1
                if newcomer in matched:
                    live_on.add(lost)
        return live_on

    def _is_lost(self, track: Track) -> bool:
        return is_missing(track, self._settings) and track.life_cycle != LifeCycle.RETIRED

    @property
    def _patience_ns(self) -> int:
        """How long a newcomer waits for evidence of which one it is."""
        return int(self._settings.tentative_age_s * NS_PER_S)

    def _possibly_taken(
        self, known: Mapping[str, Sequence[Track]], state: FoldState
    ) -> list[Track]:
        """
        Give those that may have been taken when the newcomer of their class can be no other.

        It was taken from somewhere, as it was met in a hand or a door was opened meanwhile.
        """
        out = []
        for some in known.values():
            if len(some) < 2:
                continue
            if not any(t.appeared_held or t.container_id for t in some):
                continue  # as most classes: nothing speaks for any of them
            newest = max(some, key=lambda t: (t.first_seen_ns or 0, t.object_id))
            first_ns = newest.first_seen_ns or 0
            older = [
                t
                for t in some
                if t is not newest
                and not t.in_motion
                and last_sure_ns(t) < first_ns
                and not looks_apart(t, newest, self._settings)
            ]
            free = [t for t in older if self._chances.was_in_reach(t, newest, state) is not False]
            likeliest = self._chances.likeliest(free, newest)
            if (
                likeliest is not None
                and not any(is_missing(t, self._settings) for t in older)
                and (
                    newest.appeared_held
                    or (
                        not any(t.in_motion for t in some if t is not newest)
                        and self._chances.was_in_reach(likeliest, newest, state)
                    )
                )
            ):
                out.append(likeliest)
        return out

    def _displaced(
        self, found: Sequence[Track], known: Mapping[str, Sequence[Track]]
    ) -> list[Track]:
        """Give those at whose place a newcomer of their class is that clearly looks otherwise."""
        displaced = {
            t
            for newcomer in found
            if newcomer.appearance and newcomer.life_cycle == LifeCycle.CONFIRMED
            for t in known[newcomer.kind]
            if last_sure_ns(t) < (newcomer.first_seen_ns or 0)
            and looks_apart(t, newcomer, self._settings)
            and _are_at_one_place(t, newcomer, self._settings.same_object_m)
        }
        return sorted(displaced, key=lambda t: t.object_id)

    def _newcomer(
        self,
        lost: Track,
        missing: Sequence[Track],
        known: Sequence[Track],
        state: FoldState,
        now_ns: int,
    ) -> Track | None:
        """
        Earliest object that first appeared after ``lost`` was last seen, and can be it.

        It must have been there for a while: until then the lost one may turn up in a hand. And
        while it may as well be another one that nobody has looked for yet, it waits. Looks decide
        where they are known: it is left to another missing one that it clearly looks more like.
        """
        fits = [
            t
            for t in known
            if t is not lost
            and t.life_cycle == LifeCycle.CONFIRMED
            and not (t.external_id and lost.external_id)  # a tracker says that they are two
            and t.first_seen_ns is not None
            and t.first_seen_ns > last_sure_ns(lost)
            and now_ns - t.first_seen_ns >= self._motion.wait_ns
            and self._chances.could_have_got_there(lost, t)
            and not looks_apart(lost, t, self._settings)
            and not any(is_told_apart(m, lost, t, self._settings) for m in missing)
            and (
                lost.life_cycle == LifeCycle.ABSENT
                or self._chances.was_in_reach(lost, t, state) is not False
            )
            and (
                now_ns - t.first_seen_ns > self._patience_ns
                or self._chances.is_carried_on(lost, t)
                or not self._contenders.has_rivals(lost, t, known, state)
            )
        ]
        return min(fits, key=lambda t: (t.first_seen_ns, t.object_id), default=None)


def _are_at_one_place(a: Track, b: Track, within_m: float) -> bool:
    if a is b or a.mean is None or b.mean is None or a.in_motion or b.in_motion:
        return False
    gap = np.array(a.mean) - np.array(b.mean)
    return float(np.sqrt(gap @ gap)) <= within_m
