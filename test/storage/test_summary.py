"""``inspect`` counts what a file holds and writes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from st_memory.core.errors import StoreError
from st_memory.core.stamps import Moment
from st_memory.storage import EpochSummary, inspect, SqliteMemoryStore
from test.contracts.memory_store import frame, look, seen, track


def test_inspect_counts_rows_and_epochs(tmp_path: Path) -> None:
    """Counts worked out by hand."""
    path = tmp_path / 'memory.db'
    with SqliteMemoryStore.open(path) as store:
        store.commit(frame(0, 10, tracks=track(), looks=(look(10),), observations=(seen(10),)))
        store.commit(frame(1, 20, tracks=track(last_seen_ns=20), looks=(look(20),)))
        store.commit(frame(2, 5, epoch=4))

    before = path.read_bytes()
    found = inspect(path)

    assert found.schema_version == len(found.migrations) == 5
    assert found.migrations == (
        '0001_initial',
        '0002_attitude',
        '0003_origins',
        '0004_identity',
        '0005_called',
    )
    assert found.epochs == (EpochSummary(0, 10, 20, 2, 1), EpochSummary(4, 5, 5, 1, 0))
    assert found.first_moment == Moment(0, 10)
    assert found.last_moment == Moment(4, 5)
    assert found.counts['frame'] == 3
    assert found.counts['version'] == found.counts['look'] == 2
    assert found.counts['slow_state'] == found.counts['observation'] == 1
    assert found.counts['called'] == 3  # a label and two aliases
    assert list(found.counts) == sorted(found.counts)
    assert found.size_bytes == len(before)
    assert path.read_bytes() == before


def test_inspect_counts_the_log_of_an_open_memory(tmp_path: Path) -> None:
    """Frames that are only in the write-ahead log count as well."""
    path = tmp_path / 'memory.db'
    with SqliteMemoryStore.open(path) as store:
        store.commit(frame(0, 10))

        found = inspect(path)

        assert found.counts['frame'] == 1
        assert found.size_bytes > path.stat().st_size


def test_inspect_empty_memory_has_no_moments(tmp_path: Path) -> None:
    """A memory without frames is summed up all the same."""
    SqliteMemoryStore.open(tmp_path / 'memory.db').close()

    found = inspect(tmp_path / 'memory.db')

    assert found.first_moment is None
    assert found.last_moment is None
    assert found.epochs == ()


def test_inspect_missing_file_is_one_line(tmp_path: Path) -> None:
    """As every other refusal."""
    with pytest.raises(StoreError, match=r'none\.db: no such file'):
        inspect(tmp_path / 'none.db')
