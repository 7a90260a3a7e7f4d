"""The drive: one fold over a source, and going on as if it had never stopped."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from st_memory.core.errors import StoreError
from st_memory.core.memory import MemorySettings
from st_memory.core.queries import locate, Selector, when_last_placed
from st_memory.core.records import AnswerStatus, SensedFrame
from st_memory.core.stamps import Moment
from st_memory.replay import replay
from st_memory.storage import dump, InMemoryStore, SqliteMemoryStore
from test.replay.walk import CARRY, FIRST_NS, MUG_P, STEP_NS, WalkSource


class _InterruptedSource(WalkSource):
    """Stops after some frames, as a killed run does."""

    def __init__(self, stop: int) -> None:
        super().__init__()
        self._stop = stop

    def frames(self):
        return islice(super().frames(), self._stop)


class _TwoEpochs(WalkSource):
    """The walk twice, the second time in a new epoch."""

    def frames(self):
        for epoch in (0, 1):
            for f in super().frames():
                yield SensedFrame(f.stamp_ns, epoch, f.cameras, (), f.movements)


def _uninterrupted(source: WalkSource) -> bytes:
    store = InMemoryStore()
    replay(source, store, MemorySettings())
    return dump(store)


def test_replay_reports_what_it_went_through() -> None:
    report = replay(WalkSource(80), InMemoryStore(), MemorySettings())

    assert (report.source, report.num_frames, report.num_resumed) == ('walk', 80, 0)
    assert report.first == Moment(0, FIRST_NS)
    assert report.last == Moment(0, FIRST_NS + 79 * STEP_NS)
    assert report.source_counters == {'dropped': 0}


def test_replay_leaves_a_memory_that_answers_out_of_sight() -> None:
    store = InMemoryStore()

    replay(WalkSource(80), store, MemorySettings())

    answer = locate(store, Selector(label='mug'))
    assert answer.status is AnswerStatus.KNOWN
    assert answer.object is not None
    assert answer.object.world_p == pytest.approx(tuple(MUG_P), abs=1e-6)  # exact detections
    placed = when_last_placed(store, Selector(label='bowl'))
    assert placed.stamp_ns == FIRST_NS + CARRY[1] * STEP_NS


def test_replay_puts_the_scene_in_the_store() -> None:
    store = InMemoryStore()

    replay(WalkSource(3), store, MemorySettings())

    assert [f.fixture_id for f in store.scene().fixtures] == ['counter_1']


@pytest.mark.parametrize('stop', [1, 17, 33, 79, 80])
def test_replay_interrupted_goes_on_to_the_same_memory(stop: int, tmp_path: Path) -> None:
    path = tmp_path / 'm.db'
    with SqliteMemoryStore.open(path) as store:
        replay(_InterruptedSource(stop), store, MemorySettings())

    with SqliteMemoryStore.open(path) as store:
        report = replay(WalkSource(), store, MemorySettings())
        resumed = dump(store)

    assert (report.num_resumed, report.num_frames) == (stop, 80 - stop)
    assert resumed == _uninterrupted(WalkSource())


@pytest.mark.parametrize('stop', [40, 80, 100])
def test_replay_interrupted_in_any_epoch_goes_on_to_the_same_memory(stop: int) -> None:
    store = InMemoryStore()
    first = _TwoEpochs()
    whole = list(first.frames())

    class Beginning(_TwoEpochs):
        def frames(self):
            return iter(whole[:stop])

    replay(Beginning(), store, MemorySettings())
    replay(_TwoEpochs(), store, MemorySettings())

    assert dump(store) == _uninterrupted(_TwoEpochs())


def test_replay_twice_is_the_same_to_the_byte() -> None:
    assert _uninterrupted(WalkSource()) == _uninterrupted(WalkSource())


def test_replay_of_another_source_is_refused_and_changes_nothing() -> None:
    store = InMemoryStore()
    replay(WalkSource(40), store, MemorySettings())
    before = dump(store)

    up_to = r'up to epoch 0, [0-9.]+ s, but 30 of this source lie there'
    with pytest.raises(StoreError, match=f'holds 40 frames {up_to}'):
        replay(WalkSource(80, first=10), store, MemorySettings())

    assert dump(store) == before


def test_replay_of_a_shorter_source_is_refused() -> None:
    store = InMemoryStore()
    replay(WalkSource(40), store, MemorySettings())

    with pytest.raises(StoreError, match='walk: the memory holds 40 frames'):
        replay(WalkSource(20), store, MemorySettings())


def test_replay_calls_progress_after_each_frame() -> None:
    seen = []

    replay(
        WalkSource(4), InMemoryStore(), MemorySettings(), progress=lambda n, m: seen.append((n, m))
    )

    assert seen == [(i + 1, Moment(0, FIRST_NS + i * STEP_NS)) for i in range(4)]
