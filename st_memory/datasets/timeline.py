"""What a converter will write, put into the order of time; nothing large is held."""

from __future__ import annotations

from collections.abc import Callable
import enum
from typing import NamedTuple

from st_memory.core.ports import RecordingSink

__all__ = ['Progress', 'Rank', 'Timeline']

Progress = Callable[[int, int], None]
Write = Callable[[RecordingSink], None]


@enum.unique
class Rank(enum.IntEnum):
    """Order of what has one stamp."""

    SCENE = 0
    TRANSFORM = 1
    OBSERVATION = 2
    LOOK = 3


class _Entry(NamedTuple):
    stamp_ns: int
    rank: Rank
    order: int
    write: Write


class Timeline:
    """Collects small deeds by stamp; images are read only when their turn comes."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []

    def add(self, stamp_ns: int, rank: Rank, write: Write) -> None:
        """
        Add one deed.

        Parameters
        ----------
        stamp_ns : int
            When, nanoseconds.
        rank : Rank
            Its place among those of one stamp; equal ones keep their order.
        write : callable
            Given the sink.

        """
        self._entries.append(_Entry(stamp_ns, rank, len(self._entries), write))

    def play(self, sink: RecordingSink, progress: Progress | None = None) -> None:
        """Do everything in order; ``progress`` is given (done, in all)."""
        entries = sorted(self._entries, key=lambda e: e[:3])
        for done, entry in enumerate(entries, start=1):
            entry.write(sink)
            if progress is not None:
                progress(done, len(entries))
