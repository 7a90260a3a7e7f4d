"""The rows that frames appended, by table and in the order of the frames, as records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from st_memory.core.records import (
    CameraLook,
    Placement,
    TrackRecord,
    VisibilityInterval,
)
from st_memory.core.stamps import Moment
from st_memory.storage.codec import decode_pose, wrap
from st_memory.storage.history_rows import HistoryReader
from st_memory.storage.interval_reader import IntervalReader
from st_memory.storage.sql import SqlConnection
from st_memory.storage.state_rows import StateReader, VERSION_COLUMNS
from st_memory.storage.texts import TextReader

__all__ = ['FrameRows']

_SINCE = 'WHERE ({epoch}, {stamp}) >= (?, ?) ORDER BY {epoch}, {stamp}'


def _query(columns: str, tables: str, stamp: str, order: str, epoch: str = 'epoch') -> str:
    """Rows from a moment on, each after its moment."""
    since = _SINCE.format(epoch=epoch, stamp=stamp)
    return f'SELECT {epoch}, {stamp}, {columns} FROM {tables} {since}, {order}'


_OBSERVATION = (
    's.object, s.camera, o.observation_id, o.label, o.score, o.source, o.camera_x, o.camera_y, '
    'o.camera_z, o.world_x, o.world_y, o.world_z, o.box_u, o.box_v, o.box_w, o.box_h'
)
_PLACEMENT = 'object, start_ns, end_ns, recorded_ns, x, y, z, fixture, source'
_EVENT = 'event_id, event_type, start_ns, end_ns, recorded_ns, roles, source, detail'

# What an interval's newest row tells (see interval_rows.expand), and its earlier rows.
_OPENED = 'stamp_sum(i.start_ns, i.open_late_ns)'
_END = 'stamp_sum(i.start_ns, i.length_ns)'
_CLOSED = f'stamp_sum({_END}, i.close_late_ns)'
_INTERVALS = f"""
    SELECT s.epoch, {_OPENED} AS appended_ns, s.object, s.camera, i.start_ns,
        NULL AS end_ns, NULL AS tail_ns, i.start_ns AS last_ns, i.verdict, 1 AS num_frames,
        0 AS num_confirmed, i.sightline, 1 AS rank, 0 AS number
    FROM interval i JOIN sightline s ON s.id = i.sightline
    WHERE i.length_ns IS NULL OR {_OPENED} < {_CLOSED}
    UNION ALL SELECT s.epoch, {_CLOSED}, s.object, s.camera, i.start_ns,
        {_END}, i.tail_ns, NULL, i.verdict, i.num_frames, i.num_confirmed, i.sightline, 2, 0
    FROM interval i JOIN sightline s ON s.id = i.sightline WHERE i.length_ns IS NOT NULL
    UNION ALL SELECT s.epoch, p.appended_ns, s.object, s.camera, p.start_ns,
        p.end_ns, NULL, p.last_frame_ns, p.verdict, p.num_frames, p.num_confirmed, p.sightline,
        0, p.number
    FROM interval_past p JOIN sightline s ON s.id = p.sightline"""
_INTERVAL_COLUMNS = (
    'object, camera, start_ns, end_ns, tail_ns, last_ns, verdict, num_frames, num_confirmed'
)


_ORDER: Mapping[str, Callable[[Any], Any]] = {
    'tracks': lambda track: track.state.object_id,
    'looks': lambda look: look.camera_id,
    'observations': lambda row: (row.object_id, row.camera_id),
    'thinned': lambda who: who,
    'intervals': lambda row: (row.object_id, row.camera_id, row.start_ns),
    'placements': lambda row: (row.object_id, row.start_ns),
}


class FrameRows:
    """
    Turn rows of a frame into records.

    Parameters
    ----------
    texts : TextReader
        Strings by number.
    states : StateReader
        Object states.

    Attributes
    ----------
    queries : mapping of str to str
        By field of a delta (and ``thinned``): rows as (epoch, stamp, columns...), from a moment
        on, in the order of the moments.

    """

    queries: Mapping[str, str] = {
        'tracks': _query(
            f'v.object, {VERSION_COLUMNS}',
            'version v JOIN position p ON p.id = v.position',
            'v.stamp_ns',
            'v.object',
            'v.epoch',
        ),
        'looks': _query('camera, detector_reported, pose', 'look', 'stamp_ns', 'camera'),
        'observations': _query(
            _OBSERVATION,
            'observation o JOIN sightline s ON s.id = o.sightline',
            'o.stamp_ns',
            'o.sightline, o.ordinal',
            's.epoch',
        ),
        'thinned': _query(
            's.object, s.camera',
            'thinned t JOIN sightline s ON s.id = t.sightline',
            't.stamp_ns',
            't.sightline, t.ordinal',
            's.epoch',
        ),
        'intervals': _query(
            _INTERVAL_COLUMNS,
            f'({_INTERVALS}) AS told',
            'appended_ns',
            'sightline, start_ns, rank, number',
        ),
        'placements': _query(_PLACEMENT, 'placement', 'appended_ns', 'object, start_ns, number'),
        'events': _query(_EVENT, 'event', 'appended_ns', 'id'),
    }

    def __init__(self, texts: TextReader, states: StateReader) -> None:
        self._texts = texts
        self._states = states
        self._history = HistoryReader(texts)
        self._verdicts = IntervalReader(texts)

    def records(
        self,
        connection: SqlConnection,
        kind: str,
        moment: Moment,
        rows: Sequence[tuple[Any, ...]],
    ) -> tuple[Any, ...]:
        """Give the records of a frame's rows of one kind, in an order that names alone decide."""
        read = getattr(self, f'_{kind}')
        records = [read(connection, moment, row) for row in rows]
        if kind in _ORDER:
            records.sort(key=_ORDER[kind])  # rows of one name stay in the order of the query
        return tuple(records)

    def _tracks(self, connection: SqlConnection, at: Moment, row: tuple[Any, ...]) -> TrackRecord:
        object_id = self._texts.value(connection, row[0])
        return TrackRecord(self._states.state(connection, object_id, at.epoch, row[1:]), '')

    def _looks(self, connection: SqlConnection, at: Moment, row: tuple[Any, ...]) -> CameraLook:
        camera, reported, pose = row
        camera_id = self._texts.value(connection, camera)
        place = None if pose is None else decode_pose(pose)
        return CameraLook(camera_id, at.epoch, at.stamp_ns, place, bool(reported))

    def _observations(self, connection: SqlConnection, at: Moment, row: tuple[Any, ...]) -> object:
        object_id, camera_id = (self._texts.value(connection, n) for n in row[:2])
        values = (at.stamp_ns, *row[2:])
        return self._history.observation(connection, object_id, camera_id, at.epoch, values)

    def _thinned(
        self, connection: SqlConnection, at: Moment, row: tuple[Any, ...]
    ) -> tuple[str, ...]:
        del at
        return tuple(self._texts.value(connection, number) for number in row)

    def _intervals(
        self, connection: SqlConnection, at: Moment, row: tuple[Any, ...]
    ) -> VisibilityInterval:
        who, camera, start_ns, end_ns, tail_ns, last_ns, verdict, num_frames, num_confirmed = row
        return VisibilityInterval(
            self._texts.value(connection, who),
            self._texts.value(connection, camera),
            at.epoch,
            start_ns,
            end_ns,
            last_ns if tail_ns is None else wrap(end_ns - tail_ns),
            *self._verdicts.verdict(connection, verdict),
            num_frames,
            num_confirmed,
        )

    def _placements(
        self, connection: SqlConnection, at: Moment, row: tuple[Any, ...]
    ) -> Placement:
        number, start_ns, end_ns, recorded_ns, x, y, z, fixture, source = row
        object_id, fixture_id, told_by = (
            self._texts.value(connection, n) for n in (number, fixture, source)
        )
        place = (x, y, z)
        return Placement(
            object_id, at.epoch, start_ns, end_ns, recorded_ns, place, fixture_id, told_by
        )

    def _events(self, connection: SqlConnection, at: Moment, row: tuple[Any, ...]) -> object:
        return self._history.event(connection, at.epoch, row)
