"""Which thing it is, where class and place alone said so and others fitted nearly as well."""

from __future__ import annotations

from collections.abc import Mapping

from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.doubt import Doubt
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.recognition import looks_apart
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import LifeCycle

__all__ = ['Doubts', 'Rivals']

Rivals = dict[Track, float]


class Doubts:
    """Keeps who else an object may be, until that is ruled out."""

    def __init__(self, settings: MemorySettings) -> None:
        self._settings = settings

    def note(
        self,
        state: FoldState,
        track: Track,
        rivals: Mapping[Track, float],
        out: DeltaBuilder,
        *,
        is_of_place: bool = False,
    ) -> None:
        """
        Keep that an object may be another one.

        Parameters
        ----------
        state : FoldState
            Keeps who is in doubt.
        track : Track
            What a sight was taken for.
        rivals : mapping of Track to float
            What else it may have been, with its likelihood relative to that of ``track``.
        out : DeltaBuilder
            Its stamp counts; told that the object has changed.
        is_of_place : bool
            The two lie so near each other that one sight fits both: the next one that does not
            ends the doubt. Any other stays until a rival is seen where it was before.

        """
        if is_of_place and track.doubt is not None and not track.doubt.is_of_place:
            return
        if not rivals:
            if is_of_place and track.doubt is not None:
                self._end(state, track, out)
            return
        before = track.doubt.rivals if track.doubt is not None and not is_of_place else {}
        likely = {r.object_id: min(1.0, weight) for r, weight in rivals.items()}
        for name, weight in before.items():
            likely[name] = max(weight, likely.get(name, 0.0))
        track.doubt = Doubt(out.stamp_ns, likely, is_of_place)
        out.touched.add(track.object_id)
        state.doubtful.add(track.object_id)

    def settle(self, state: FoldState, out: DeltaBuilder) -> None:
        """Rule out rivals that were seen since where they were before, or look otherwise."""
        for name in sorted(state.doubtful):
            track = state.tracks[name]
            if track.doubt is None or track.life_cycle == LifeCycle.RETIRED:
                self._end(state, track, out)
                continue
            left = {
                rival: weight
                for rival, weight in track.doubt.rivals.items()
                if not self._is_out(track, track.doubt, state.tracks.get(rival))
            }
            if not left:
                self._end(state, track, out)
            elif left.keys() != track.doubt.rivals.keys():
                track.doubt.rivals = left
                out.touched.add(name)

    def _is_out(self, track: Track, doubt: Doubt, rival: Track | None) -> bool:
        """Whether it cannot be a rival any more."""
        if rival is None or rival.life_cycle == LifeCycle.RETIRED:
            return True
        if doubt.is_of_place:
            return rival.life_cycle == LifeCycle.ABSENT
        stayed = (
            rival.placed_ns is not None
            and rival.placed_ns <= doubt.since_ns
            and rival.sure_fix_ns is not None
            and rival.sure_fix_ns > doubt.since_ns
            and not rival.in_motion
            and track.object_id not in (rival.doubt.rivals if rival.doubt is not None else ())
        )
        return stayed or looks_apart(track, rival, self._settings)

    @staticmethod
    def _end(state: FoldState, track: Track, out: DeltaBuilder) -> None:
        state.doubtful.discard(track.object_id)
        if track.doubt is not None:
            track.doubt = None
            out.touched.add(track.object_id)
