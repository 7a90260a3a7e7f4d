"""Write one frame inside the writer's transaction."""

from __future__ import annotations

from st_memory.core.ports import FrameOrigin, StoredFrame
from st_memory.core.records import FrameDelta
from st_memory.storage.frame_origins import newest_origin, write_origin
from st_memory.storage.history_writer import HistoryWriter
from st_memory.storage.sql import SqlConnection
from st_memory.storage.state_writer import StateWriter
from st_memory.storage.texts import TextWriter

__all__ = ['FrameWriter']

_HEAD = (
    'INSERT INTO head VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET fold_json = excluded.fold_json'
)


class FrameWriter:
    """
    Turn frames into rows.

    Parameters
    ----------
    connection : SqlConnection
        The only connection that writes; :meth:`write` runs inside its open transaction.

    """

    def __init__(self, connection: SqlConnection) -> None:
        self._db = connection
        self._texts = TextWriter(connection)
        self._states = StateWriter(connection, self._texts)
        self._history = HistoryWriter(connection, self._texts)
        self._epoch: int | None = None
        self._origin: FrameOrigin | None = None

    def forget(self) -> None:
        """Drop all that a rolled-back transaction may have left in memory."""
        self._epoch = None
        self._origin = None
        self._texts.forget()
        self._states.forget()
        self._history.forget()

    def write(self, stored: StoredFrame) -> None:
        """Write every row of a frame."""
        delta, frame = stored.delta, stored.delta.frame
        if stored.origin != self._origin:
            if stored.origin != newest_origin(self._db):
                write_origin(self._db, frame.seq, stored.origin)
            self._origin = stored.origin
        if frame.epoch != self._epoch:
            self._enter_epoch(delta)
        self._db.execute(
            'INSERT INTO frame VALUES (?, ?, ?)', (frame.seq, frame.epoch, frame.stamp_ns)
        )
        self._db.execute(_HEAD, (frame.fold_json,))
        self._states.write(delta.tracks, frame.epoch, frame.stamp_ns)
        self._history.write(stored)

    def _enter_epoch(self, delta: FrameDelta) -> None:
        frame = delta.frame
        added = self._db.execute(
            'INSERT INTO epoch VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING epoch',
            (frame.epoch, frame.stamp_ns, frame.seq),
        ).fetchone()
        self._states.enter_epoch(frame.epoch, first=added is not None)
        self._history.forget()
        self._epoch = frame.epoch
