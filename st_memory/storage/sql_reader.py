"""The reading half of a store in a database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from st_memory.core.ports import Checkpoint, FrameName, StoredFrame
from st_memory.core.records import (
    CameraLook,
    Event,
    FrameRecord,
    ObjectState,
    Observation,
    Placement,
    Scene,
    VisibilityInterval,
)
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment
from st_memory.storage.checkpoints import newest_frame, read_checkpoint
from st_memory.storage.frame_log import FrameLog
from st_memory.storage.frame_origins import origin_at
from st_memory.storage.history_rows import HistoryReader
from st_memory.storage.interval_reader import IntervalReader
from st_memory.storage.look_rows import LookReader
from st_memory.storage.moments import latest_moment, newest_moment
from st_memory.storage.nearby import check_ball, is_within, objects_near
from st_memory.storage.scene_rows import read_scene
from st_memory.storage.sql import SnapshotPool, SqlConnection
from st_memory.storage.state_rows import StateReader
from st_memory.storage.texts import TextReader

__all__ = ['SqlReader']


class SqlReader:
    """
    A ``MemoryReader`` on a database; every method may be called from any thread.

    Parameters
    ----------
    pool : SnapshotPool
        Connections to read with.

    Notes
    -----
    Each call reads one committed state of the file. Point questions take time logarithmic in
    the number of rows; lists take time linear in what they give.

    """

    def __init__(self, pool: SnapshotPool) -> None:
        self._pool = pool
        self._texts = texts = TextReader()
        self._states = StateReader(texts)
        self._history = HistoryReader(texts)
        self._intervals = IntervalReader(texts)
        self._looks = LookReader(texts)
        self._log = FrameLog(pool, texts, self._states)

    def now(self) -> Moment | None:
        """Moment of the newest committed frame; None for an empty memory."""
        with self._pool.snapshot() as connection:
            return newest_moment(connection)

    def first_moment(self, epoch: int) -> Moment | None:
        """Moment of the first frame of an epoch; None when it has no frame."""
        with self._pool.snapshot() as connection:
            row = connection.execute(
                'SELECT first_ns FROM epoch WHERE epoch = ?', (epoch,)
            ).fetchone()
        return None if row is None else Moment(epoch, row[0])

    def latest_moment(self, at: Moment) -> Moment | None:
        """Moment of the newest frame of the moment's epoch not after it; None without one."""
        with self._pool.snapshot() as connection:
            return latest_moment(connection, at)

    def epochs(self) -> tuple[int, ...]:
        """All epochs that have a frame, ascending."""
        with self._pool.snapshot() as connection:
            return tuple(
                e for (e,) in connection.execute('SELECT epoch FROM epoch ORDER BY epoch')
            )

    def object_at(self, object_id: str, at: Moment | None = None) -> ObjectState | None:
        """State of one object, whatever its life cycle; None when it was not known then."""
        with self._snapshot(at) as (connection, moment):
            return self._states.one(connection, object_id, moment) if moment else None

    def objects_at(self, at: Moment | None = None) -> tuple[ObjectState, ...]:
        """State of every object that was known then, by object id."""
        with self._snapshot(at) as (connection, moment):
            return tuple(self._states.all(connection, moment)) if moment else ()

    def objects_called(self, name: str, at: Moment | None = None) -> tuple[ObjectState, ...]:
        """State of every object whose label or alias was the name then, by object id."""
        with self._snapshot(at) as (connection, moment):
            return tuple(self._states.called(connection, name, moment)) if moment else ()

    def intervals(
        self, object_id: str, at: Moment | None = None, camera_id: str | None = None
    ) -> tuple[VisibilityInterval, ...]:
        """Visibility intervals by (start, camera), cut at the moment."""
        with self._snapshot(at) as (connection, moment):
            if moment is None:
                return ()
            return self._intervals.all(connection, object_id, moment, camera_id)

    def placements(self, object_id: str, at: Moment | None = None) -> tuple[Placement, ...]:
        """Placements by start; one that was open then has ``end_ns`` None."""
        with self._snapshot(at) as (connection, moment):
            return self._history.placements(connection, object_id, moment) if moment else ()

    def observations(
        self, object_id: str, at: Moment | None = None, *, limit: int | None = None
    ) -> tuple[Observation, ...]:
        """
        Observations by (stamp, camera); with a limit the latest ones only.

        Raises
        ------
        ValueError
            If the limit is negative.

        """
        if limit is not None and limit < 0:
            raise ValueError(f'limit: expected 0 or more, got {limit}')
        with self._snapshot(at) as (connection, moment):
            if moment is None:
                return ()
            return self._history.observations(connection, object_id, moment, limit)

    def num_confirmed(
        self, object_id: str, camera_id: str, span: tuple[int, int], at: Moment | None = None
    ) -> int:
        """Count an object's observations by a camera in a span, thinned out ones too."""
        with self._snapshot(at) as (connection, moment):
            if moment is None:
                return 0
            return self._history.num_confirmed(connection, object_id, camera_id, span, moment)

    def events(
        self, at: Moment | None = None, *, object_id: str | None = None
    ) -> tuple[Event, ...]:
        """Events recorded by then, by (start, event id); of one object when it has a role."""
        with self._snapshot(at) as (connection, moment):
            return self._history.events(connection, moment, object_id) if moment else ()

    def look_at(self, camera_id: str | None, at: Moment | None = None) -> CameraLook | None:
        """Latest look of a camera (any for None) not after the moment; None without one."""
        with self._snapshot(at) as (connection, moment):
            return self._looks.newest(connection, camera_id, moment) if moment else None

    def looks(self, camera_id: str | None, at: Moment | None = None) -> tuple[CameraLook, ...]:
        """Every look up to the moment, by (stamp, camera)."""
        with self._snapshot(at) as (connection, moment):
            return self._looks.all(connection, camera_id, moment) if moment else ()

    def objects_within(self, world_p: Point, radius_m: float) -> tuple[ObjectState, ...]:
        """
        Objects of the newest moment in a ball, by object id.

        Raises
        ------
        ValueError
            If a number is not finite or the radius is negative.

        """
        check_ball(world_p, radius_m)
        with self._snapshot(None) as (connection, moment):
            if moment is None:
                return ()
            near = [
                self._states.one(connection, self._texts.value(connection, number), moment)
                for number in objects_near(connection, world_p, radius_m)
            ]
        found = [state for state in near if state and is_within(state, world_p, radius_m)]
        return tuple(sorted(found, key=lambda state: state.object_id))

    def deltas_after(self, seq: int) -> Iterator[StoredFrame]:
        """
        Give the frames with a greater ``seq``, in order (-1: all), as of one moment.

        Raises
        ------
        StoreError
            If the frame after ``seq`` has its moment.
        ValueError
            If ``seq`` is less than -1.

        """
        with self._pool.snapshot() as connection:
            yield from self._log.after(connection, seq)

    def frame_at(self, seq: int) -> FrameName | None:
        """Moment and origin of a frame; None when there is no such frame."""
        with self._pool.snapshot() as connection:
            row = connection.execute(
                'SELECT epoch, stamp_ns FROM frame WHERE seq = ?', (seq,)
            ).fetchone()
            origin = origin_at(connection, seq)
        return None if row is None or origin is None else FrameName(Moment(*row), origin)

    def checkpoint(self) -> Checkpoint | None:
        """Give the newest frame and the objects of its epoch; None for an empty memory."""
        with self._pool.snapshot() as connection:
            return read_checkpoint(connection, self._states)

    def scene(self) -> Scene:
        """Scene given last; empty when there was none."""
        with self._pool.snapshot() as connection:
            return read_scene(connection)

    def frames(self) -> Iterator[FrameRecord]:
        """Every frame in order of ``seq``; only the newest has its ``fold_json``."""
        with self._pool.snapshot() as connection:
            newest = newest_frame(connection)
            for seq, epoch, stamp_ns in connection.execute(
                'SELECT seq, epoch, stamp_ns FROM frame ORDER BY seq'
            ):
                is_newest = newest is not None and seq == newest.seq
                fold_json = newest.fold_json if newest and is_newest else ''
                yield FrameRecord(epoch, stamp_ns, seq, fold_json)

    def versions(self, object_id: str, epoch: int) -> Iterator[tuple[int, ObjectState]]:
        """Every state an object had in an epoch with the stamp it dates from, by stamp."""
        with self._pool.snapshot() as connection:
            yield from self._states.versions(connection, object_id, epoch)

    @contextmanager
    def _snapshot(self, at: Moment | None) -> Iterator[tuple[SqlConnection, Moment | None]]:
        """Give a connection and the moment; None stands for the newest frame's."""
        with self._pool.snapshot() as connection:
            yield connection, at if at is not None else newest_moment(connection)
