"""Write what a frame changed of the objects: only what differs from what was written last."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from st_memory.core.records import ObjectState, TrackRecord
from st_memory.core.records.detections import Point
from st_memory.storage.called import CalledWriter
from st_memory.storage.codec import pack_position, position_of, slow_of, SLOW_TEXTS, wrap
from st_memory.storage.nearby import is_found_at, put_here
from st_memory.storage.sql import SqlConnection
from st_memory.storage.texts import TextWriter

__all__ = ['StateWriter']

_TRACK = (
    'INSERT INTO track VALUES (?, ?) '
    'ON CONFLICT (object) DO UPDATE SET fold_json = excluded.fold_json'
)
# A second frame of a stamp replaces the version of the first.
_VERSION = """
    INSERT INTO version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (object, epoch, stamp_ns) DO UPDATE SET
        slow = excluded.slow, position = excluded.position,
        since_seen_ns = excluded.since_seen_ns, since_visible_ns = excluded.since_visible_ns,
        num_observations = excluded.num_observations, existence = excluded.existence"""


class _Written(NamedTuple):
    """The newest version of an object, as compared with the next one."""

    slow: tuple[Any, ...]
    slow_id: int
    position: bytes
    position_id: int
    fast: tuple[Any, ...]


class _NewRows:
    """Rows of a table whose ids are given out before all are written at once."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._next_id: int | None = None
        self._rows: list[tuple[Any, ...]] = []

    def add(self, connection: SqlConnection, values: tuple[Any, ...]) -> int:
        """Take in a row; gives its id, the next free one."""
        if self._next_id is None:
            newest = connection.execute(f'SELECT max(id) FROM {self._table}').fetchone()
            self._next_id = (newest[0] or 0) + 1
        number, self._next_id = self._next_id, self._next_id + 1
        self._rows.append((number, *values))
        return number

    def insert(self, connection: SqlConnection) -> None:
        """Write what was taken in."""
        if self._rows:
            marks = ', '.join('?' * len(self._rows[0]))
            connection.executemany(f'INSERT INTO {self._table} VALUES ({marks})', self._rows)
            self._rows.clear()

    def forget(self) -> None:
        """Drop what was not written, and ask for the next id anew."""
        self._next_id = None
        self._rows.clear()


class StateWriter:
    """
    Write tracks; after a restart every object's first version is written in full.

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
        self._called = CalledWriter(connection, texts)
        self._written: dict[int, _Written] = {}
        self._known: set[int] = set()
        self._kept_at: dict[int, Point | None] = {}
        self._slow, self._positions = _NewRows('slow_state'), _NewRows('position')

    def forget(self) -> None:
        """Drop what a rolled-back transaction may have left here."""
        self._called.forget()
        self._written.clear()
        self._known.clear()
        self._kept_at.clear()
        self._slow.forget()
        self._positions.forget()

    def enter_epoch(self, epoch: int, *, first: bool) -> None:
        """Start an epoch, or go on with it after a restart."""
        self.forget()
        if first:
            for table in ('track', 'here'):  # they belong to the epoch before
                self._db.execute(f'DELETE FROM {table}')
        known = self._db.execute('SELECT object FROM known WHERE epoch = ?', (epoch,))
        self._known.update(number for (number,) in known)

    def write(self, tracks: Iterable[TrackRecord], epoch: int, stamp_ns: int) -> None:
        """Write the fold's words of every track, and a version of each whose state changed."""
        folds, versions = [], []
        for track in tracks:
            number = self._texts.number(track.state.object_id)
            folds.append((number, track.fold_json))
            written = self._parts(number, track.state)
            if number in self._written and written == self._written[number]:
                continue
            last = self._written.get(number)
            if last is None or last.slow_id != written.slow_id:
                self._called.write(number, track.state, epoch, stamp_ns)
            self._written[number] = written
            seen, visible, num_observations, existence = written.fast
            versions.append(
                (
                    number,
                    epoch,
                    stamp_ns,
                    written.slow_id,
                    written.position_id,
                    None if seen is None else wrap(stamp_ns - seen),
                    None if visible is None else wrap(stamp_ns - visible),
                    num_observations,
                    None if existence == 1.0 else existence,
                )
            )
            if number not in self._known:
                self._known.add(number)
                self._db.execute('INSERT INTO known VALUES (?, ?, ?)', (epoch, number, stamp_ns))
        self._slow.insert(self._db)
        self._positions.insert(self._db)
        self._db.executemany(_TRACK, folds)
        self._db.executemany(_VERSION, versions)

    def _parts(self, number: int, state: ObjectState) -> _Written:
        """Write what an object is and where it is, each only when it changed."""
        slow, position = slow_of(state), pack_position(state)
        fast = (
            state.last_seen_ns,
            state.last_visible_ns,
            state.num_observations,
            state.existence_probability,
        )
        last = self._written.get(number)
        if last is not None and last.slow == slow:
            slow_id = last.slow_id
        else:
            slow_id = self._slow.add(self._db, self._numbered(slow))
        if last is not None and last.position == position:
            position_id = last.position_id
        else:
            position_id = self._positions.add(self._db, position_of(state))
            self._put_here(number, state.world_p)
        return _Written(slow, slow_id, position, position_id, fast)

    def _put_here(self, number: int, place: Point | None) -> None:
        """Keep the place for the search by place; one that hardly moved is still found there."""
        if number in self._kept_at:
            kept = self._kept_at[number]
            if kept == place or (
                kept is not None and place is not None and is_found_at(kept, place)
            ):
                return
        put_here(self._db, number, place)
        self._kept_at[number] = place

    def _numbered(self, slow: tuple[Any, ...]) -> tuple[Any, ...]:
        """Replace the interned strings of a slow row by their numbers."""
        values = list(slow)
        for i in SLOW_TEXTS:
            values[i] = self._texts.number(values[i])
        return tuple(values)
