"""How many bytes of disk a visibility interval takes, beside a bare table of intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
import tempfile

from benchmarks.figure import Figure, Goal, Measured
from benchmarks.history import History
from benchmarks.reference.interval_table import IntervalTable
from st_memory.core.ports import StoredFrame
from st_memory.core.records import VisibilityInterval
from st_memory.storage import SqliteMemoryStore

__all__ = ['BYTES_PER_INTERVAL', 'compare']

_FRAMES = 18_000


def compare(num_frames: int) -> Measured:
    """
    Write the intervals of a thousand objects frame by frame, and the same frames without them.

    The difference of the two files is what the intervals take: rows, pages that are not full,
    their names and verdicts. Nothing is vacuumed.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare = IntervalTable(folder / 'bare.db')
        count = 0

        def full_frames() -> Iterator[StoredFrame]:
            nonlocal count
            for frame in _frames(num_frames):
                rows = frame.delta.intervals
                count += sum(row.end_ns is None for row in rows)
                bare.append(_bare_row(row) for row in rows)
                yield frame

        with SqliteMemoryStore.open(folder / 'full.db') as full:
            full.restore_all(full_frames())
        with SqliteMemoryStore.open(folder / 'empty.db') as empty:
            empty.restore_all(_without_intervals(frame) for frame in _frames(num_frames))
        bare.close()
        sizes = [(folder / f'{name}.db').stat().st_size for name in ('full', 'empty', 'bare')]
    return Measured((sizes[0] - sizes[1]) / count, sizes[2] / count, {'intervals': count})


def _bare_row(row: VisibilityInterval) -> tuple[int, int, int | None, int]:
    return (int(row.object_id.partition('_')[2]), row.start_ns, row.end_ns, int(row.state))


def _without_intervals(frame: StoredFrame) -> StoredFrame:
    return frame._replace(delta=replace(frame.delta, intervals=()))


def _frames(num_frames: int) -> Iterator[StoredFrame]:
    """Give the frames of the history with their looks and intervals alone."""
    for frame, _ in zip(History().frames(), range(num_frames), strict=False):
        delta = replace(frame.delta, tracks=(), observations=(), placements=())
        yield frame._replace(delta=delta)


BYTES_PER_INTERVAL = Figure(
    name='bytes_per_interval',
    unit='B',
    reference='bare SQLite: (object, start, end, state) by (object, start), in the same order',
    measure=lambda: compare(_FRAMES),
    goal=Goal('value', '<=', 40.0),
)
