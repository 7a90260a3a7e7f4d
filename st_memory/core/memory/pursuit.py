"""Which things may be what is seen elsewhere: carried, lost in a hand, or just taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence, Set

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association import Measurement, UNREACHABLE
from st_memory.core.memory.resting import Resting
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.memory.wandering import LONG_CARRY_S, surprises
from st_memory.core.records import LifeCycle, Visibility
from st_memory.core.records.objects import PLACED_BY_LOSS
from st_memory.core.stamps import NS_PER_S

__all__ = ['Hangs', 'Pursuit', 'Stuck', 'is_missing', 'last_sure_ns', 'was_in_a_hand']

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Hangs = Callable[[Measurement], bool]
Stuck = Callable[[Track], bool]

# A place is off by more than this many of its spreads once in twenty times.
_REACH_SIGMAS = 2.0
# Share of the way of a second in full motion that one from rest goes.
_START_SHARE = 0.75


class Pursuit:
    """
    Costs of taking a detection for a thing that is not where it rested.

    Parameters
    ----------
    stamp_ns : int
        Stamp of the frame.
    settings : MemorySettings
        Speeds and times.
    hangs : callable, optional
        Whether a measured thing has nothing under it; None where nobody knows what is under
        things. Where it is known, what rested can only have become what hangs in the air: things
        go nowhere but in hands.

    """

    def __init__(
        self,
        stamp_ns: int,
        settings: MemorySettings,
        hangs: Hangs | None = None,
        is_stuck: Stuck | None = None,
    ) -> None:
        self._stamp_ns, self._settings, self._hangs = stamp_ns, settings, hangs
        self._is_stuck: Stuck = is_stuck or _never

    def possibly_elsewhere(
        self, tracks: Sequence[Track], resting: Resting, labels: Set[str]
    ) -> Mask:
        """Say which of N things may be anywhere else, or count among those that may, (N,)."""
        since_ns = self._stamp_ns - int(self._settings.pursuit_s * NS_PER_S)
        possible: Mask = resting.is_moving | resting.fixed_since(since_ns)
        if labels:
            possible |= np.array([not labels.isdisjoint(t.label_votes) for t in tracks])
        return possible

    def passing(
        self,
        tracks: Sequence[Track],
        seen: Sequence[Measurement],
        costs: Array,
        everything: Sequence[Track],
    ) -> Mask:
        """
        Say which matches at rest are of another thing that is carried past, (N, M).

        It hangs in the air beside the place, and another of the class was seen a moment ago,
        within reach: one that rests, too, or of ``everything`` one that is being carried.
        """
        past = np.zeros(costs.shape, dtype=bool)
        if self._hangs is None:
            return past
        for row, column in np.argwhere(np.isfinite(costs)).tolist():
            track, m = tracks[row], seen[column]
            gap = m.world_p - np.array(track.mean)
            if track.hangs or gap @ gap <= self._settings.same_object_m**2 or not self._hangs(m):
                continue
            moving = [t for t in everything if t.in_motion or t.trail]
            others = [t for t in (*tracks, *moving) if t is not track and self._is_recent(t)]
            past[row, column] = np.isfinite(self._costs(others, [m], [True] * len(others))).any()
        return past

    def carried(self, tracks: Sequence[Track], seen: Sequence[Measurement]) -> Array:
        """Metres from where things were a moment ago that were being carried then, (N, M)."""
        return self._costs(tracks, seen, [t.in_motion and self._is_recent(t) for t in tracks])

    def set_off(self, tracks: Sequence[Track], seen: Sequence[Measurement]) -> Array:
        """
        Metres from where things were a moment ago that may have been taken since, (N, M).

        What was at its place of rest then can only be what hangs in the air, or is still near.
        Few of what rests is taken in one moment, so what is carried already comes first; and for
        what hangs in the air, what was carried out of sight is weighed against it.
        """
        who = [self._rested_in_view(t) for t in tracks]
        set_off = self._costs(tracks, seen, who, from_rest=True)
        if self._hangs is None:
            return self._surprise(set_off, tracks)
        near = np.where(set_off <= self._settings.move_distance_m, set_off, UNREACHABLE)
        set_off = np.minimum(near, self._in_the_air(set_off, seen))
        carried = self._costs(tracks, seen, [t.in_motion and t.is_held for t in tracks])
        return self._surprise(np.minimum(set_off, self._in_the_air(carried, seen)), tracks)

    def elsewhere(self, tracks: Sequence[Track], seen: Sequence[Measurement]) -> Array:
        """
        Metres from where things were that may be what is seen elsewhere, (N, M).

        Those that were carried out of sight; and for what hangs in the air, those that were in a
        hand when they were seen last, and the only one of its class that is left: it may have
        been taken while nobody looked. So may another of its class, where the one in a hand was
        lost so long ago that it was put down since: then it waits for a sign. What was carried a
        moment ago is likelier than what was long ago, so these are no distances, but comparable
        with such.
        """
        carried = np.array([t.in_motion for t in tracks])
        if self._hangs is None:
            return self._surprise(self._costs(tracks, seen, carried.tolist()), tracks)
        classes = {m.detection.label for m in seen}
        of_kind = Counter(t.kind for t in tracks if t.kind in classes and not self._is_stuck(t))
        at_rest = Counter(
            t.kind
            for t in tracks
            if t.kind in classes
            and not (t.in_motion or was_in_a_hand(t) or self._is_recent(t) or self._is_stuck(t))
        )
        who = [
            not t.in_motion
            and (
                (of_kind[t.kind] == 1 and not self._is_stuck(t))
                or (was_in_a_hand(t) and (self._is_still_carried(t) or not at_rest[t.kind]))
            )
            for t in tracks
        ]
        unseen = self._costs(tracks, seen, carried.tolist())
        in_the_air = self._in_the_air(self._costs(tracks, seen, who), seen)
        return self._surprise(np.minimum(unseen, in_the_air), tracks)

    def slipped(self, tracks: Sequence[Track], seen: Sequence[Measurement]) -> Array:
        """Sigmas from where carried things were a moment ago, (N, M), whatever the class."""
        costs = np.full((len(tracks), len(seen)), UNREACHABLE)
        for row, track in enumerate(tracks):
            if not track.in_motion or track.annotated or track.last_fix is None:
                continue
            for column, m in enumerate(seen):
                gap = m.world_p - np.array(track.last_fix)
                costs[row, column] = np.sqrt(gap @ gap) / max(m.lateral_sigma_m, 1e-9)
        return costs

    def held(self, tracks: Sequence[Track], seen: Sequence[Measurement]) -> Array:
        """Metres from where things on probation hung in the air, (N, M)."""
        return self._in_the_air(self._costs(tracks, seen, [t.is_held for t in tracks]), seen)

    def _costs(
        self,
        tracks: Sequence[Track],
        seen: Sequence[Measurement],
        who: Sequence[bool],
        *,
        from_rest: bool = False,
    ) -> Array:
        """
        Metres from where each was seen last; unreachable beyond its possible way.

        What rested has to be taken and got going first: it comes less far (``from_rest``).
        """
        settings = self._settings
        costs = np.full((len(tracks), len(seen)), UNREACHABLE)
        for row, track in enumerate(tracks):
            if not who[row] or track.last_fix is None or track.annotated:
                continue
            elapsed_s = (self._stamp_ns - (track.last_fix_ns or 0)) / NS_PER_S
            share = _START_SHARE if from_rest and not track.trail else 1.0
            reach = share * settings.max_speed_mps * elapsed_s + settings.same_object_m
            for column, m in enumerate(seen):
                is_sure = m.detection.score >= settings.confirm_score
                if not is_sure or not track.goes_by(m.detection.label):
                    continue  # what is weak is more often nothing than a thing that has moved
                gap = m.world_p - np.array(track.last_fix)
                distance = float(np.sqrt(gap @ gap))
                if distance <= reach + _REACH_SIGMAS * max(m.ray_sigma_m, m.lateral_sigma_m):
                    costs[row, column] = distance
        return costs

    def _surprise(self, costs: Array, tracks: Sequence[Track]) -> Array:
        return surprises(costs, tracks, self._stamp_ns, self._settings.same_object_m)

    def _in_the_air(self, costs: Array, seen: Sequence[Measurement]) -> Array:
        """Leave the (N, M) costs of what has nothing under it."""
        for column in np.flatnonzero(np.isfinite(costs).any(axis=0)).tolist():
            if self._hangs is None or not self._hangs(seen[column]):
                costs[:, column] = UNREACHABLE
        return costs

    def _is_recent(self, track: Track) -> bool:
        """Whether it was seen a moment ago."""
        if track.last_fix_ns is None:
            return False
        return self._stamp_ns - track.last_fix_ns <= self._settings.pursuit_s * NS_PER_S

    def _is_still_carried(self, track: Track) -> bool:
        """Whether a thing that was in a hand may be in that hand still."""
        if track.last_fix_ns is None:
            return False
        return self._stamp_ns - track.last_fix_ns <= LONG_CARRY_S * NS_PER_S

    def _rested_in_view(self, track: Track) -> bool:
        """Whether it was seen a moment ago at a place that was in view, or beside it."""
        if not self._is_recent(track) or track.in_motion or track.life_cycle == LifeCycle.ABSENT:
            return False
        if track.trail:  # the look at its place tells nothing of where it was then
            return True
        hidden = (Visibility.OUT_OF_VIEW, Visibility.UNKNOWN)
        return any(view.geometry not in hidden for view in track.views.values())


def was_in_a_hand(track: Track) -> bool:
    """Whether a thing was in a hand when it was seen last."""
    return track.placed_by == PLACED_BY_LOSS or track.is_held


def _never(track: Track) -> bool:
    return False


def is_missing(track: Track, settings: MemorySettings) -> bool:
    """
    Whether a thing is not known to lie anywhere.

    It was shown to be gone, or was in a hand when it was seen last, or its place looked empty of
    late: weak alone, but not beside a newcomer.
    """
    if track.in_motion or track.annotated:
        return False
    return (
        track.life_cycle == LifeCycle.ABSENT
        or track.placed_by == PLACED_BY_LOSS
        or track.is_held
        or track.absent_looks >= settings.suspect_looks
    )


def last_sure_ns(track: Track) -> int:
    """When it was seen last, but for single sights beside its place: those may be of another."""
    last_ns = track.sure_fix_ns if track.sure_fix_ns is not None else track.first_seen_ns
    return 0 if last_ns is None else last_ns
