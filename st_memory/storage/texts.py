"""The ``text`` table: strings that repeat, kept once and named by number."""

from __future__ import annotations

from st_memory.storage.sql import SqlConnection

__all__ = ['TextReader', 'TextWriter', 'is_text']


def is_text(value: str) -> bool:
    """Whether a string can be kept at all: half of a surrogate pair cannot be written."""
    try:
        value.encode('utf-8')
    except UnicodeEncodeError:
        return False
    return True


class TextReader:
    """
    Committed strings by number and numbers by string.

    Rows of ``text`` are only ever added, so what was read once stays right for good.
    """

    def __init__(self) -> None:
        self._values: dict[int, str] = {}
        self._ids: dict[str, int] = {}

    def value(self, connection: SqlConnection, number: int) -> str:
        """Give the string of a number."""
        found = self._values.get(number)
        if found is None:
            row = connection.execute('SELECT value FROM text WHERE id = ?', (number,)).fetchone()
            found = self._values[number] = row[0]
        return found

    def number(self, connection: SqlConnection, value: str) -> int | None:
        """Give the number of a string; None when the memory never met it."""
        found = self._ids.get(value)
        if found is None:
            if not is_text(value):
                return None
            row = connection.execute('SELECT id FROM text WHERE value = ?', (value,)).fetchone()
            if row is None:
                return None
            found = self._ids[value] = row[0]
        return found


class TextWriter:
    """Numbers for strings, given out inside the writer's transaction."""

    def __init__(self, connection: SqlConnection) -> None:
        self._connection = connection
        self._ids: dict[str, int] = {}

    def number(self, value: str) -> int:
        """Give the number of a string, a new one when it has none."""
        found = self._ids.get(value)
        if found is None:
            row = self._connection.execute(
                'SELECT id FROM text WHERE value = ?', (value,)
            ).fetchone()
            if row is None:
                row = self._connection.execute(
                    'INSERT INTO text (value) VALUES (?) RETURNING id', (value,)
                ).fetchone()
            found = self._ids[value] = int(row[0])
        return found

    def forget(self) -> None:
        """Drop what a rolled-back transaction may have given out."""
        self._ids.clear()
