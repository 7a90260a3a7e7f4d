"""A bare table of intervals, opened and closed in the order of time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
import sqlite3

__all__ = ['IntervalTable']

_PUT = """
    INSERT INTO interval VALUES (?, ?, ?, ?)
    ON CONFLICT (object, start_ns) DO UPDATE SET end_ns = excluded.end_ns"""


class IntervalTable:
    """
    An SQLite file with one table and no index but its key.

    Parameters
    ----------
    path : Path
        The file to make.

    """

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute('PRAGMA journal_mode=WAL')
        self._connection.execute('PRAGMA synchronous=NORMAL')
        self._connection.execute(
            'CREATE TABLE interval (object INTEGER, start_ns INTEGER, end_ns INTEGER, '
            'state INTEGER, PRIMARY KEY (object, start_ns)) WITHOUT ROWID'
        )

    def append(self, rows: Iterable[tuple[int, int, int | None, int]]) -> None:
        """Open or close intervals in one transaction."""
        self._connection.execute('BEGIN')
        self._connection.executemany(_PUT, rows)
        self._connection.execute('COMMIT')

    def close(self) -> None:
        """Release the file."""
        self._connection.close()
