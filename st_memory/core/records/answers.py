"""How sure an answer is."""

from __future__ import annotations

import enum

__all__ = ['AnswerStatus']


@enum.unique
class AnswerStatus(enum.IntEnum):
    """
    Status of an answer; the numbers are those of ``st_memory_interfaces/msg/AnswerStatus``.

    "Don't know" is a status with a reason, never an error and never a guess.
    """

    KNOWN = 0
    STALE = 1
    AMBIGUOUS = 2
    UNKNOWN = 3
    NO_POSE = 4
    NOT_YET_SEEN = 5
