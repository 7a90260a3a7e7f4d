"""The frames in order, each with the rows that it appended: how one memory feeds another."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from st_memory.core.errors import StoreError
from st_memory.core.ports import StoredFrame
from st_memory.core.records import FrameDelta, FrameRecord
from st_memory.core.stamps import Moment
from st_memory.storage.checkpoints import read_checkpoint
from st_memory.storage.delta_checks import moment_of
from st_memory.storage.frame_origins import Origins
from st_memory.storage.frame_rows import FrameRows
from st_memory.storage.sql import SnapshotPool, SqlConnection
from st_memory.storage.state_rows import StateReader
from st_memory.storage.texts import TextReader

__all__ = ['FrameLog']

_FRAMES = 'SELECT epoch, stamp_ns, seq FROM frame WHERE seq > ? ORDER BY seq'


class FrameLog:
    """
    Read a memory frame by frame.

    Parameters
    ----------
    pool : SnapshotPool
        Gives rows one by one, so that no table is held in memory.
    texts : TextReader
        Strings by number.
    states : StateReader
        Object states.

    """

    def __init__(self, pool: SnapshotPool, texts: TextReader, states: StateReader) -> None:
        self._pool = pool
        self._states = states
        self._rows = FrameRows(texts, states)

    def after(self, connection: SqlConnection, seq: int) -> Iterator[StoredFrame]:
        """Give the frames after one, in order."""
        if seq < -1:
            raise ValueError(f'seq: expected -1 or more, got {seq}')
        checkpoint = read_checkpoint(connection, self._states)
        if checkpoint is None or checkpoint.frame.seq <= seq:
            return
        first = _first_moment(connection, seq)
        origins = Origins(connection)
        streams = {
            kind: _Stream(self._pool.stream(connection, query, (first.epoch, first.stamp_ns)))
            for kind, query in self._rows.queries.items()
        }
        frames = self._pool.stream(connection, _FRAMES, (seq,))
        frame = _record(next(frames))
        for following in chain(map(_record, frames), [None]):
            moment = moment_of(frame)
            taken: dict[str, Any] = {}
            # Frames of one moment cannot be told apart: the last of them has the rows.
            if following is None or moment_of(following) != moment:
                for kind, stream in streams.items():
                    rows = stream.take(moment)
                    taken[kind] = self._rows.records(connection, kind, moment, rows)
            thinned = taken.pop('thinned', ())
            if following is None:
                frame, taken['tracks'] = checkpoint.frame, checkpoint.tracks
            yield StoredFrame(origins.of(frame.seq), FrameDelta(frame, **taken), thinned)
            if following is not None:
                frame = following


class _Stream:
    """Rows in the order of their moments, handed out moment by moment."""

    def __init__(self, rows: Iterator[tuple[Any, ...]]) -> None:
        self._rows = rows
        self._next = next(rows, None)

    def take(self, moment: Moment) -> list[tuple[Any, ...]]:
        """Give the rows of a moment, without it."""
        taken = []
        key = (moment.epoch, moment.stamp_ns)
        while self._next is not None and self._next[:2] == key:
            taken.append(self._next[2:])
            self._next = next(self._rows, None)
        return taken


def _record(row: tuple[int, int, int]) -> FrameRecord:
    epoch, stamp_ns, seq = row
    return FrameRecord(epoch, stamp_ns, seq, '')


def _first_moment(connection: SqlConnection, seq: int) -> Moment:
    """Give the moment of the frame after one; the rows of that one must lie before it."""
    found = {
        row[0]: Moment(*row[1:])
        for row in connection.execute(
            'SELECT seq, epoch, stamp_ns FROM frame WHERE seq IN (?, ?)', (seq, seq + 1)
        ).fetchall()
    }
    if found.get(seq) == found[seq + 1]:
        raise StoreError(
            f'frames {seq} and {seq + 1} have the same moment, and their rows cannot be told '
            'apart: start from an earlier frame'
        )
    return found[seq + 1]
