"""From messages to committed frames, without a middleware."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from st_memory.bags import BagFrameSource, open_bag
from st_memory.conversions.assembly_settings import AssemblerSettings, ReleasePolicy
from st_memory.conversions.roles import discover_roles, TopicKind, TopicRole
from st_memory.core.geometry import RigidTransform
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import Fixture, FrameDelta, Scene
from st_memory.core.visibility import classify, VisibilityPreset
from st_memory.replay import replay
from st_memory.ros.ingest import Ingest, IngestListener, IngestProgress
from st_memory.ros.live_store import LiveStore
from st_memory.ros.scenes import caster_of
from st_memory.storage import dump, InMemoryStore
from test.ros.cup_recording import stamp_of, write_cup_recording

DEADLINE = AssemblerSettings(release=ReleasePolicy.DEADLINE)


class Ears:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.deltas: list[FrameDelta] = []
        self.progress: list[IngestProgress] = []
        self.problems: list[tuple[str, str]] = []

    def listener(self) -> IngestListener:
        """Give the callbacks."""
        return IngestListener(
            self.deltas.append, self.progress.append, lambda *told: self.problems.append(told)
        )


@pytest.fixture(scope='module')
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of a cup."""
    return write_cup_recording(tmp_path_factory.mktemp('cup') / 'cup.mcap')


def _messages(bag: Path) -> list[tuple[TopicRole, Any]]:
    with open_bag(bag) as reader:
        roles = discover_roles({name: t.type_name for name, t in reader.topics.items()})
        return [(roles[m.topic], m.read()) for m in reader.messages(roles)]


def _ingest(
    store: InMemoryStore,
    messages: list[tuple[TopicRole, Any]],
    ears: Ears,
    settings: AssemblerSettings = DEADLINE,
    **options: Any,
) -> Ingest:
    roles = tuple(dict.fromkeys(role for role, _ in messages))
    ingest = Ingest(
        LiveStore(store),
        MemorySettings(),
        VisibilityPreset(),
        settings,
        lambda: roles,
        ears.listener(),
        **options,
    )
    for role, message in messages:
        ingest.put(role, message)
    ingest.start()
    assert ingest.stop(timeout_s=60.0)
    return ingest


def test_ingest_same_recording_gives_the_memory_of_the_replay(bag: Path) -> None:
    offline, live = InMemoryStore(), InMemoryStore()
    source = BagFrameSource(bag)
    replay(source, offline, MemorySettings(), caster_of(source.scene))
    _ingest(live, _messages(bag), Ears())
    assert dump(live) == dump(offline)


def test_ingest_folds_with_the_functions_of_the_replay() -> None:
    from st_memory.core.memory import object_memory
    from st_memory.replay import drive
    from st_memory.ros import live_fold

    assert live_fold.ObjectMemory.integrate is drive.ObjectMemory.integrate
    assert live_fold.ObjectMemory is ObjectMemory
    assert object_memory.classify is classify


def test_ingest_tells_a_frame_after_its_commit(bag: Path) -> None:
    store = InMemoryStore()
    held: list[bool] = []

    def note(delta: FrameDelta) -> None:
        now = store.now()
        held.append(now is not None and now.stamp_ns == delta.frame.stamp_ns)

    messages = _messages(bag)
    roles = tuple(dict.fromkeys(role for role, _ in messages))
    ears = Ears()
    listener = ears.listener()._replace(on_commit=note)
    ingest = Ingest(
        LiveStore(store), MemorySettings(), VisibilityPreset(), DEADLINE, lambda: roles, listener
    )
    for role, message in messages:
        ingest.put(role, message)
    ingest.start()
    assert ingest.stop(timeout_s=60.0)
    assert held == [True] * 30


def test_ingest_throwing_listener_loses_no_frame(bag: Path) -> None:
    def fail(delta: FrameDelta) -> None:
        raise RuntimeError('listener')

    store, ears = InMemoryStore(), Ears()
    messages = _messages(bag)
    roles = tuple(dict.fromkeys(role for role, _ in messages))
    listener = ears.listener()._replace(on_commit=fail)
    ingest = Ingest(
        LiveStore(store), MemorySettings(), VisibilityPreset(), DEADLINE, lambda: roles, listener
    )
    for role, message in messages:
        ingest.put(role, message)
    ingest.start()
    assert ingest.stop(timeout_s=60.0)
    assert len(list(store.frames())) == 30
    assert ingest.counters['internal_error'] == 30


def test_ingest_damaged_message_costs_only_itself(bag: Path) -> None:
    messages = _messages(bag)
    messages.insert(40, (TopicRole(TopicKind.DETECTIONS, 'head'), object()))
    store, ears = InMemoryStore(), Ears()
    ingest = _ingest(store, messages, ears)
    assert len(list(store.frames())) == 30
    assert ingest.counters['internal_error'] == 1
    assert 'AttributeError' in ears.problems[0][1]


def test_ingest_refused_commit_goes_on_from_the_last_frame(
    bag: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, ears = InMemoryStore(), Ears()
    commit = store.commit

    def refuse_once(delta: FrameDelta) -> None:
        if delta.frame.stamp_ns == stamp_of(10) and not ears.problems:
            raise OSError('disk full')
        commit(delta)

    monkeypatch.setattr(store, 'commit', refuse_once)
    _ingest(store, _messages(bag), ears)
    stamps = [frame.stamp_ns for frame in store.frames()]
    assert stamps == [stamp_of(i) for i in range(30) if i != 10]
    assert [reason for reason, _ in ears.problems] == ['internal_error']


def test_ingest_restart_goes_on_in_the_same_epoch(bag: Path) -> None:
    whole, parts = InMemoryStore(), InMemoryStore()
    messages = _messages(bag)
    exact = AssemblerSettings()
    _ingest(whole, messages, Ears(), exact)
    is_first_half = [_stamp_of(m) < stamp_of(20) for _, m in messages]
    leading = [pair for pair in messages if pair[0].kind in (TopicKind.TF_STATIC, TopicKind.SCENE)]
    _ingest(parts, [p for p, first in zip(messages, is_first_half) if first], Ears(), exact)
    rest = [p for p, first in zip(messages, is_first_half) if not first]
    _ingest(parts, leading + rest, Ears(), exact)
    assert dump(parts) == dump(whole)


def test_ingest_same_recording_again_opens_an_epoch(bag: Path) -> None:
    store = InMemoryStore()
    _ingest(store, _messages(bag), Ears())
    _ingest(store, _messages(bag), Ears())
    assert store.epochs() == (0, 1)
    assert [len([f for f in store.frames() if f.epoch == e]) for e in (0, 1)] == [30, 30]


def test_ingest_loop_gives_the_same_frames_in_each_epoch(bag: Path) -> None:
    store = InMemoryStore()
    _ingest(store, _messages(bag) * 3, Ears(), AssemblerSettings(), capacity=10_000)
    stamps = {e: [f.stamp_ns for f in store.frames() if f.epoch == e] for e in store.epochs()}
    assert stamps == {e: [stamp_of(i) for i in range(30)] for e in range(3)}


def test_ingest_backlog_drops_sensor_data_and_keeps_transforms(bag: Path) -> None:
    messages = _messages(bag)
    ears = Ears()
    ingest = _ingest(InMemoryStore(), messages, ears, capacity=20)
    assert ingest.counters['backlog'] > 0
    assert all(reason == 'backlog' for reason, _ in ears.problems)
    assert ears.progress[-1].num_messages == len(messages)


def test_ingest_progress_counts_every_message_and_frame(bag: Path) -> None:
    messages = _messages(bag)
    ears = Ears()
    _ingest(InMemoryStore(), messages, ears)
    assert ears.progress[-1].num_messages == len(messages)
    assert ears.progress[-1].num_frames == 30
    counts = [told.num_messages for told in ears.progress]
    assert counts == sorted(counts)


def _stamp_of(message: Any) -> int:
    """Stamp of any message of the recording, nanoseconds."""
    first = message
    for name in ('transforms', 'markers'):
        if hasattr(message, name):
            first = getattr(message, name)[0]
    stamp = first.header.stamp
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)


def _scene_message(messages: list[tuple[TopicRole, Any]]) -> tuple[TopicRole, Any]:
    return next(pair for pair in messages if pair[0].kind is TopicKind.SCENE)


def test_ingest_repeated_scene_is_kept_once(bag: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    messages = _messages(bag)
    store = InMemoryStore()
    kept: list[Scene] = []
    put_scene = store.put_scene

    def keep(scene: Scene) -> None:
        kept.append(scene)
        put_scene(scene)

    monkeypatch.setattr(store, 'put_scene', keep)
    scene = _scene_message(messages)
    _ingest(store, [*messages[:50], scene, *messages[50:], scene], Ears())
    assert len(kept) == 1


def test_ingest_changed_scene_is_kept_and_no_frame_lost(bag: Path) -> None:
    messages = _messages(bag)
    role, scene = _scene_message(messages)
    cut = type(scene)(markers=[m for m in scene.markers if m.ns == 'fixture'])
    store = InMemoryStore()
    _ingest(store, [*messages[:50], (role, cut), *messages[50:]], Ears())
    assert store.scene().parts == ()
    assert len(list(store.frames())) == 30


def test_ingest_scene_that_is_given_counts_instead_of_markers(bag: Path) -> None:
    store = InMemoryStore()
    table = Fixture('table_9', 'table', RigidTransform.identity(), (1.0, 1.0, 1.0))

    _ingest(store, _messages(bag), Ears(), scene=Scene((), (table,)))

    assert [f.fixture_id for f in store.scene().fixtures] == ['table_9']
    assert store.scene().parts == ()
    assert len(list(store.frames())) == 30
