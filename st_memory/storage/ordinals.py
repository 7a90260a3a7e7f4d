"""How many observations of an object by a camera there had been, thinned out ones among them."""

from __future__ import annotations

from st_memory.storage.sql import SqlConnection

__all__ = ['num_observations']


def num_observations(
    connection: SqlConnection, sightline: int, stamp_ns: int, until: str = '<='
) -> int:
    """Count the observations of a sightline up to a stamp, or before it (``<``)."""
    count = 0
    for table in ('observation', 'thinned'):
        row = connection.execute(
            f'SELECT ordinal FROM {table} WHERE sightline = ? AND stamp_ns {until} ? '
            'ORDER BY stamp_ns DESC, ordinal DESC LIMIT 1',
            (sightline, stamp_ns),
        ).fetchone()
        count = count if row is None else max(count, int(row[0]))
    return count
