"""
Fold a bag into a memory and say the number of each frame once it is acknowledged.

Started as a process of its own by :mod:`st_memory.benchmark.laws.crash`, which kills it.
"""

from __future__ import annotations

from pathlib import Path
import sys
import time

from st_memory.benchmark.laws.recorded import go_on
from st_memory.storage import SqliteMemoryStore

__all__ = ['main']


def main(arguments: list[str]) -> int:
    """
    Fold the frames of ``BAG`` into ``DB`` from wherever it left off.

    With ``--time`` the last line is how many seconds that took from the first acknowledged frame
    to the closed file: whoever reads the lines may have been kept waiting.
    """
    bag, db, *more = arguments
    begun_s: float | None = None
    with SqliteMemoryStore.open(Path(db)) as store:
        for seq in go_on(Path(bag), store):
            # The commit has returned: whoever reads this line may rely on the frame.
            sys.stdout.write(f'{seq}\n')
            sys.stdout.flush()
            begun_s = begun_s or time.perf_counter()
    if '--time' in more:
        took_s = time.perf_counter() - begun_s if begun_s is not None else 0.0
        sys.stdout.write(f'{took_s:.6f}\n')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
