"""
Make ``v3.db``: a memory with every kind of row, as schema 3 writes it.

Run ``python -m test.storage.schemas.make_v3 OUT.db`` with the version that writes schema 3; later
versions of the package write later schemas.
"""

from __future__ import annotations

from pathlib import Path
import sys

from st_memory.core.ports import FrameOrigin, MemoryStore, StoredFrame
from test.contracts.memory_store import frame, interval, look, track
from test.storage.schemas import make_v1, make_v2

__all__ = ['fill']


def fill(store: MemoryStore) -> None:
    """Commit what schema 2 knows, then a frame of another robot with a thinned observation."""
    make_v2.fill(store)
    moved = track(object_id='jar_1', epoch=1, world_p=(7.0, 8.0, 9.0))
    delta = frame(
        5, 8, epoch=1, tracks=moved, looks=(look(8, epoch=1),), intervals=(interval(8, epoch=1),)
    )
    thinned = (('cup_1', 'head'),)
    store.restore(StoredFrame(FrameOrigin('robot_7', 'boot_3'), delta, thinned))


if __name__ == '__main__':
    make_v1.write(Path(sys.argv[1]), fill)
