"""A ``MemoryStore`` in a database: what the engines have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from st_memory.core.errors import StoreError
from st_memory.core.ports import StoredFrame
from st_memory.core.records import FrameDelta, Scene
from st_memory.storage.sql import SnapshotPool
from st_memory.storage.sql_reader import SqlReader
from st_memory.storage.sql_writer import SqlWriter
from st_memory.storage.thinning import Retention, ThinningReport

__all__ = ['SqlMemoryStore']

_Store = TypeVar('_Store', bound='SqlMemoryStore')


class SqlMemoryStore(SqlReader):
    """
    One writer a memory, any number of readers in any thread or process while it writes.

    Methods may be called from any thread; commits of several threads take turns.

    Parameters
    ----------
    name : str
        What messages call it.
    pool : SnapshotPool
        Connections to read with.
    writer : SqlWriter, optional
        None for a store that is only read.

    """

    def __init__(self, name: str, pool: SnapshotPool, writer: SqlWriter | None) -> None:
        super().__init__(pool)
        self.name = name
        self._writer = writer

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

    def restore(self, frame: StoredFrame) -> None:
        """
        Append a frame of another memory, all or nothing, and keep its origin.

        Raises
        ------
        StoreError, ValueError
            As :meth:`commit`.

        """
        self._writing().restore(frame)

    def restore_all(self, frames: Iterable[StoredFrame]) -> int:
        """
        Append many frames of another memory, some hundreds in a transaction.

        Returns
        -------
        int
            Their number. After an error the batches before the one that failed are there.

        Raises
        ------
        StoreError, ValueError
            As :meth:`commit`.

        """
        return self._writing().restore_all(frames)

    def compact(self, policy: Retention) -> ThinningReport:
        """
        Thin observations out as a policy says, then give the space back.

        Placements, intervals, events, states and every count are as before. A crash at any
        moment leaves a whole memory in which less was thinned.

        Raises
        ------
        StoreError
            If the medium refuses.

        """
        writer = self._writing()
        report = writer.thin(policy)
        writer.reclaim()
        return report

    def put_scene(self, scene: Scene) -> None:
        """Keep the scene; replaces an earlier one."""
        self._writing().put_scene(scene)

    def close(self) -> None:
        """Release the medium; further calls raise ``StoreError``; harmless when done twice."""
        self._pool.close()
        if self._writer is not None:
            self._writer.close()

    def __enter__(self: _Store) -> _Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _writing(self) -> SqlWriter:
        if self._writer is None:
            raise StoreError(f'{self.name}: opened read-only')
        return self._writer
