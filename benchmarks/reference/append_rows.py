"""Appending rows to a bare SQLite table, one transaction a frame."""

from __future__ import annotations

from pathlib import Path
import sqlite3

__all__ = ['RowAppender']


class RowAppender:
    """
    An SQLite file in the same mode as the memory's (WAL, ``synchronous=NORMAL``).

    Parameters
    ----------
    path : Path
        The file to make.

    """

    def __init__(self, path: Path) -> None:
        self._next = 0
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute('PRAGMA journal_mode=WAL')
        self._connection.execute('PRAGMA synchronous=NORMAL')
        self._connection.execute(
            'CREATE TABLE row (id INTEGER PRIMARY KEY, object INTEGER, stamp_ns INTEGER, '
            'state INTEGER, x REAL, y REAL, z REAL)'
        )

    def append(self, num_rows: int) -> None:
        """Append rows in one transaction."""
        first, self._next = self._next, self._next + num_rows
        rows = [(i, i, i, 1, 1.0, 2.0, 3.0) for i in range(first, self._next)]
        self._connection.execute('BEGIN')
        self._connection.executemany('INSERT INTO row VALUES (?, ?, ?, ?, ?, ?, ?)', rows)
        self._connection.execute('COMMIT')

    def close(self) -> None:
        """Release the file."""
        self._connection.close()
