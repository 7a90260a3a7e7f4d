"""Who is told what the ingest does."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from st_memory.core.records import FrameDelta
from st_memory.core.stamps import Moment

__all__ = ['IngestListener', 'IngestProgress']


class IngestProgress(NamedTuple):
    """How far the ingest is: messages taken, frames on disk, moment of the newest one."""

    num_messages: int
    num_frames: int
    newest: Moment | None


class IngestListener(NamedTuple):
    """
    Who is told, on the ingest's thread.

    Attributes
    ----------
    on_commit : callable
        Called with each frame's delta once it is on disk.
    on_progress : callable
        Called when everything handed in so far is dealt with, or a batch of it.
    on_problem : callable
        Called with a reason and a line of text when something could not be used.

    """

    on_commit: Callable[[FrameDelta], None]
    on_progress: Callable[[IngestProgress], None]
    on_problem: Callable[[str, str], None]
