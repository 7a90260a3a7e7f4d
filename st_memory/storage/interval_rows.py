"""The rows an interval had over time, packed into its newest row where that can tell them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from st_memory.storage.codec import wrap
from st_memory.storage.sql import SqlConnection

__all__ = ['MAIN_COLUMNS', 'IntervalRow', 'append_row', 'expand', 'row_at']

MAIN_COLUMNS = (
    'length_ns, tail_ns, verdict, num_frames, num_confirmed, open_late_ns, close_late_ns'
)
_REPLACE = f"""
    INSERT INTO interval (sightline, start_ns, {MAIN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (sightline, start_ns) DO UPDATE SET
        {', '.join(f'{name} = excluded.{name}' for name in MAIN_COLUMNS.split(', '))}"""
_Main = tuple[int | None, int | None, int, int | None, int | None, int | None, int | None]


class IntervalRow(NamedTuple):
    """An interval as one frame left it; counts and last frame mean nothing while it is open."""

    appended_ns: int
    end_ns: int | None
    last_frame_ns: int
    verdict: int
    num_frames: int
    num_confirmed: int


def expand(start_ns: int, main: _Main) -> list[IntervalRow]:
    """
    Give the rows that an ``interval`` row tells, oldest first.

    Parameters
    ----------
    start_ns : int
        Start of the interval.
    main : tuple
        Values of ``MAIN_COLUMNS``.

    Returns
    -------
    list of IntervalRow
        The open row, the closed one, or both.

    """
    length, tail, verdict, num_frames, num_confirmed, open_late, close_late = main
    opened_ns = wrap(start_ns + (open_late or 0))
    rows = [IntervalRow(opened_ns, None, start_ns, verdict, 1, 0)]
    if length is None or tail is None or num_frames is None or num_confirmed is None:
        return rows
    end_ns = wrap(start_ns + length)
    closed_ns = wrap(end_ns + (close_late or 0))
    last_ns = wrap(end_ns - tail)
    closed = IntervalRow(closed_ns, end_ns, last_ns, verdict, num_frames, num_confirmed)
    return [*rows, closed] if opened_ns < closed_ns else [closed]


def row_at(rows: Iterable[IntervalRow], stamp_ns: int) -> IntervalRow | None:
    """Give the newest of rows in order of appending that counted at a stamp."""
    found = None
    for row in rows:
        if row.appended_ns <= stamp_ns:
            found = row
    return found


def append_row(connection: SqlConnection, sightline: int, start_ns: int, row: IntervalRow) -> None:
    """
    Append one row of an interval.

    A row that closes its open row with the same verdict is merged into it; any other earlier
    row moves to ``interval_past``, so that no later row hides what was believed before.
    """
    key = (sightline, start_ns)
    old = connection.execute(
        f'SELECT {MAIN_COLUMNS} FROM interval WHERE sightline = ? AND start_ns = ?', key
    ).fetchone()
    opened_ns = row.appended_ns
    if old is not None:
        rows = expand(start_ns, old)
        if rows[-1].end_ns is None and rows[-1].verdict == row.verdict:
            if row.end_ns is None:
                return
            opened_ns = rows[-1].appended_ns
        else:
            _keep(connection, key, rows)
    closing: tuple[int | None, ...] = (None, None, None, None, None)
    if row.end_ns is not None:
        closing = (
            wrap(row.end_ns - start_ns),
            wrap(row.end_ns - row.last_frame_ns),
            row.num_frames,
            row.num_confirmed,
            wrap(row.appended_ns - row.end_ns) or None,
        )
    length, tail, num_frames, num_confirmed, close_late = closing
    open_late = wrap(opened_ns - start_ns) or None
    values = (length, tail, row.verdict, num_frames, num_confirmed, open_late, close_late)
    connection.execute(
        _REPLACE,
        (*key, *values),
    )


def _keep(connection: SqlConnection, key: tuple[int, int], rows: Iterable[IntervalRow]) -> None:
    """Append rows to ``interval_past``."""
    (number,) = connection.execute(
        'SELECT count(*) FROM interval_past WHERE sightline = ? AND start_ns = ?', key
    ).fetchone()
    for offset, row in enumerate(rows):
        connection.execute(
            'INSERT INTO interval_past VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
            (*key, number + offset, *row),
        )
