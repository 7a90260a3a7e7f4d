"""
Make ``v5.db``: a memory with every kind of row, as schema 5 writes it.

Run ``python -m test.storage.schemas.make_v5 OUT.db`` with the version that writes schema 5; later
versions of the package write later schemas.
"""

from __future__ import annotations

from pathlib import Path
import sys

from st_memory.core.ports import MemoryStore
from test.contracts.memory_store import frame, track
from test.storage.schemas import make_v1, make_v4

__all__ = ['fill']


def fill(store: MemoryStore) -> None:
    """Commit what schema 4 knows, then an object that is renamed."""
    make_v4.fill(store)
    for seq, label in ((7, 'ÜBERTOPF'), (8, 'Vase')):
        tracks = track(object_id='pot_1', epoch=1, label=label, aliases=('Cachepot',))
        store.commit(frame(seq, 9, epoch=1, tracks=tracks))


if __name__ == '__main__':
    make_v1.write(Path(sys.argv[1]), fill)
