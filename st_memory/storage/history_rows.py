"""Read what happened up to a moment: observations, placements, events."""

from __future__ import annotations

from collections.abc import Sequence
import json
from typing import Any

from st_memory.core.records import Event, Observation, Placement
from st_memory.core.stamps import Moment
from st_memory.storage.codec import LAST_STAMP
from st_memory.storage.ordinals import num_observations
from st_memory.storage.sql import SqlConnection
from st_memory.storage.texts import TextReader

__all__ = ['HistoryReader']

_OBSERVATION = """
    SELECT ordinal, stamp_ns, observation_id, label, score, source, camera_x, camera_y, camera_z,
        world_x, world_y, world_z, box_u, box_v, box_w, box_h
    FROM observation WHERE sightline = ? AND stamp_ns <= ?
    ORDER BY stamp_ns DESC, ordinal DESC LIMIT ?"""

_PLACEMENT = """
    SELECT start_ns, end_ns, recorded_ns, x, y, z, fixture, source FROM placement
    WHERE object = ? AND epoch = ? AND appended_ns <= ? ORDER BY start_ns, number"""

_EVENT_COLUMNS = 'event_id, event_type, start_ns, end_ns, recorded_ns, roles, source, detail'

# A later row of the same id replaces an earlier one.
_EVENTS = f"""
    SELECT {_EVENT_COLUMNS} FROM event WHERE epoch = ? AND appended_ns <= ? ORDER BY id"""
_EVENTS_OF = f"""
    SELECT {_EVENT_COLUMNS} FROM event WHERE id IN (
        SELECT max(newest.id) FROM event_role
        JOIN event named ON named.id = event_role.event
        JOIN event newest ON newest.epoch = named.epoch AND newest.event_id = named.event_id
        WHERE event_role.participant = ? AND newest.epoch = ? AND newest.appended_ns <= ?
        GROUP BY newest.event_id)"""


class HistoryReader:
    """
    Read the history of objects.

    Parameters
    ----------
    texts : TextReader
        Strings by number.

    """

    def __init__(self, texts: TextReader) -> None:
        self._texts = texts

    def observations(
        self, connection: SqlConnection, object_id: str, at: Moment, limit: int | None
    ) -> tuple[Observation, ...]:
        """Observations by (stamp, camera); with a limit the latest ones only."""
        sightlines = connection.execute(
            'SELECT id, camera FROM sightline WHERE object = ? AND epoch = ?',
            (self._texts.number(connection, object_id), at.epoch),
        ).fetchall()
        most = LAST_STAMP if limit is None else limit
        keyed = []
        for sightline, camera in sightlines:
            camera_id = self._texts.value(connection, camera)
            for ordinal, *row in connection.execute(_OBSERVATION, (sightline, at.stamp_ns, most)):
                observation = self.observation(connection, object_id, camera_id, at.epoch, row)
                keyed.append(((observation.stamp_ns, camera_id, ordinal), observation))
        keyed.sort(key=lambda item: item[0])
        newest = keyed if limit is None else keyed[max(0, len(keyed) - limit) :]
        return tuple(observation for _, observation in newest)

    def num_confirmed(
        self,
        connection: SqlConnection,
        object_id: str,
        camera_id: str,
        span: tuple[int, int],
        at: Moment,
    ) -> int:
        """Count observations in a half-open span, thinned out ones too: two look-ups."""
        key = (
            self._texts.number(connection, object_id),
            at.epoch,
            self._texts.number(connection, camera_id),
        )
        row = connection.execute(
            'SELECT id FROM sightline WHERE object = ? AND epoch = ? AND camera = ?', key
        ).fetchone()
        last_ns = min(span[1] - 1, at.stamp_ns)
        if row is None or last_ns < span[0]:
            return 0
        until = num_observations(connection, row[0], last_ns)
        return until - num_observations(connection, row[0], span[0], '<')

    def placements(
        self, connection: SqlConnection, object_id: str, at: Moment
    ) -> tuple[Placement, ...]:
        """Placements by start, each as its newest row by then has it."""
        key = (self._texts.number(connection, object_id), at.epoch, at.stamp_ns)
        newest = {row[0]: row for row in connection.execute(_PLACEMENT, key)}
        return tuple(
            Placement(
                object_id,
                at.epoch,
                start_ns,
                end_ns,
                recorded_ns,
                (x, y, z),
                self._texts.value(connection, fixture),
                self._texts.value(connection, source),
            )
            for start_ns, end_ns, recorded_ns, x, y, z, fixture, source in newest.values()
        )

    def events(
        self, connection: SqlConnection, at: Moment, object_id: str | None
    ) -> tuple[Event, ...]:
        """Events by (start, event id), each as its newest row by then has it."""
        if object_id is None:
            rows = connection.execute(_EVENTS, (at.epoch, at.stamp_ns))
        else:
            number = self._texts.number(connection, object_id)
            rows = connection.execute(_EVENTS_OF, (number, at.epoch, at.stamp_ns))
        newest = {row[0]: self.event(connection, at.epoch, row) for row in rows.fetchall()}
        found = [
            event
            for event in newest.values()
            if object_id is None or object_id in [who for _, who in event.roles]
        ]
        return tuple(sorted(found, key=lambda event: (event.start_ns, event.event_id)))

    def observation(
        self,
        connection: SqlConnection,
        object_id: str,
        camera_id: str,
        epoch: int,
        row: Sequence[Any],
    ) -> Observation:
        """Turn a row, from its stamp on, into an observation."""
        stamp_ns, observation_id, label, score, source, cx, cy, cz, wx, wy, wz, u, v, w, h = row
        return Observation(
            observation_id,
            object_id,
            epoch,
            stamp_ns,
            self._texts.value(connection, label),
            score,
            camera_id,
            None if cx is None else (cx, cy, cz),
            None if wx is None else (wx, wy, wz),
            None if u is None else (u, v, w, h),
            self._texts.value(connection, source),
        )

    def event(self, connection: SqlConnection, epoch: int, row: tuple[Any, ...]) -> Event:
        """Turn a row into an event."""
        event_id, event_type, start_ns, end_ns, recorded_ns, roles, source, detail = row
        return Event(
            event_id,
            self._texts.value(connection, event_type),
            epoch,
            start_ns,
            end_ns,
            recorded_ns,
            tuple((role, who) for role, who in json.loads(roles)),
            self._texts.value(connection, source),
            detail,
        )
