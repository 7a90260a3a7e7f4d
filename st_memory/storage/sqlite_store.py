"""The durable store: one SQLite file, one transaction a frame."""

from __future__ import annotations

import os
from pathlib import Path

from st_memory.core.errors import StoreError
from st_memory.core.ports import Checkpoint
from st_memory.core.records import FrameDelta, Scene, TrackRecord
from st_memory.storage.connections import ConnectionPool
from st_memory.storage.delta_checks import moment_of
from st_memory.storage.opening import reading_pool
from st_memory.storage.sqlite_reader import newest_frame, SqliteReader
from st_memory.storage.sqlite_writer import SqliteWriter

__all__ = ['SqliteMemoryStore']


class SqliteMemoryStore(SqliteReader):
    """
    A ``MemoryStore`` in one SQLite file (WAL); make one with :meth:`open`.

    One writer a file, any number of readers in any thread or process while it writes. Methods
    may be called from any thread; commits of several threads take turns.
    """

    def __init__(self, pool: ConnectionPool, writer: SqliteWriter | None) -> None:
        super().__init__(pool)
        self._writer = writer

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, read_only: bool = False, synchronous: str = 'normal'
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
        writer = SqliteWriter(file, synchronous)
        return cls(ConnectionPool(file, 'ro'), writer)

    @property
    def path(self) -> Path:
        """The file."""
        return self._pool.path

    def commit(self, delta: FrameDelta) -> None:
        """
        Append one frame, all or nothing; after a return it survives ``kill -9``.

        Raises
        ------
        StoreError
            If the frame's ``seq`` is not the next one, its moment lies before the newest, or
            the medium refuses; the memory is as before then, and the frame may be tried again.
        ValueError
            If a row does not belong to the frame.

        """
        self._writing().commit(delta)

    def put_scene(self, scene: Scene) -> None:
        """Keep the scene; replaces an earlier one."""
        self._writing().put_scene(scene)

    def checkpoint(self) -> Checkpoint | None:
        """Give the newest frame and the objects of its epoch; None for an empty memory."""
        with self._pool.snapshot() as connection:
            frame = newest_frame(connection)
            if frame is None:
                return None
            folds = dict(
                connection.execute(
                    'SELECT value, fold_json FROM track JOIN text ON text.id = track.object'
                ).fetchall()
            )
            states = self._states.all(connection, moment_of(frame))
        return Checkpoint(frame, tuple(TrackRecord(s, folds[s.object_id]) for s in states))

    def close(self) -> None:
        """Release the file; further calls raise :class:`StoreError`; harmless when done twice."""
        self._pool.close()
        if self._writer is not None:
            self._writer.close()

    def __enter__(self) -> SqliteMemoryStore:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _writing(self) -> SqliteWriter:
        if self._writer is None:
            raise StoreError(f'{self.path}: opened read-only')
        return self._writer
