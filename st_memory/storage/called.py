"""
The ``called`` table: which objects ever went by a name, so that a label is looked up.

Names are in lower case as Python makes it: what the engines call lower case differs. A row says
that an object had the name at that stamp or later; whether it has it at a moment is for its state
to say.
"""

from __future__ import annotations

import json

from st_memory.core.records import ObjectState
from st_memory.storage.sql import SqlConnection
from st_memory.storage.texts import TextWriter

__all__ = ['CalledWriter', 'fill_called']

_CALLED = 'INSERT INTO called VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'
_EVERY_NAME = """
    SELECT v.epoch, v.object, t.value, s.aliases, min(v.stamp_ns) FROM version v
    JOIN slow_state s ON s.id = v.slow JOIN text t ON t.id = s.label
    GROUP BY v.epoch, v.object, t.value, s.aliases ORDER BY min(v.stamp_ns)"""


class CalledWriter:
    """
    Write the names of objects, each once an epoch.

    Parameters
    ----------
    connection : SqlConnection
        Inside the writer's transaction.
    texts : TextWriter
        Numbers of strings.

    """

    def __init__(self, connection: SqlConnection, texts: TextWriter) -> None:
        self._db = connection
        self._texts = texts
        self._written: set[tuple[int, str]] = set()

    def forget(self) -> None:
        """Drop what a rolled-back transaction, or another epoch, may have left here."""
        self._written.clear()

    def write(self, number: int, state: ObjectState, epoch: int, stamp_ns: int) -> None:
        """Write the names that an object has and had not before."""
        for name in (state.label, *state.aliases):
            key = (number, name.lower())
            if key not in self._written:
                self._written.add(key)
                self._db.execute(_CALLED, (self._texts.number(key[1]), epoch, number, stamp_ns))


def fill_called(connection: SqlConnection) -> None:
    """Write the names of all objects of a memory of an earlier schema."""
    texts = TextWriter(connection)
    for epoch, number, label, aliases, stamp_ns in connection.execute(_EVERY_NAME).fetchall():
        for name in (label, *(json.loads(aliases) if aliases else ())):
            connection.execute(_CALLED, (texts.number(name.lower()), epoch, number, stamp_ns))
