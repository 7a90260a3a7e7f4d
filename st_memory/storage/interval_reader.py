"""Read visibility intervals, cut at a moment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from st_memory.core.records import Visibility, VisibilityInterval
from st_memory.core.stamps import Moment
from st_memory.storage.interval_rows import expand, IntervalRow, MAIN_COLUMNS, row_at
from st_memory.storage.ordinals import num_observations
from st_memory.storage.sql import SqlConnection
from st_memory.storage.texts import TextReader

__all__ = ['IntervalReader']

_Verdict = tuple[Visibility, Visibility, str, str]


class _Sightline(NamedTuple):
    """An object as one camera sees it, and how far both had come at the moment asked for."""

    number: int
    object_id: str
    camera: int
    camera_id: str
    at: Moment
    num_looks: int
    last_look_ns: int
    num_observations: int


class IntervalReader:
    """
    Read intervals; keeps decoded verdicts, which never change.

    Parameters
    ----------
    texts : TextReader
        Strings by number.

    """

    def __init__(self, texts: TextReader) -> None:
        self._texts = texts
        self._verdicts: dict[int, _Verdict] = {}

    def all(
        self,
        connection: SqlConnection,
        object_id: str,
        at: Moment,
        camera_id: str | None,
    ) -> tuple[VisibilityInterval, ...]:
        """Intervals by (start, camera) that counted at the moment."""
        rows = connection.execute(
            'SELECT id, camera FROM sightline WHERE object = ? AND epoch = ?',
            (self._texts.number(connection, object_id), at.epoch),
        ).fetchall()
        found: list[VisibilityInterval] = []
        for number, camera in rows:
            name = self._texts.value(connection, camera)
            if camera_id in (None, name):
                looks, last_ns = _looks_until(connection, camera, at.epoch, at.stamp_ns, '<=')
                seen = num_observations(connection, number, at.stamp_ns)
                line = _Sightline(number, object_id, camera, name, at, looks, last_ns, seen)
                found.extend(self._of_sightline(connection, line))
        found.sort(key=lambda interval: (interval.start_ns, interval.camera_id))
        return tuple(found)

    def _of_sightline(
        self, connection: SqlConnection, line: _Sightline
    ) -> Iterator[VisibilityInterval]:
        key = (line.number, line.at.stamp_ns)
        past = defaultdict(list)
        for start_ns, *values in connection.execute(
            'SELECT start_ns, appended_ns, end_ns, last_frame_ns, verdict, num_frames, '
            'num_confirmed FROM interval_past WHERE sightline = ? AND start_ns <= ? '
            'ORDER BY start_ns, number',
            key,
        ):
            past[start_ns].append(IntervalRow(*values))
        for start_ns, *main in connection.execute(
            f'SELECT start_ns, {MAIN_COLUMNS} FROM interval '
            'WHERE sightline = ? AND start_ns <= ? ORDER BY start_ns',
            key,
        ).fetchall():
            row = row_at((*past[start_ns], *expand(start_ns, main)), line.at.stamp_ns)
            if row is not None:
                if row.end_ns is None:
                    row = _count(connection, line, start_ns, row)
                yield self._interval(connection, line, start_ns, row)

    def _interval(
        self, connection: SqlConnection, line: _Sightline, start_ns: int, row: IntervalRow
    ) -> VisibilityInterval:
        state, geometry, cause, occluder_id = self.verdict(connection, row.verdict)
        return VisibilityInterval(
            line.object_id,
            line.camera_id,
            line.at.epoch,
            start_ns,
            row.end_ns,
            row.last_frame_ns,
            state,
            geometry,
            cause,
            occluder_id,
            row.num_frames,
            row.num_confirmed,
        )

    def verdict(self, connection: SqlConnection, number: int) -> _Verdict:
        """Give what a verdict says: state, geometry, cause, occluder."""
        return self._verdicts.get(number) or self._read_verdict(connection, number)

    def _read_verdict(self, connection: SqlConnection, number: int) -> _Verdict:
        state, geometry, cause, occluder = connection.execute(
            'SELECT state, geometry, cause, occluder FROM verdict WHERE id = ?', (number,)
        ).fetchone()
        verdict = self._verdicts[number] = (
            Visibility(state),
            Visibility(geometry),
            self._texts.value(connection, cause),
            self._texts.value(connection, occluder),
        )
        return verdict


def _count(
    connection: SqlConnection, line: _Sightline, start_ns: int, row: IntervalRow
) -> IntervalRow:
    """Count the frames and confirmations from the start up to the moment."""
    looks, _ = _looks_until(connection, line.camera, line.at.epoch, start_ns, '<')
    seen = num_observations(connection, line.number, start_ns, '<')
    num_frames = line.num_looks - looks
    return row._replace(
        last_frame_ns=line.last_look_ns if num_frames else start_ns,
        num_frames=max(1, num_frames),
        num_confirmed=line.num_observations - seen,
    )


def _looks_until(
    connection: SqlConnection, camera: int, epoch: int, stamp_ns: int, until: str
) -> tuple[int, int]:
    """Count a camera's looks up to a stamp ('<=') or before it ('<'); with the latest's stamp."""
    row = connection.execute(
        f'SELECT ordinal, stamp_ns FROM look WHERE camera = ? AND epoch = ? '
        f'AND stamp_ns {until} ? ORDER BY stamp_ns DESC LIMIT 1',
        (camera, epoch, stamp_ns),
    ).fetchone()
    return (0, 0) if row is None else row
