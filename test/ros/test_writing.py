"""Nobody who receives or asks waits on the disk, and what a disk refuses is said."""

from __future__ import annotations

from pathlib import Path
import threading
from typing import Any

import pytest

from st_memory.conversions.assembly_settings import AssemblerSettings, ReleasePolicy
from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.core.errors import StoreError
from st_memory.core.memory import MemorySettings
from st_memory.core.ports import MemoryStore
from st_memory.core.records import FrameDelta
from st_memory.core.visibility import VisibilityPreset
from st_memory.ros.ingest import Ingest
from st_memory.ros.live_store import LiveStore
from st_memory.storage import InMemoryStore, SqliteMemoryStore
from test.ros.cup_recording import write_cup_recording
from test.ros.test_ingest import _messages, Ears

PATIENCE_S = 60.0


class StuckStore(InMemoryStore):
    """A store whose disk does not answer until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked = threading.Event()
        self.let_go = threading.Event()

    def commit(self, delta: FrameDelta) -> None:
        """Wait, then commit."""
        self.is_asked.set()
        assert self.let_go.wait(PATIENCE_S)
        super().commit(delta)


@pytest.fixture(scope='module')
def messages(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[TopicRole, Any]]:
    """A recording of a cup, message by message."""
    return _messages(write_cup_recording(tmp_path_factory.mktemp('cup') / 'cup.mcap'))


def ingest_into(
    store: MemoryStore, messages: list[tuple[TopicRole, Any]], ears: Ears, capacity: int = 1000
) -> tuple[Ingest, LiveStore]:
    """Make an ingest that nothing has been handed to yet."""
    roles = tuple(dict.fromkeys(role for role, _ in messages))
    live = LiveStore(store)
    settings = AssemblerSettings(release=ReleasePolicy.DEADLINE)
    ingest = Ingest(
        live, MemorySettings(), VisibilityPreset(), settings, lambda: roles, ears.listener(),
        capacity,
    )  # fmt: skip
    return ingest, live


def test_stuck_disk_keeps_nobody_waiting(messages: list[tuple[TopicRole, Any]]) -> None:
    """All messages can be handed in and questions answered while the first commit hangs."""
    store, ears = StuckStore(), Ears()
    ingest, live = ingest_into(store, messages, ears)
    ingest.start()

    for role, message in messages:
        ingest.put(role, message)
    assert store.is_asked.wait(PATIENCE_S)
    view = live.view()

    assert not store.let_go.is_set()
    assert view.now() is None
    assert view.objects_at() == ()
    assert ears.deltas == [], 'nothing is told before it is on disk'
    assert ingest.progress.num_frames == 0

    store.let_go.set()
    assert ingest.stop(PATIENCE_S)
    assert len(ears.deltas) == ingest.progress.num_frames == 30
    assert live.now() is not None


def test_full_queue_is_counted_and_said(messages: list[tuple[TopicRole, Any]]) -> None:
    """Of a hundred images three may wait; of the transforms all do; no message is unaccounted."""
    store, ears = StuckStore(), Ears()
    ingest, _ = ingest_into(store, messages, ears, capacity=3)
    image = next(m for m in messages if m[0].kind is TopicKind.DETECTIONS)
    transform = next(m for m in messages if m[0].kind is TopicKind.TF)

    for _ in range(100):
        ingest.put(*image)
    for _ in range(200):
        ingest.put(*transform)

    assert ingest.counters['backlog'] == 97
    assert len(ears.problems) == 97
    assert ears.problems[0] == ('backlog', 'detections dropped: the memory is too slow')
    assert ingest.progress.num_messages == 97


def test_queue_has_an_end_even_for_transforms(messages: list[tuple[TopicRole, Any]]) -> None:
    """A disk that hangs for hours must not fill the memory of the machine."""
    ears = Ears()
    ingest, _ = ingest_into(StuckStore(), messages, ears, capacity=2)
    transform = next(m for m in messages if m[0].kind is TopicKind.TF)

    for _ in range(250):
        ingest.put(*transform)

    assert ingest.counters['backlog'] == 50
    assert ears.problems[0] == ('backlog', 'tf dropped: the memory is too slow')


def test_disk_that_refuses_for_a_while_is_said_and_gone_on_with(
    messages: list[tuple[TopicRole, Any]], tmp_path: Path
) -> None:
    """Frames that the disk refuses are told to nobody; those before and after are on it."""
    ears = Ears()
    with SqliteMemoryStore.open(tmp_path / 'm.db') as store:
        connection = store._writing()._medium.connection
        told: list[FrameDelta] = []

        def note(delta: FrameDelta) -> None:
            told.append(delta)
            if len(told) == 10:
                connection.execute('PRAGMA query_only = 1')

        def mend(reason: str, text: str) -> None:
            ears.problems.append((reason, text))
            connection.execute('PRAGMA query_only = 0')

        roles = tuple(dict.fromkeys(role for role, _ in messages))
        listener = ears.listener()._replace(on_commit=note, on_problem=mend)
        ingest = Ingest(
            LiveStore(store), MemorySettings(), VisibilityPreset(),
            AssemblerSettings(release=ReleasePolicy.DEADLINE), lambda: roles, listener,
        )  # fmt: skip
        for role, message in messages:
            ingest.put(role, message)
        ingest.start()
        assert ingest.stop(PATIENCE_S)

        refused = [text for _, text in ears.problems if 'readonly' in text]
        assert len(refused) == 1
        assert 'm.db: cannot write frame' in refused[0]
        assert '\n' not in refused[0]
        stored = [s.delta.frame.stamp_ns for s in store.deltas_after(-1)]
        assert stored == [delta.frame.stamp_ns for delta in told]
        assert len(stored) == 29


def test_disk_that_refuses_everything_stops_nothing(
    messages: list[tuple[TopicRole, Any]],
) -> None:
    """Every frame is said to be lost, and the ingest ends as it should."""

    class Refusing(InMemoryStore):
        def commit(self, delta: FrameDelta) -> None:
            raise StoreError('disk: cannot write')

    ears = Ears()
    ingest, live = ingest_into(Refusing(), messages, ears)
    for role, message in messages:
        ingest.put(role, message)
    ingest.start()

    assert ingest.stop(PATIENCE_S)
    assert live.now() is None
    assert ears.deltas == []
    assert sum('disk: cannot write' in text for _, text in ears.problems) == 30
