"""A writer killed with -9 loses no frame that it had acknowledged."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
import signal
import sqlite3
import subprocess
import sys

import numpy as np
import pytest

from st_memory.storage import dump, InMemoryStore, SqliteMemoryStore
from test.storage.crash_writer import delta_of

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize('run', range(20))
def test_writer_killed_midway_keeps_every_acknowledged_frame(tmp_path: Path, run: int) -> None:
    """The reopened memory holds all acknowledged frames, at most one more, and no torn one."""
    path = tmp_path / 'memory.db'
    num_acknowledged = int(np.random.default_rng(run).integers(1, 120))
    # After that many acknowledgements the writer is somewhere in one of the next frames.
    command = [sys.executable, '-m', 'test.storage.crash_writer', str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        for _ in range(num_acknowledged):
            last = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        rest = writer.stdout.read().split()
    last = max([last, *map(int, rest[:-1])])  # a last line may be cut short

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute('PRAGMA integrity_check').fetchall() == [('ok',)]
    with SqliteMemoryStore.open(path) as store:
        checkpoint = store.checkpoint()
        assert checkpoint is not None
        assert checkpoint.frame.seq >= last
        expected = InMemoryStore()
        for seq in range(checkpoint.frame.seq + 1):
            expected.commit(delta_of(seq))
        assert dump(store) == dump(expected)
        store.commit(delta_of(checkpoint.frame.seq + 1))
