"""A medium that refuses loses no earlier frame and takes the frame again later."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from st_memory.core.errors import StoreError
from st_memory.core.records import Event
from st_memory.core.stamps import Moment
from st_memory.storage import dump, InMemoryStore, SqliteMemoryStore
from test.contracts.memory_store import frame, interval, look, seen, track


def full_frame(seq: int) -> object:
    """Build a frame with rows of most kinds."""
    t = 10 * (seq + 1)
    return frame(
        seq, t, tracks=track(label=f'label {seq}', num_moves=seq), looks=(look(t),),
        observations=(seen(t),), intervals=(interval(t, cause=f'cause {seq}'),),
    )  # fmt: skip


def test_full_disk_is_one_line_and_the_frame_may_be_tried_again(tmp_path: Path) -> None:
    """What the failed attempt left in memory must not show in the second one."""
    big = Event('e', 'moved', 0, 0, 0, 20, (), 'fold', 'x' * 1_000_000)
    second = full_frame(1)
    with SqliteMemoryStore.open(tmp_path / 'memory.db') as store:
        store.commit(full_frame(0))  # type: ignore[arg-type]
        connection = store._writing()._medium.connection
        (num_pages,) = connection.execute('PRAGMA page_count').fetchone()
        connection.execute(f'PRAGMA max_page_count = {num_pages + 5}')

        with pytest.raises(StoreError, match=r'memory\.db: cannot write frame 1: .* full'):
            store.commit(frame(1, 20, tracks=second.tracks, events=(big,)))  # type: ignore[attr-defined]

        assert store.now() == Moment(0, 10)
        connection.execute('PRAGMA max_page_count = 1000000')
        store.commit(second)  # type: ignore[arg-type]
        oracle = InMemoryStore()
        for seq in range(2):
            oracle.commit(full_frame(seq))  # type: ignore[arg-type]
        assert dump(store) == dump(oracle)


@pytest.mark.parametrize(
    ('label', 'reason'), [('\ud800', 'surrogates'), (np.int64(3), 'cannot store')]
)
def test_value_that_sqlite_cannot_keep_is_refused(
    tmp_path: Path, label: object, reason: str
) -> None:
    """Nothing is written in another shape than it came in."""
    with SqliteMemoryStore.open(tmp_path / 'memory.db') as store:
        with pytest.raises(StoreError, match=reason):
            store.commit(frame(0, 10, tracks=track(label=label)))

        assert store.now() is None


@pytest.mark.parametrize('stamp_ns', [2**63, -(2**63) - 1])
def test_stamp_outside_int64_is_refused(tmp_path: Path, stamp_ns: int) -> None:
    """Stamps are int64."""
    with SqliteMemoryStore.open(tmp_path / 'memory.db') as store:
        with pytest.raises(StoreError, match='too large'):
            store.commit(frame(0, stamp_ns))


def test_label_of_ten_megabytes_comes_back(tmp_path: Path) -> None:
    """Long strings are kept whole."""
    label = 'ä' * 5_000_000
    with SqliteMemoryStore.open(tmp_path / 'memory.db') as store:
        store.commit(frame(0, 10, tracks=track(label=label)))

        found = store.object_at('cup_1')

        assert found is not None
        assert found.label == label
