"""One writer, many readers: in threads and in other processes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
import subprocess
import sys

import pytest

from st_memory.core.errors import StoreError
from st_memory.core.stamps import Moment
from st_memory.storage import SqliteMemoryStore
from test.contracts.memory_store import frame, track

ROOT = Path(__file__).parents[2]


def test_second_writer_is_refused(tmp_path: Path) -> None:
    """Two writers would each think that the next frame is theirs."""
    path = tmp_path / 'memory.db'
    with SqliteMemoryStore.open(path):
        with pytest.raises(StoreError, match='another writer has this memory open'):
            SqliteMemoryStore.open(path)


def test_second_writer_in_another_process_is_refused(tmp_path: Path) -> None:
    """The lock holds between processes."""
    path = tmp_path / 'memory.db'
    code = (
        'import sys; from st_memory.storage import SqliteMemoryStore; '
        'SqliteMemoryStore.open(sys.argv[1])'
    )
    with SqliteMemoryStore.open(path):
        child = subprocess.run(
            [sys.executable, '-c', code, str(path)], cwd=ROOT, capture_output=True, check=False
        )

    assert child.returncode == 1
    assert b'another writer has this memory open' in child.stderr


def test_next_writer_is_let_in_after_close(tmp_path: Path) -> None:
    """Closing gives the file back and leaves nothing beside it."""
    path = tmp_path / 'memory.db'
    SqliteMemoryStore.open(path).close()
    with SqliteMemoryStore.open(path) as store:
        store.commit(frame(0, 10))

    assert [p.name for p in tmp_path.iterdir()] == ['memory.db']


def test_next_writer_is_let_in_after_a_refused_open(tmp_path: Path) -> None:
    """A refused open leaves no lock."""
    path = tmp_path / 'memory.db'
    path.write_text('no database')
    with pytest.raises(StoreError, match='not a database'):
        SqliteMemoryStore.open(path)
    path.unlink()

    SqliteMemoryStore.open(path).close()


def test_read_only_store_refuses_to_write(tmp_path: Path) -> None:
    """A reader never writes."""
    path = tmp_path / 'memory.db'
    with SqliteMemoryStore.open(path), SqliteMemoryStore.open(path, read_only=True) as reader:
        with pytest.raises(StoreError, match='opened read-only'):
            reader.commit(frame(0, 10))


def test_reader_sees_frames_committed_meanwhile(tmp_path: Path) -> None:
    """``now`` of an open reader moves with the writer's commits."""
    path = tmp_path / 'memory.db'
    with SqliteMemoryStore.open(path) as store:
        with SqliteMemoryStore.open(path, read_only=True) as reader:
            assert reader.now() is None
            store.commit(frame(0, 10, tracks=track()))
            assert reader.now() == Moment(0, 10)
            store.commit(frame(1, 20, tracks=track(label='mug')))

            found = reader.object_at('cup_1')

            assert found is not None
            assert found.label == 'mug'


def test_readers_in_threads_see_whole_frames(tmp_path: Path) -> None:
    """While frames are written, every reading is of one frame, and readings never go back."""
    path = tmp_path / 'memory.db'

    def read(_: int) -> list[int]:
        counts = []
        while not counts or counts[-1] < 99:
            state = store.object_at('cup_1')
            moment = store.now()
            counts.append(state.num_moves if state else 0)
            assert moment is None or moment.stamp_ns >= counts[-1]
        return counts

    with SqliteMemoryStore.open(path) as store, ThreadPoolExecutor(4) as threads:
        readings = [threads.submit(read, i) for i in range(4)]
        for seq in range(100):
            rows = track(num_moves=seq, num_observations=seq)
            store.commit(frame(seq, seq, tracks=rows))

        for reading in readings:
            counts = reading.result(timeout=60)
            assert counts == sorted(counts)


def test_commits_of_two_threads_take_turns(tmp_path: Path) -> None:
    """Only one of two threads can have the next frame; the other is told so."""
    with SqliteMemoryStore.open(tmp_path / 'memory.db') as store, ThreadPoolExecutor(2) as threads:
        attempts = [threads.submit(store.commit, frame(0, 10)) for _ in range(2)]

        errors = [attempt.exception(timeout=60) for attempt in attempts]

        assert sorted(error is None for error in errors) == [False, True]
        assert 'expected frame seq 1, got 0' in str(errors)


def test_closed_while_reading_lets_the_reading_end(tmp_path: Path) -> None:
    """A listing in flight keeps its connection until it is done."""
    store = SqliteMemoryStore.open(tmp_path / 'memory.db')
    store.commit(frame(0, 10))
    store.commit(frame(1, 20))
    listing = store.frames()
    next(listing)

    store.close()

    assert [row.seq for row in listing] == [1]
