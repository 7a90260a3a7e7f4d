"""The writing half of the SQLite store."""

from __future__ import annotations

from pathlib import Path
import sqlite3
import threading

from st_memory.core.errors import StoreError
from st_memory.core.records import FrameDelta, FrameRecord, Scene
from st_memory.storage.connections import one_line_errors, transaction
from st_memory.storage.delta_checks import check_delta
from st_memory.storage.frame_writer import FrameWriter
from st_memory.storage.opening import check_place, writing_connection
from st_memory.storage.scene_rows import write_scene
from st_memory.storage.sqlite_reader import newest_frame
from st_memory.storage.writer_lock import WriterLock

__all__ = ['SqliteWriter']


class SqliteWriter:
    """
    The one connection that writes, and the lock that keeps it the one.

    Parameters
    ----------
    path : Path
        The file; made when missing.
    synchronous : str
        ``normal`` or ``full``.

    Raises
    ------
    StoreError
        As :meth:`SqliteMemoryStore.open` says.

    """

    def __init__(self, path: Path, synchronous: str) -> None:
        check_place(path, must_exist=False)
        self._path = path
        self._turn = threading.Lock()
        self._lock = WriterLock(path)
        try:
            with one_line_errors(path, 'open'):
                self._connection: sqlite3.Connection | None = writing_connection(path, synchronous)
                self._newest: FrameRecord | None = newest_frame(self._connection)
        except BaseException:
            self._lock.release()
            raise
        self._frames = FrameWriter(self._connection)

    def commit(self, delta: FrameDelta) -> None:
        """Append one frame, all or nothing."""
        with self._turn:
            connection = self._open_connection()
            check_delta(delta, self._newest)
            with one_line_errors(self._path, f'write frame {delta.frame.seq}'):
                try:
                    with transaction(connection):
                        self._frames.write(delta)
                except BaseException:
                    self._frames.forget()
                    raise
            self._newest = delta.frame

    def put_scene(self, scene: Scene) -> None:
        """Replace the scene."""
        with self._turn:
            connection = self._open_connection()
            with one_line_errors(self._path, 'write the scene'), transaction(connection):
                write_scene(connection, scene)

    def close(self) -> None:
        """Release the file and the lock; harmless when done twice."""
        with self._turn:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
                self._lock.release()

    def _open_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StoreError(f'{self._path}: memory is closed')
        return self._connection
