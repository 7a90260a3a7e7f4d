"""Who else a newcomer may be than the one that it is taken for."""

from __future__ import annotations

from collections.abc import Sequence

from st_memory.core.memory.chances import Chances
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.pursuit import is_missing, last_sure_ns, was_in_a_hand
from st_memory.core.memory.recognition import is_told_apart, looks_apart
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track

__all__ = ['Contenders']


class Contenders:
    """
    Finds the others of a class that could have become a newcomer.

    Parameters
    ----------
    settings : MemorySettings
        What tells things apart.
    chances : Chances
        Who can have been taken to where a newcomer is.

    """

    def __init__(self, settings: MemorySettings, chances: Chances) -> None:
        self._settings, self._chances = settings, chances

    def has_rivals(
        self, lost: Track, newcomer: Track, known: Sequence[Track], state: FoldState
    ) -> bool:
        """Whether the newcomer may be another one whose place was not looked at since."""
        first_ns = newcomer.first_seen_ns or 0
        return any(
            t not in (lost, newcomer)
            and not t.in_motion
            and not is_missing(t, self._settings)
            and last_sure_ns(t) < first_ns
            and self._chances.was_in_reach(t, newcomer, state) is not False
            and self._chances.could_have_got_there(t, newcomer)
            and not looks_apart(t, newcomer, self._settings)
            and not is_told_apart(lost, t, newcomer, self._settings)
            for t in known
        )

    def others_that_fit(
        self, lost: Track, newcomer: Track, known: Sequence[Track], state: FoldState
    ) -> dict[Track, float]:
        """
        Give who else the newcomer may be, each as likely as the lost one.

        What was lost from a hand is looked for only among what is missing, too.
        """
        first_ns = newcomer.first_seen_ns or 0
        return {
            t: 1.0
            for t in known
            if t not in (lost, newcomer)
            and not (t.external_id and newcomer.external_id)
            and not looks_apart(t, newcomer, self._settings)
            and not is_told_apart(lost, t, newcomer, self._settings)
            and (
                (t.doubt is not None and lost.object_id in t.doubt.rivals)
                or (
                    last_sure_ns(t) < first_ns
                    and not t.in_motion
                    and (is_missing(t, self._settings) or not was_in_a_hand(lost))
                    and self._chances.was_in_reach(t, newcomer, state) is not False
                    and self._chances.could_have_got_there(t, newcomer)
                )
            )
        }
