"""Which moments a memory has frames of."""

from __future__ import annotations

from bisect import bisect_right

from st_memory.core.stamps import Moment
from st_memory.storage.sql import SqlConnection

__all__ = ['latest_moment', 'newest_moment']


def newest_moment(connection: SqlConnection) -> Moment | None:
    """Moment of the newest frame; None for an empty memory."""
    row = connection.execute(
        'SELECT epoch, stamp_ns FROM frame ORDER BY seq DESC LIMIT 1'
    ).fetchone()
    return None if row is None else Moment(*row)


def latest_moment(connection: SqlConnection, at: Moment) -> Moment | None:
    """Search the frames of an epoch by halves: they are numbered in the order of their stamps."""
    row = connection.execute(
        'SELECT first_seq, coalesce((SELECT min(first_seq) FROM epoch WHERE epoch > e.epoch),'
        ' (SELECT max(seq) + 1 FROM frame)) FROM epoch e WHERE epoch = ?',
        (at.epoch,),
    ).fetchone()
    if row is None:
        return None

    def stamp_of(seq: int) -> int:
        query = 'SELECT stamp_ns FROM frame WHERE seq = ?'
        return int(connection.execute(query, (seq,)).fetchone()[0])

    numbers = range(*row)
    count = bisect_right(numbers, at.stamp_ns, key=stamp_of)
    return Moment(at.epoch, stamp_of(numbers[count - 1])) if count else None
