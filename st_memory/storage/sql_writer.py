"""The writing half of a store in a database: one frame, one transaction."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from itertools import islice
import threading
from typing import Protocol

from st_memory.core.errors import StoreError
from st_memory.core.ports import StoredFrame
from st_memory.core.records import FrameDelta, FrameRecord, Scene
from st_memory.storage.checkpoints import newest_frame
from st_memory.storage.delta_checks import check_delta
from st_memory.storage.frame_origins import new_origin
from st_memory.storage.frame_writer import FrameWriter
from st_memory.storage.scene_rows import write_scene
from st_memory.storage.sql import SqlConnection
from st_memory.storage.thinning import (
    Retention,
    sightlines_to_thin,
    thin_sightline,
    ThinningReport,
)

__all__ = ['SqlWriter', 'WritingMedium']

# Frames of another memory that share a transaction: one each would wait for the disk each time.
_FRAMES_AT_ONCE = 500


class WritingMedium(Protocol):
    """The one connection that writes, and what keeps it the one."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def connection(self) -> SqlConnection:
        """Used by one thread at a time."""

    def transaction(self) -> AbstractContextManager[object]:
        """Run the body in one write transaction: all of it or nothing."""

    def reclaim(self) -> None:
        """Give unused space back to the system."""

    def errors(self, doing: str) -> AbstractContextManager[object]:
        """Turn what the engine raises into one line that begins with the name."""

    def close(self) -> None:
        """Let the next writer in."""


class SqlWriter:
    """
    Write frames to a medium; methods may be called from any thread and take turns.

    Parameters
    ----------
    medium : WritingMedium
        Opened, and at the newest schema.
    robot_id : str, optional
        Of the frames committed from now on; None for that of the newest frame.

    """

    def __init__(self, medium: WritingMedium, robot_id: str | None = None) -> None:
        self._medium = medium
        self._turn = threading.Lock()
        self._is_open = True
        with medium.errors('open'):
            self._newest: FrameRecord | None = newest_frame(medium.connection)
            self._origin = new_origin(medium.connection, robot_id)
        self._frames = FrameWriter(medium.connection)

    def commit(self, delta: FrameDelta) -> None:
        """Append a frame of this opening, all or nothing."""
        self.restore(StoredFrame(self._origin, delta))

    def restore(self, stored: StoredFrame) -> None:
        """Append a frame, all or nothing, with its origin."""
        frame = stored.delta.frame
        with self._turn:
            self._check_open()
            check_delta(stored.delta, self._newest)
            with self._medium.errors(f'write frame {frame.seq}'):
                try:
                    with self._medium.transaction():
                        self._frames.write(stored)
                except BaseException:
                    self._frames.forget()
                    raise
            self._newest = frame

    def restore_all(self, frames: Iterable[StoredFrame]) -> int:
        """Append frames, some hundreds in a transaction; give their number."""
        remaining, count = iter(frames), 0
        while batch := list(islice(remaining, _FRAMES_AT_ONCE)):
            with self._turn:
                self._check_open()
                self._restore_batch(batch)
            count += len(batch)
        return count

    def _restore_batch(self, batch: list[StoredFrame]) -> None:
        newest = self._newest
        first, last = batch[0].delta.frame.seq, batch[-1].delta.frame.seq
        with self._medium.errors(f'write frames {first} to {last}'):
            try:
                with self._medium.transaction():
                    for stored in batch:
                        check_delta(stored.delta, newest)
                        self._frames.write(stored)
                        newest = stored.delta.frame
            except BaseException:
                self._frames.forget()
                raise
        self._newest = newest

    def thin(self, policy: Retention) -> ThinningReport:
        """Thin observations out, a transaction for each sightline; other writes take turns."""
        connection = self._medium.connection
        with self._turn:
            self._check_open()
            with self._medium.errors('be thinned'):
                (count,) = connection.execute('SELECT count(*) FROM observation').fetchone()
                sightlines = sightlines_to_thin(connection, policy)
        num_thinned = 0
        for sightline, until_ns in sightlines:
            with self._turn:
                self._check_open()
                with self._medium.errors('be thinned'), self._medium.transaction():
                    num_thinned += thin_sightline(connection, sightline, until_ns, policy)
        return ThinningReport(count, num_thinned)

    def reclaim(self) -> None:
        """Give the space of what was taken out back to the system."""
        with self._turn:
            self._check_open()
            with self._medium.errors('give space back'):
                self._medium.reclaim()

    def put_scene(self, scene: Scene) -> None:
        """Replace the scene."""
        with self._turn:
            self._check_open()
            with self._medium.errors('write the scene'), self._medium.transaction():
                write_scene(self._medium.connection, scene)

    def close(self) -> None:
        """Let the next writer in; harmless when done twice."""
        with self._turn:
            if self._is_open:
                self._is_open = False
                self._medium.close()

    def _check_open(self) -> None:
        if not self._is_open:
            raise StoreError(f'{self._medium.name}: memory is closed')
