"""The writing connection to a memory file."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
import sqlite3

from st_memory.storage.connections import one_line_errors, transaction
from st_memory.storage.opening import check_place, writing_connection
from st_memory.storage.writer_lock import WriterLock

__all__ = ['SqliteMedium']


class SqliteMedium:
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
        self.name = str(path)
        self._path = path
        self._lock = WriterLock(path)
        try:
            with one_line_errors(path, 'open'):
                self.connection: sqlite3.Connection = writing_connection(path, synchronous)
        except BaseException:
            self._lock.release()
            raise

    def transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        """Run the body in one write transaction: all of it or nothing."""
        return transaction(self.connection)

    def reclaim(self) -> None:
        """Write the file anew without its holes; needs room for a copy meanwhile."""
        self.connection.execute('VACUUM')
        self.connection.execute('PRAGMA wal_checkpoint(TRUNCATE)').fetchall()

    def errors(self, doing: str) -> AbstractContextManager[None]:
        """Turn what SQLite raises into one line."""
        return one_line_errors(self._path, doing)

    def close(self) -> None:
        """Release the file and the lock."""
        self.connection.close()
        self._lock.release()
