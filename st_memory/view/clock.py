"""Times as the page draws them: seconds after the first frame of the epoch."""

from __future__ import annotations

from typing import Any

from st_memory.core.ports import MemoryReader
from st_memory.core.stamps import Moment, seconds_from_stamp
from st_memory.view.asked import END_OF_TIME_NS

__all__ = ['PageClock', 'epochs_fields']


class PageClock:
    """
    Seconds after the first frame of a moment's epoch.

    A stamp has too many digits for the numbers of a browser; a difference of stamps has not.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    at : Moment, optional
        What is asked about; None for an empty memory.

    """

    def __init__(self, reader: MemoryReader, at: Moment | None) -> None:
        first = None if at is None else reader.first_moment(at.epoch)
        self._zero_ns = 0 if first is None else first.stamp_ns
        self._at = at

    def of(self, stamp_ns: int) -> float:
        """Give a stamp in seconds, exact to the nanosecond within weeks of the first frame."""
        return seconds_from_stamp(stamp_ns - self._zero_ns)

    def maybe(self, stamp_ns: int | None) -> float | None:
        """Give a stamp that may not be there."""
        return None if stamp_ns is None else self.of(stamp_ns)

    def fields(self) -> dict[str, Any] | None:
        """Say which moment is asked about."""
        if self._at is None:
            return None
        return {
            'epoch': self._at.epoch,
            'after': self.of(self._at.stamp_ns),
            'stamp_ns': str(self._at.stamp_ns),
            'text': str(self._at),
        }


def epochs_fields(reader: MemoryReader) -> list[dict[str, Any]]:
    """Give every epoch with its first moment in words and its length in seconds."""
    found = []
    for epoch in reader.epochs():
        first = reader.first_moment(epoch)
        last = reader.latest_moment(Moment(epoch, END_OF_TIME_NS))
        if first is not None and last is not None:
            seconds = seconds_from_stamp(last.stamp_ns - first.stamp_ns)
            found.append(
                {'epoch': epoch, 'first': str(first), 'last': str(last), 'seconds': seconds}
            )
    return found
