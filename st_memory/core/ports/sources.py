"""Where frames come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol, runtime_checkable

from st_memory.core.records import Scene, SensedFrame

__all__ = ['FrameSource']


@runtime_checkable
class FrameSource(Protocol):
    """
    A recording or stream that yields frames in order.

    Rules: (epoch, stamp) never goes backwards; iterating twice gives the same frames; nothing
    about a frame depends on what comes after it.
    """

    @property
    def name(self) -> str:
        """What a person calls the source, e.g. the file name."""

    @property
    def scene(self) -> Scene:
        """Meshes and fixtures that the source brings along; empty when there are none."""

    def frames(self) -> Iterator[SensedFrame]:
        """Yield every frame."""

    def counters(self) -> Mapping[str, int]:
        """
        Say what was not turned into frames and why, counted by reason.

        Complete after :meth:`frames` is exhausted.
        """
