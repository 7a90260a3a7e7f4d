"""The newest frame, and what the fold goes on from."""

from __future__ import annotations

from st_memory.core.ports import Checkpoint
from st_memory.core.records import FrameRecord, TrackRecord
from st_memory.storage.delta_checks import moment_of
from st_memory.storage.sql import SqlConnection
from st_memory.storage.state_rows import StateReader

__all__ = ['newest_frame', 'read_checkpoint']


def newest_frame(connection: SqlConnection) -> FrameRecord | None:
    """Give the frame committed last; None for an empty memory."""
    row = connection.execute(
        'SELECT epoch, stamp_ns, seq, fold_json FROM frame, head ORDER BY seq DESC LIMIT 1'
    ).fetchone()
    return None if row is None else FrameRecord(*row)


def read_checkpoint(connection: SqlConnection, states: StateReader) -> Checkpoint | None:
    """Give the newest frame and the objects of its epoch; None for an empty memory."""
    frame = newest_frame(connection)
    if frame is None:
        return None
    folds = dict(
        connection.execute(
            'SELECT value, fold_json FROM track JOIN text ON text.id = track.object'
        ).fetchall()
    )
    newest = states.all(connection, moment_of(frame))
    return Checkpoint(frame, tuple(TrackRecord(s, folds[s.object_id]) for s in newest))
