"""From the time that is asked about to the frame that is answered from."""

from __future__ import annotations

from typing import NamedTuple

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.wording import describe_duration, join_names
from st_memory.core.records import AnswerStatus
from st_memory.core.stamps import Moment, NS_PER_S

__all__ = ['FRESH_NS', 'AsOf', 'as_of', 'no_such_epoch']

# More epochs than this make no reason to read.
_MAX_NAMED = 10
# A frame older than this no longer speaks for the time asked about.
FRESH_NS = NS_PER_S


class AsOf(NamedTuple):
    """
    The moment an answer is as of.

    Attributes
    ----------
    moment : Moment, optional
        Moment of the newest frame not after the time asked about; that time itself where there
        is no such frame, None for an empty memory.
    status : AnswerStatus
        KNOWN, STALE when the frame is more than ``FRESH_NS`` older, else why nothing is known.
    reason : str
        '' for KNOWN.

    """

    moment: Moment | None
    status: AnswerStatus
    reason: str


def as_of(reader: MemoryReader, at: Moment | None) -> AsOf:
    """
    Find the newest frame not after a time.

    Nothing goes on by itself: what is known of a time without a frame is what the frame before
    it left. So an answer is the same whether or not later frames have come since.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    at : Moment, optional
        The time asked about; None for the newest frame.

    Returns
    -------
    AsOf
        UNKNOWN for an epoch that is not there: its clock is not that of the others, so no frame
        of theirs says anything of it.

    """
    now = reader.now()
    if now is None:
        return AsOf(None, AnswerStatus.UNKNOWN, 'the memory is empty')
    if at is None:
        return AsOf(now, AnswerStatus.KNOWN, '')
    latest = reader.latest_moment(at)
    if latest is None:
        return _before_all(reader, at)
    age_ns = at.stamp_ns - latest.stamp_ns
    if age_ns <= FRESH_NS:
        return AsOf(latest, AnswerStatus.KNOWN, '')
    reason = (
        f"the memory's newest frame is {describe_duration(age_ns)} older than the time asked about"
    )
    return AsOf(latest, AnswerStatus.STALE, reason)


def no_such_epoch(reader: MemoryReader, epoch: int) -> str:
    """Say that the memory has no such epoch, and which ones it has."""
    names = [str(number) for number in reader.epochs()]
    if not names:
        return f'the memory has no epoch {epoch}: it is empty'
    known = f'{names[0]} to {names[-1]}' if len(names) > _MAX_NAMED else join_names(names)
    return f'the memory has no epoch {epoch}; known are: {known}'


def _before_all(reader: MemoryReader, at: Moment) -> AsOf:
    if reader.first_moment(at.epoch) is None:
        return AsOf(at, AnswerStatus.UNKNOWN, no_such_epoch(reader, at.epoch))
    reason = 'the memory holds nothing from before that time'
    return AsOf(at, AnswerStatus.NOT_YET_SEEN, reason)
