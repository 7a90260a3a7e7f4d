"""An answer as of T is the same whether or not the store holds later frames."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from st_memory.core.ports import MemoryStore
from st_memory.core.records import FrameDelta
from st_memory.core.stamps import Moment
from st_memory.storage import dump, InMemoryStore, SqliteMemoryStore
from test.storage.delta_strategies import answers, delta_sequences, quick_folder

Store = TypeVar('Store', bound=MemoryStore)


def filled(store: Store, deltas: Iterable[FrameDelta]) -> Store:
    """Commit frames to a store and give it back."""
    for delta in deltas:
        store.commit(delta)
    return store


def until(deltas: Iterable[FrameDelta], at: Moment) -> list[FrameDelta]:
    """Cut a sequence after the last frame at or before a moment."""
    return [d for d in deltas if Moment(d.frame.epoch, d.frame.stamp_ns) <= at]


@settings(max_examples=30, deadline=None)
@given(deltas=delta_sequences(), data=st.data())
def test_answer_as_of_t_is_that_of_a_store_truncated_at_t(
    deltas: tuple[FrameDelta, ...], data: st.DataObject
) -> None:
    """The full file, the file truncated at T and the oracle agree on every question."""
    oracle = filled(InMemoryStore(), deltas)
    with quick_folder() as folder, SqliteMemoryStore.open(Path(folder) / 'full.db') as full:
        filled(full, deltas)
        assert answers(full, None) == answers(oracle, None)
        for number in range(2):
            near = data.draw(st.sampled_from(deltas)).frame
            at = Moment(near.epoch, near.stamp_ns + data.draw(st.integers(-1, 1)))
            expected = answers(oracle, at)
            with SqliteMemoryStore.open(Path(folder) / f'cut{number}.db') as cut:
                filled(cut, until(deltas, at))

                assert answers(full, at) == expected
                assert answers(cut, at) == expected


@settings(max_examples=20, deadline=None)
@given(deltas=delta_sequences(), data=st.data())
def test_dump_after_reopening_midway_is_that_of_the_oracle(
    deltas: tuple[FrameDelta, ...], data: st.DataObject
) -> None:
    """Closing and opening between any two frames changes nothing."""
    pause = data.draw(st.integers(0, len(deltas)))
    oracle = filled(InMemoryStore(), deltas)
    with quick_folder() as folder:
        path = Path(folder) / 'memory.db'
        with SqliteMemoryStore.open(path) as before:
            filled(before, deltas[:pause])
        with SqliteMemoryStore.open(path) as store:
            filled(store, deltas[pause:])

            assert dump(store) == dump(oracle)
            assert store.checkpoint() == oracle.checkpoint()
