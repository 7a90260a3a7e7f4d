"""
Fold a bag into a memory and say the number of each frame once it is acknowledged.

Started as a process of its own by :mod:`st_memory.benchmark.laws.crash`, which kills it.
"""

from __future__ import annotations

from pathlib import Path
import sys

from st_memory.benchmark.laws.recorded import go_on
from st_memory.storage import SqliteMemoryStore

__all__ = ['main']


def main(arguments: list[str]) -> int:
    """Fold the frames of ``BAG`` into ``DB`` from wherever it left off."""
    bag, db = map(Path, arguments)
    with SqliteMemoryStore.open(db) as store:
        for seq in go_on(bag, store):
            # The commit has returned: whoever reads this line may rely on the frame.
            sys.stdout.write(f'{seq}\n')
            sys.stdout.flush()
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
