"""Read what objects were as of a moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from st_memory.core.records import ObjectState
from st_memory.core.records.objects import is_called
from st_memory.core.stamps import Moment
from st_memory.storage.codec import decode_slow, make_state, SLOW_COLUMNS, SLOW_TEXTS
from st_memory.storage.sql import SqlConnection
from st_memory.storage.texts import TextReader

__all__ = ['VERSION_COLUMNS', 'StateReader']

_FAST = 'v.stamp_ns, v.since_seen_ns, v.since_visible_ns, v.num_observations, v.existence, v.slow'
_PLACE = 'p.x, p.y, p.z, p.sigma_m'
VERSION_COLUMNS = f'{_FAST}, {_PLACE}'

_ONE = f"""
    SELECT {_FAST}, {_PLACE} FROM version v JOIN position p ON p.id = v.position
    WHERE v.object = ? AND v.epoch = ? AND v.stamp_ns <= ? ORDER BY v.stamp_ns DESC LIMIT 1"""

# CROSS JOIN keeps SQLite to the order: objects first, then one look-up of the version each.
_EACH = """
    CROSS JOIN version v ON v.object = k.object AND v.epoch = k.epoch AND v.stamp_ns = (
        SELECT w.stamp_ns FROM version w
        WHERE w.object = k.object AND w.epoch = k.epoch AND w.stamp_ns <= ?
        ORDER BY w.stamp_ns DESC LIMIT 1)
    CROSS JOIN position p ON p.id = v.position
    WHERE k.epoch = ? AND k.first_ns <= ?"""
_ALL = f'SELECT k.object, {_FAST}, {_PLACE} FROM known k {_EACH}'
# Those that ever had the name by then.
_CALLED = f'SELECT k.object, {_FAST}, {_PLACE} FROM called k {_EACH} AND k.name = ?'

_EVERY = f"""
    SELECT {_FAST}, {_PLACE} FROM version v JOIN position p ON p.id = v.position
    WHERE v.object = ? AND v.epoch = ? ORDER BY v.stamp_ns"""

# Slow rows never change once committed; this many decoded ones are kept at most.
_CACHE_SIZE = 20_000


class StateReader:
    """
    Read object states; keeps decoded slow rows, which never change.

    Parameters
    ----------
    texts : TextReader
        Strings by number.

    """

    def __init__(self, texts: TextReader) -> None:
        self._texts = texts
        self._slow: dict[int, Mapping[str, Any]] = {}

    def one(self, connection: SqlConnection, object_id: str, at: Moment) -> ObjectState | None:
        """State of one object; None when it was not known then."""
        number = self._texts.number(connection, object_id)
        row = connection.execute(_ONE, (number, at.epoch, at.stamp_ns)).fetchone()
        return None if row is None else self.state(connection, object_id, at.epoch, row)

    def all(self, connection: SqlConnection, at: Moment) -> list[ObjectState]:
        """States of all objects known then, by object id."""
        rows = connection.execute(_ALL, (at.stamp_ns, at.epoch, at.stamp_ns)).fetchall()
        return self._by_id(connection, rows, at.epoch)

    def called(self, connection: SqlConnection, name: str, at: Moment) -> list[ObjectState]:
        """States of the objects whose label or alias was a name then, by object id."""
        number = self._texts.number(connection, name.lower())
        if number is None:
            return []
        values = (at.stamp_ns, at.epoch, at.stamp_ns, number)
        rows = connection.execute(_CALLED, values).fetchall()
        return [s for s in self._by_id(connection, rows, at.epoch) if is_called(s, name)]

    def versions(
        self, connection: SqlConnection, object_id: str, epoch: int
    ) -> Iterator[tuple[int, ObjectState]]:
        """Every state an object had in an epoch with the stamp it dates from, by stamp."""
        number = self._texts.number(connection, object_id)
        previous = ''
        for row in connection.execute(_EVERY, (number, epoch)):
            state = self.state(connection, object_id, epoch, row)
            if repr(state) != previous:  # repr tells -0.0 from 0.0
                yield row[0], state
            previous = repr(state)

    def _by_id(
        self, connection: SqlConnection, rows: Iterable[tuple[Any, ...]], epoch: int
    ) -> list[ObjectState]:
        """Turn rows of objects' numbers and ``VERSION_COLUMNS`` into states, by object id."""
        states = [
            self.state(connection, self._texts.value(connection, row[0]), epoch, row[1:])
            for row in rows
        ]
        states.sort(key=lambda state: state.object_id)
        return states

    def state(
        self, connection: SqlConnection, object_id: str, epoch: int, row: tuple[Any, ...]
    ) -> ObjectState:
        """Turn a row of ``VERSION_COLUMNS`` into a state."""
        slow = self._slow.get(row[5]) or self._read_slow(connection, row[5])
        return make_state(object_id, epoch, slow, row[6:], row[:5])

    def _read_slow(self, connection: SqlConnection, number: int) -> Mapping[str, Any]:
        row = connection.execute(
            f'SELECT {", ".join(SLOW_COLUMNS)} FROM slow_state WHERE id = ?', (number,)
        ).fetchone()
        values = list(row)
        for i in SLOW_TEXTS:
            values[i] = self._texts.value(connection, values[i])
        if len(self._slow) >= _CACHE_SIZE:
            self._slow.clear()
        self._slow[number] = decode_slow(tuple(values))
        return self._slow[number]
