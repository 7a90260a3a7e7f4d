"""Commit frames for ever and say each one's number once it is acknowledged."""

from __future__ import annotations

import sys

from st_memory.core.ports import MemoryStore
from st_memory.core.records import (
    CameraLook,
    FrameDelta,
    FrameRecord,
    ObjectState,
    Observation,
    TrackRecord,
    Visibility,
    VisibilityInterval,
)
from st_memory.storage import SqliteMemoryStore

__all__ = ['delta_of']


def delta_of(seq: int) -> FrameDelta:
    """Give the frame with a number: three objects seen, one interval closed, one opened."""
    stamp_ns = 1_000 * (seq + 1)
    names = [f'object_{(seq + i) % 7}' for i in range(3)]
    return FrameDelta(
        FrameRecord(0, stamp_ns, seq, f'{{"frames":{seq + 1}}}'),
        tracks=tuple(
            TrackRecord(
                ObjectState(name, 'cup', 0, world_p=(seq / 3, 0.0, 1.0), last_seen_ns=stamp_ns),
                f'{{"seq":{seq}}}',
            )
            for name in sorted(names)
        ),
        observations=tuple(
            Observation(f'{seq}-{name}', name, 0, stamp_ns, 'cup', 0.5, 'head') for name in names
        ),
        intervals=(_interval(names[0], stamp_ns, None), _interval(names[1], 1_000, stamp_ns)),
        looks=(CameraLook('head', 0, stamp_ns, None, detector_reported=True),),
    )


def _interval(object_id: str, start_ns: int, end_ns: int | None) -> VisibilityInterval:
    state = Visibility.VISIBLE
    return VisibilityInterval(object_id, 'head', 0, start_ns, end_ns, start_ns, state, state)


def _write_for_ever(path: str) -> None:
    store: MemoryStore
    if path.startswith('postgresql://'):
        from st_memory.storage.postgres_store import PostgresMemoryStore

        store = PostgresMemoryStore.open(path)
    else:
        store = SqliteMemoryStore.open(path)
    seq = 0
    while True:
        store.commit(delta_of(seq))
        sys.stdout.write(f'{seq}\n')
        sys.stdout.flush()
        seq += 1


if __name__ == '__main__':
    _write_for_ever(sys.argv[1])
