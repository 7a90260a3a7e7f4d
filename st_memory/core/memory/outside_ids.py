"""Identities from outside, and what becomes of one that is given to another thing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association import likeness, Measurement
from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import LifeCycle
from st_memory.core.stamps import NS_PER_S

__all__ = ['OutsideIds', 'strongest_by_id']

Array = NDArray[np.float64]

# A place is off by more than this many of its spreads once in twenty times.
_REACH_SIGMAS = 2.0


class OutsideIds:
    """
    Keeps an id from dragging one object into another.

    Trackers number anew after a restart, and reuse numbers. An id that turns up far away, on
    something of another class or of other looks, ``move_looks`` times in a row, means another
    thing from then on; both are remembered. With the same class it is a move.
    """

    def __init__(self, settings: MemorySettings) -> None:
        self._settings = settings

    def accepted(
        self, state: FoldState, measurements: Sequence[Measurement], out: DeltaBuilder
    ) -> list[Measurement]:
        """Leave out those whose id is in doubt; gives the rest in their order."""
        return [
            m
            for m in measurements
            if not m.detection.track_id
            or self.accepts(
                state,
                m.detection.track_id,
                m.detection.label,
                m.world_p,
                out,
                spread_m=max(m.ray_sigma_m, m.lateral_sigma_m),
                appearance=m.appearance,
            )
        ]

    def accepts(
        self,
        state: FoldState,
        name: str,
        label: str,
        world_p: Array,
        out: DeltaBuilder,
        *,
        spread_m: float = 0.0,
        appearance: NDArray[np.float32] | None = None,
    ) -> bool:
        """
        Whether the id of a sight holds, if need be for another object than before.

        Parameters
        ----------
        state : FoldState
            Says who goes by the id.
        name, label : str
            Id from outside and class.
        world_p : (3,) float64
            Fixed frame, metres.
        out : DeltaBuilder
            Receives what follows.
        spread_m : float
            Of the place, one sigma.
        appearance : (D,) float32, optional
            Looks.

        Returns
        -------
        bool
            False while it is in doubt: the sight is counted and left out.

        """
        track = state.known_as(name)
        if track is None or track.external_id != name or track.life_cycle == LifeCycle.RETIRED:
            return True
        if not (
            self._is_another(track, label, appearance)
            and self._is_out_of_reach(track, world_p, spread_m, out.stamp_ns)
        ):
            track.id_doubts = 0
            return True
        track.id_doubts += 1
        out.touched.add(track.object_id)
        if track.id_doubts < self._settings.move_looks:
            state.counts['id_in_doubt'] += 1
            return False
        self._give_on(state, track, label, world_p, appearance, out)
        return True

    def _is_another(
        self, track: Track, label: str, appearance: NDArray[np.float32] | None
    ) -> bool:
        """Whether a sight is of another class or other looks; nothing is known at first."""
        if track.annotated or not any(track.label_votes.values()):
            return False
        cosine = likeness(track.appearance, appearance)
        looks_otherwise = cosine is not None and cosine < self._settings.appearance_other
        return looks_otherwise or not track.goes_by(label)

    def _is_out_of_reach(
        self, track: Track, world_p: Array, spread_m: float, stamp_ns: int
    ) -> bool:
        """Whether a place is elsewhere, and nobody could follow a thing there."""
        settings, place = self._settings, track.position
        if place is None:
            return False
        near = max(settings.move_distance_m, settings.same_object_m)
        elapsed_ns = stamp_ns - (track.last_fix_ns or 0)
        # Once in doubt, it was not where a carried thing can have been; time heals nothing.
        if not track.id_doubts and elapsed_ns <= settings.pursuit_s * NS_PER_S:
            near = max(near, settings.max_speed_mps * elapsed_ns / NS_PER_S)
        return _gap_m(place, world_p) > near + _REACH_SIGMAS * spread_m

    def _give_on(
        self,
        state: FoldState,
        track: Track,
        label: str,
        world_p: Array,
        appearance: NDArray[np.float32] | None,
        out: DeltaBuilder,
    ) -> None:
        """Let the id mean what is there, if that is known; else a new object."""
        name, track.external_id, track.id_doubts = track.external_id, '', 0
        state.counts['id_reused'] += 1
        heir = self._known_there(state, label, world_p, appearance)
        if heir is None:
            heir = state.new_named(name)
            heir.label_votes = {label: 0.0}
        else:
            state.hand_over(name, heir)
        out.touched.update((track.object_id, heir.object_id))
        out.event(
            'id_reused',
            out.stamp_ns,
            out.stamp_ns,
            [('object', heir.object_id), ('earlier', track.object_id)],
            detail=f'the id {name} means {heir.object_id}, no longer {track.object_id}',
        )

    def _known_there(
        self,
        state: FoldState,
        label: str,
        world_p: Array,
        appearance: NDArray[np.float32] | None,
    ) -> Track | None:
        """Give the object of a class that rests at a place, and has no id from outside."""
        near = [
            (_gap_m(np.array(t.mean), world_p), t.object_id, t)
            for t in state.ordered()
            if t.mean is not None
            and not t.external_id
            and not t.annotated
            and t.life_cycle != LifeCycle.RETIRED
            and t.goes_by(label)
            and not self._is_another(t, label, appearance)
        ]
        gap_m, _, track = min(near, default=(np.inf, '', None))
        return track if gap_m <= self._settings.same_object_m else None


def strongest_by_id(measurements: list[Measurement]) -> list[Measurement]:
    """Keep one detection for each id from outside, the one with the best score."""
    best: dict[str, Measurement] = {}
    for m in measurements:
        name = m.detection.track_id
        if name and (name not in best or m.detection.score > best[name].detection.score):
            best[name] = m
    return [m for m in measurements if not m.detection.track_id or best[m.detection.track_id] is m]


def _gap_m(a: Array, b: Array) -> float:
    gap = a - b
    return float(np.sqrt(gap @ gap))
