"""
Retention: of many observations of one object by one camera only some stay.

Nothing else is ever thinned: placements, visibility intervals, events, states and looks answer as
before. What is taken out still counts (``thinned``), so that confirmations as of any time stay
the same; only what exactly was measured then is gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from st_memory.storage.sql import SqlConnection

__all__ = ['Retention', 'ThinningReport', 'sightlines_to_thin', 'thin_sightline']

_SIGHTLINES = """
    SELECT s.id, (SELECT max(f.stamp_ns) FROM frame f WHERE f.epoch = s.epoch)
    FROM sightline s ORDER BY s.id"""
_OLD = """
    SELECT stamp_ns, ordinal FROM observation WHERE sightline = ? AND stamp_ns <= ?
    ORDER BY stamp_ns, ordinal"""
_DELETE = 'DELETE FROM observation WHERE sightline = ? AND stamp_ns = ? AND ordinal = ?'


@dataclass(frozen=True)
class Retention:
    """
    Which observations stay.

    Parameters
    ----------
    older_than_ns : int
        Observations that lie less than this before the newest frame of their epoch all stay.
        Stamps of different epochs cannot be compared: each epoch is measured by its own end.
    every_ns : int
        Of the older ones of an object by a camera the first stays, and the last of every piece
        of time of this length (pieces are counted from stamp 0, so thinning again with the same
        numbers changes nothing).

    Raises
    ------
    ValueError
        If ``older_than_ns`` is negative or ``every_ns`` is not positive.

    """

    older_than_ns: int
    every_ns: int

    def __post_init__(self) -> None:
        if self.older_than_ns < 0:
            raise ValueError(f'older_than_ns: expected 0 or more, got {self.older_than_ns}')
        if self.every_ns <= 0:
            raise ValueError(f'every_ns: expected more than 0, got {self.every_ns}')


class ThinningReport(NamedTuple):
    """Observations that were there, and those of them that were taken out."""

    num_observations: int
    num_thinned: int


def sightlines_to_thin(connection: SqlConnection, policy: Retention) -> list[tuple[int, int]]:
    """Give every sightline with the stamp up to which its observations are old."""
    newest: list[tuple[int, int | None]] = connection.execute(_SIGHTLINES).fetchall()
    return [(s, stamp_ns - policy.older_than_ns) for s, stamp_ns in newest if stamp_ns is not None]


def thin_sightline(
    connection: SqlConnection, sightline: int, until_ns: int, policy: Retention
) -> int:
    """Take out what is not kept of one sightline; give the number of observations taken out."""
    key = (sightline, max(until_ns, -(2**63)))
    rows = [(row[0], row[1]) for row in connection.execute(_OLD, key).fetchall()]
    out = [(sightline, *row) for row in _not_kept(rows, policy.every_ns)]
    connection.executemany('INSERT INTO thinned VALUES (?, ?, ?)', out)
    connection.executemany(_DELETE, out)
    return len(out)


def _not_kept(rows: list[tuple[int, int]], every_ns: int) -> Iterator[tuple[int, int]]:
    """Give all but the first row and the last one of every piece of time."""
    for row, following in pairwise(rows[1:]):
        if row[0] // every_ns == following[0] // every_ns:
            yield row
