"""A source of frames whose beginning is looked at before anything is done with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from st_memory.core.ports import FrameSource
from st_memory.core.records import Scene, SensedFrame

__all__ = ['PeekedSource']

# Frames hold depth images: a beginning longer than this is read again rather than kept.
_MAX_KEPT = 100


class PeekedSource:
    """
    Give the frames of a source, in one pass even when its beginning was looked at first.

    Parameters
    ----------
    source : FrameSource
        Where the frames come from.

    """

    def __init__(self, source: FrameSource) -> None:
        self._source = source
        self._begun: Iterator[SensedFrame] | None = None

    @property
    def name(self) -> str:
        """Name of the source."""
        return self._source.name

    @property
    def scene(self) -> Scene:
        """Scene of the source."""
        return self._source.scene

    def has(self, is_wanted: Callable[[SensedFrame], bool]) -> bool:
        """
        Whether there is such a frame; looks no further than the first one.

        Raises
        ------
        StMemoryError
            As the source does when a frame cannot be read.

        """
        kept: list[SensedFrame] = []
        rest = self._source.frames()
        for number, frame in enumerate(rest, start=1):
            if number <= _MAX_KEPT:
                kept.append(frame)
            if is_wanted(frame):
                self._begun = chain(kept, rest) if number == len(kept) else None
                return True
        return False

    def frames(self) -> Iterator[SensedFrame]:
        """Yield every frame, from the first one on."""
        begun, self._begun = self._begun, None
        return self._source.frames() if begun is None else begun

    def counters(self) -> Mapping[str, int]:
        """Say what was left out in the last pass, counted by reason."""
        return self._source.counters()
