"""Write one frame inside the writer's transaction."""

from __future__ import annotations

import sqlite3

from st_memory.core.records import FrameDelta
from st_memory.storage.history_writer import HistoryWriter
from st_memory.storage.state_writer import StateWriter
from st_memory.storage.texts import TextWriter

__all__ = ['FrameWriter']


class FrameWriter:
    """
    Turn frames into rows.

    Parameters
    ----------
    connection : sqlite3.Connection
        The only connection that writes; :meth:`write` runs inside its open transaction.

    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._texts = TextWriter(connection)
        self._states = StateWriter(connection, self._texts)
        self._history = HistoryWriter(connection, self._texts)
        self._epoch: int | None = None

    def forget(self) -> None:
        """Drop all that a rolled-back transaction may have left in memory."""
        self._epoch = None
        self._texts.forget()
        self._states.forget()
        self._history.forget()

    def write(self, delta: FrameDelta) -> None:
        """Write every row of a frame."""
        frame = delta.frame
        if frame.epoch != self._epoch:
            self._enter_epoch(delta)
        self._db.execute(
            'INSERT INTO frame VALUES (?, ?, ?)', (frame.seq, frame.epoch, frame.stamp_ns)
        )
        self._db.execute('INSERT OR REPLACE INTO head VALUES (1, ?)', (frame.fold_json,))
        self._states.write(delta.tracks, frame.epoch, frame.stamp_ns)
        self._history.write(delta)

    def _enter_epoch(self, delta: FrameDelta) -> None:
        frame = delta.frame
        added = self._db.execute(
            'INSERT OR IGNORE INTO epoch VALUES (?, ?, ?)',
            (frame.epoch, frame.stamp_ns, frame.seq),
        )
        self._states.enter_epoch(frame.epoch, first=added.rowcount > 0)
        self._history.forget()
        self._epoch = frame.epoch
