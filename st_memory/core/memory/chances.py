"""Whether a thing can have been taken to where a newcomer is, and which one most likely was."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.places import Places
from st_memory.core.memory.pursuit import last_sure_ns, was_in_a_hand
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.memory.wandering import LONG_CARRY_S
from st_memory.core.stamps import NS_PER_S

__all__ = ['Chances']

# Things are moved at any second alike: one that had this share of the time of another to be moved
# is out of the question beside it.
_RIVAL_SHARE = 0.1
# How fast things are carried, on the whole.
_CARRY_MPS = 1.0


class Chances:
    """
    What a remembered thing could do between its last sight and the first of a newcomer.

    Parameters
    ----------
    settings : MemorySettings
        Speeds and times.
    places : Places
        Which doors things are behind.

    """

    def __init__(self, settings: MemorySettings, places: Places) -> None:
        self._settings = settings
        self._places = places

    def was_in_reach(self, track: Track, newcomer: Track, state: FoldState) -> bool | None:
        """
        Tell whether it can have been taken from behind its door before the newcomer was seen.

        None where no door is known to have moved.
        """
        doors = self._places.doors_of(track)
        first_ns = newcomer.first_seen_ns or 0
        grasp_ns = int(self._settings.rest_s * NS_PER_S)
        return state.parts.was_in_reach(doors, last_sure_ns(track), first_ns, grasp_ns)

    def could_have_got_there(self, lost: Track, newcomer: Track) -> bool:
        """Whether anyone could carry it that far between the last sight and the first."""
        gap_m = _gap_m(lost, newcomer)
        if gap_m is None:
            return False
        if newcomer.shut_in_ns is not None and last_sure_ns(lost) > newcomer.shut_in_ns:
            return False  # it was behind a shut door while the other was seen outside
        elapsed_s = _elapsed_s(lost, newcomer)
        return gap_m <= self._settings.max_speed_mps * elapsed_s + self._settings.same_object_m

    @staticmethod
    def is_carried_on(lost: Track, newcomer: Track) -> bool:
        """Whether a thing was in a hand shortly before the newcomer was seen."""
        return was_in_a_hand(lost) and _elapsed_s(lost, newcomer) <= LONG_CARRY_S

    def likeliest(self, some: Sequence[Track], newcomer: Track) -> Track | None:
        """
        Give the one that had by far the most time to become the newcomer; None for no such one.

        Moves come at a constant rate, so the time that a thing was out of sight for longer than
        the way takes is how likely it was moved.
        """
        if not some:
            return None
        spare_s = {t: self._spare_s(t, newcomer) for t in some}
        best = max(some, key=lambda t: (spare_s[t], t.object_id))
        others_s = sum(spare_s.values()) - spare_s[best]
        return best if others_s <= _RIVAL_SHARE * spare_s[best] else None

    @staticmethod
    def _spare_s(track: Track, newcomer: Track) -> float:
        way_s = (_gap_m(track, newcomer) or 0.0) / _CARRY_MPS
        return max(0.0, _elapsed_s(track, newcomer) - way_s)


def _elapsed_s(lost: Track, newcomer: Track) -> float:
    return ((newcomer.first_seen_ns or 0) - last_sure_ns(lost)) / NS_PER_S


def _gap_m(lost: Track, newcomer: Track) -> float | None:
    """Metres from the last sure sight of one to the first sight of the other."""
    start, end = lost.sure_fix or lost.first_fix, newcomer.first_fix
    if start is None or end is None:
        return None
    gap = np.array(end) - np.array(start)
    return float(np.sqrt(gap @ gap))
