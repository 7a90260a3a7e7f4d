"""Write what a frame appended to the history: looks, observations, intervals and the rest."""

from __future__ import annotations

import json
from typing import Any

from st_memory.core.ports import StoredFrame
from st_memory.core.records import (
    CameraLook,
    Event,
    Observation,
    Placement,
    VisibilityInterval,
)
from st_memory.storage.codec import encode_pose, LAST_STAMP
from st_memory.storage.interval_rows import append_row, IntervalRow
from st_memory.storage.ordinals import num_observations
from st_memory.storage.sql import SqlConnection
from st_memory.storage.texts import TextWriter

__all__ = ['HistoryWriter']

_LOOK = """
    INSERT INTO look VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (camera, epoch, stamp_ns) DO UPDATE SET
        ordinal = excluded.ordinal, detector_reported = excluded.detector_reported,
        pose = excluded.pose"""
_OBSERVATION = f'INSERT INTO observation VALUES (?{", ?" * 16})'
_EVENT = """
    INSERT INTO event (epoch, appended_ns, event_id, event_type, start_ns, end_ns, recorded_ns,
        roles, source, detail)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id"""


class HistoryWriter:
    """
    Write rows of one epoch; knows how many looks and observations each camera has had.

    Parameters
    ----------
    connection : SqlConnection
        Inside the writer's transaction.
    texts : TextWriter
        Numbers of strings.

    """

    def __init__(self, connection: SqlConnection, texts: TextWriter) -> None:
        self._db = connection
        self._texts = texts
        self._sightlines: dict[tuple[str, str], int] = {}
        self._num_observations: dict[int, int] = {}
        self._newest_looks: dict[int, tuple[int, int]] = {}
        self._verdicts: dict[tuple[int, int, str, str], int] = {}

    def forget(self) -> None:
        """Drop what belongs to another epoch or was rolled back."""
        self._sightlines.clear()
        self._num_observations.clear()
        self._newest_looks.clear()
        self._verdicts.clear()

    def write(self, stored: StoredFrame) -> None:
        """Write all but the objects of a frame."""
        delta = stored.delta
        stamp_ns = delta.frame.stamp_ns
        for object_id, camera_id in stored.thinned:
            self._write_thinned(object_id, camera_id, delta.frame.epoch, stamp_ns)
        for look in delta.looks:
            self._write_look(look)
        self._db.executemany(_OBSERVATION, [self._observation(o) for o in delta.observations])
        for interval in delta.intervals:
            self._write_interval(interval, stamp_ns)
        for placement in delta.placements:
            self._write_placement(placement, stamp_ns)
        for event in delta.events:
            self._write_event(event, stamp_ns)

    def _write_look(self, look: CameraLook) -> None:
        camera = self._texts.number(look.camera_id)
        newest = (
            self._newest_looks.get(camera)
            or self._db.execute(
                'SELECT stamp_ns, ordinal FROM look WHERE camera = ? AND epoch = ? '
                'ORDER BY stamp_ns DESC LIMIT 1',
                (camera, look.epoch),
            ).fetchone()
        )
        ordinal = 1
        if newest is not None:
            ordinal = newest[1] + (newest[0] != look.stamp_ns)
        self._newest_looks[camera] = (look.stamp_ns, ordinal)
        pose = None if look.world_T_camera is None else encode_pose(look.world_T_camera)
        reported = int(look.detector_reported)
        self._db.execute(
            _LOOK,
            (camera, look.epoch, look.stamp_ns, ordinal, reported, pose),
        )

    def _observation(self, row: Observation) -> tuple[Any, ...]:
        sightline, ordinal = self._next_ordinal(row.object_id, row.epoch, row.camera_id)
        return (
            sightline,
            row.stamp_ns,
            ordinal,
            row.observation_id,
            self._texts.number(row.label),
            row.score,
            self._texts.number(row.source),
            *(row.camera_p or (None, None, None)),
            *(row.world_p or (None, None, None)),
            *(row.box_px or (None, None, None, None)),
        )

    def _write_thinned(self, object_id: str, camera_id: str, epoch: int, stamp_ns: int) -> None:
        sightline, ordinal = self._next_ordinal(object_id, epoch, camera_id)
        self._db.execute('INSERT INTO thinned VALUES (?, ?, ?)', (sightline, stamp_ns, ordinal))

    def _next_ordinal(self, object_id: str, epoch: int, camera_id: str) -> tuple[int, int]:
        """Give the sightline of a new observation, and the how manieth of it that is."""
        sightline = self._sightline(object_id, epoch, camera_id)
        before = self._num_observations.get(sightline)
        if before is None:
            before = num_observations(self._db, sightline, LAST_STAMP)
        self._num_observations[sightline] = before + 1
        return sightline, before + 1

    def _write_interval(self, row: VisibilityInterval, stamp_ns: int) -> None:
        append_row(
            self._db,
            self._sightline(row.object_id, row.epoch, row.camera_id),
            row.start_ns,
            IntervalRow(
                stamp_ns,
                row.end_ns,
                row.last_frame_ns,
                self._verdict(row),
                row.num_frames,
                row.num_confirmed,
            ),
        )

    def _write_placement(self, row: Placement, stamp_ns: int) -> None:
        key = (self._texts.number(row.object_id), row.epoch, row.start_ns)
        (number,) = self._db.execute(
            'SELECT count(*) FROM placement WHERE object = ? AND epoch = ? AND start_ns = ?', key
        ).fetchone()
        fixture, source = self._texts.number(row.fixture_id), self._texts.number(row.source)
        self._db.execute(
            f'INSERT INTO placement VALUES (?{", ?" * 11})',
            (*key, number, stamp_ns, row.end_ns, row.recorded_ns, *row.world_p, fixture, source),
        )

    def _write_event(self, row: Event, stamp_ns: int) -> None:
        (number,) = self._db.execute(
            _EVENT,
            (
                row.epoch,
                stamp_ns,
                row.event_id,
                self._texts.number(row.event_type),
                row.start_ns,
                row.end_ns,
                row.recorded_ns,
                json.dumps(row.roles, ensure_ascii=False),
                self._texts.number(row.source),
                row.detail,
            ),
        ).fetchone()
        self._db.executemany(
            'INSERT INTO event_role VALUES (?, ?) ON CONFLICT DO NOTHING',
            [(self._texts.number(who), number) for _, who in row.roles],
        )

    def _sightline(self, object_id: str, epoch: int, camera_id: str) -> int:
        """Give the number of a sightline, a new one when it has none."""
        found = self._sightlines.get((object_id, camera_id))
        if found is None:
            key = (self._texts.number(object_id), epoch, self._texts.number(camera_id))
            row = self._db.execute(
                'SELECT id FROM sightline WHERE object = ? AND epoch = ? AND camera = ?', key
            ).fetchone()
            row = (
                row
                or self._db.execute(
                    'INSERT INTO sightline (object, epoch, camera) VALUES (?, ?, ?) RETURNING id',
                    key,
                ).fetchone()
            )
            found = self._sightlines[object_id, camera_id] = int(row[0])
        return found

    def _verdict(self, row: VisibilityInterval) -> int:
        """Give the number of a verdict, a new one when it has none."""
        key = (int(row.state), int(row.geometry), row.cause, row.occluder_id)
        found = self._verdicts.get(key)
        if found is None:
            values = (
                *key[:2],
                self._texts.number(row.cause),
                self._texts.number(row.occluder_id),
            )
            at = self._db.execute(
                'SELECT id FROM verdict WHERE state = ? AND geometry = ? AND cause = ? '
                'AND occluder = ?',
                values,
            ).fetchone()
            at = (
                at
                or self._db.execute(
                    'INSERT INTO verdict (state, geometry, cause, occluder) VALUES (?, ?, ?, ?) '
                    'RETURNING id',
                    values,
                ).fetchone()
            )
            found = self._verdicts[key] = int(at[0])
        return found
