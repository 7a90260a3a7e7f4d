"""A writer that lies: it says that frames are safe long before they are committed."""

from __future__ import annotations

from pathlib import Path
import sys

from st_memory.bags import BagFrameSource
from st_memory.benchmark.laws.recorded import fold_of
from st_memory.storage import SqliteMemoryStore

if __name__ == '__main__':
    bag, db = map(Path, sys.argv[1:])
    source = BagFrameSource(bag)
    memory = fold_of(source.scene)
    with SqliteMemoryStore.open(db) as store:
        store.put_scene(source.scene)
        deltas = []
        for seq, frame in enumerate(source.frames()):
            deltas.append(memory.integrate(frame))
            sys.stdout.write(f'{seq}\n')
            sys.stdout.flush()
        for delta in deltas:
            store.commit(delta)
