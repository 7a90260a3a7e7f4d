"""
Make ``v2.db``: a memory with every kind of row, as schema 2 writes it.

Run ``python -m test.storage.schemas.make_v2 OUT.db`` with the version that writes schema 2; later
versions of the package write later schemas.
"""

from __future__ import annotations

from pathlib import Path
import sys

from st_memory.core.ports import MemoryStore
from test.contracts.memory_store import frame, track
from test.storage.schemas import make_v1

__all__ = ['fill']


def fill(store: MemoryStore) -> None:
    """Commit what schema 1 knows, then an object whose box has turned."""
    make_v1.fill(store)
    turned = track(object_id='jar_1', epoch=1, quat_xyzw=(0.1, -0.0, -0.7, 0.70710678))
    store.commit(frame(4, 7, epoch=1, tracks=turned))


if __name__ == '__main__':
    make_v1.write(Path(sys.argv[1]), fill)
