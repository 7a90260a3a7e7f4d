"""The durable store: one SQLite file, one transaction a frame."""

from __future__ import annotations

import os
from pathlib import Path

from st_memory.storage.connections import ConnectionPool
from st_memory.storage.opening import reading_pool
from st_memory.storage.sql_store import SqlMemoryStore
from st_memory.storage.sql_writer import SqlWriter
from st_memory.storage.sqlite_medium import SqliteMedium

__all__ = ['SqliteMemoryStore']


class SqliteMemoryStore(SqlMemoryStore):
    """
    A ``MemoryStore`` in one SQLite file (WAL); make one with :meth:`open`.

    One writer a file, any number of readers in any thread or process while it writes. Methods
    may be called from any thread; commits of several threads take turns.
    """

    def __init__(self, pool: ConnectionPool, writer: SqlWriter | None) -> None:
        super().__init__(str(pool.path), pool, writer)
        self._path = pool.path

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        read_only: bool = False,
        synchronous: str = 'normal',
        robot_id: str | None = None,
    ) -> SqliteMemoryStore:
        """
        Open a memory file; makes it when missing, and brings an older schema up to date.

        Parameters
        ----------
        path : path-like
            The file; its folder must exist.
        read_only : bool
            Never write. A file in a folder where nobody may write is then read as it lies.
        synchronous : str
            ``normal``: a committed frame survives ``kill -9``; a power cut may take the last
            ones back. ``full``: it survives the power cut too, one disk flush a frame.
        robot_id : str, optional
            Whose the frames committed from now on are; None for that of the newest frame, or a
            random one that the file keeps.

        Raises
        ------
        StoreError
            If the file is missing (read-only), no memory file, locked by another writer, or the
            medium refuses. A file that is not ours is left as it was.
        SchemaVersionError
            If a later version of ``st_memory`` wrote the file.
        ValueError
            If ``synchronous`` is neither.

        """
        if synchronous not in ('normal', 'full'):
            raise ValueError(f"synchronous: expected 'normal' or 'full', got {synchronous!r}")
        file = Path(path)
        if read_only:
            return cls(reading_pool(file), None)
        medium = SqliteMedium(file, synchronous)
        try:
            writer = SqlWriter(medium, robot_id)
        except BaseException:
            medium.close()
            raise
        return cls(ConnectionPool(file, 'ro'), writer)

    @property
    def path(self) -> Path:
        """The file."""
        return self._path
