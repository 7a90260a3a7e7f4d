"""Looking one row up in a bare SQLite file: the newest of a key that is not after a stamp."""

from __future__ import annotations

from pathlib import Path
import sqlite3

__all__ = ['PointQuery']


class PointQuery:
    """
    One open connection and one statement.

    Parameters
    ----------
    path : Path
        A file with a table ``version`` of (object, epoch, stamp_ns, ...) as its primary key.

    """

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(f'file:{path}?mode=ro', uri=True)

    def ask(self, number: int, stamp_ns: int) -> tuple[int, ...]:
        """Give the row of an object (a number of the table) as of a stamp in epoch 0."""
        row: tuple[int, ...] = self._connection.execute(
            'SELECT * FROM version WHERE object = ? AND epoch = 0 AND stamp_ns <= ? '
            'ORDER BY stamp_ns DESC LIMIT 1',
            (number, stamp_ns),
        ).fetchone()
        return row

    def number_of(self, text: str) -> int:
        """Give the number of an id."""
        (number,) = self._connection.execute(
            'SELECT id FROM text WHERE value = ?', (text,)
        ).fetchone()
        return int(number)

    def close(self) -> None:
        """Release the file."""
        self._connection.close()
