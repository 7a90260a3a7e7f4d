"""
Make ``v4.db``: a memory with every kind of row, as schema 4 writes it.

Run ``python -m test.storage.schemas.make_v4 OUT.db`` with the version that writes schema 4; later
versions of the package write later schemas.
"""

from __future__ import annotations

from pathlib import Path
import sys

from st_memory.core.ports import MemoryStore
from test.contracts.memory_store import frame, track
from test.storage.schemas import make_v1, make_v3

__all__ = ['fill']


def fill(store: MemoryStore) -> None:
    """Commit what schema 3 knows, then an object that may be another one."""
    make_v3.fill(store)
    doubtful = track(
        object_id='jar_1',
        epoch=1,
        identity_confidence=0.625,
        identity_alternatives=('jar_2', 'ünï "jar"'),
    )
    store.commit(frame(6, 9, epoch=1, tracks=doubtful))


if __name__ == '__main__':
    make_v1.write(Path(sys.argv[1]), fill)
