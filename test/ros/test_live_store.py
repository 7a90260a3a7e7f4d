"""The live store answers as the store below it."""

from __future__ import annotations

import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import Fixture, Scene, SensedFrame
from st_memory.core.stamps import Moment
from st_memory.ros.live_store import LiveStore
from st_memory.storage import InMemoryStore
from test.replay.walk import STEP_NS, WalkSource

OBJECTS = ('mug_a', 'bowl_a', 'nothing')


def _frames() -> list[SensedFrame]:
    return list(WalkSource(num_frames=60).frames())


def _filled(frames: list[SensedFrame]) -> tuple[LiveStore, InMemoryStore]:
    below = InMemoryStore()
    live = LiveStore(below)
    memory = ObjectMemory(MemorySettings(), Scene())
    for frame in frames:
        live.commit(memory.integrate(frame))
    return live, below


def _everything(store: LiveStore | InMemoryStore, at: Moment | None) -> list[object]:
    return [
        store.now(),
        store.epochs(),
        store.first_moment(0),
        store.latest_moment(at or Moment(0, 2**62)),
        store.objects_at(at),
        *(store.objects_called(name, at) for name in ('MUG', 'bowl', 'nothing')),
        *(store.object_at(name, at) for name in OBJECTS),
        *(store.intervals(name, at) for name in OBJECTS),
        *(store.placements(name, at) for name in OBJECTS),
        *(store.observations(name, at, limit=1) for name in OBJECTS),
        *(store.observations(name, at) for name in OBJECTS),
        store.events(at),
        [(look.camera_id, look.stamp_ns) for look in store.looks(None, at)],
        getattr(store.look_at('head', at), 'stamp_ns', None),
        getattr(store.look_at(None, at), 'stamp_ns', None),
    ]


@pytest.mark.parametrize('num_frames', [1, 7, 35, 60])
def test_live_store_now_equals_the_store_below(num_frames: int) -> None:
    live, below = _filled(_frames()[:num_frames])
    assert _everything(live, None) == _everything(below, None)


def test_live_store_in_the_past_equals_the_store_below() -> None:
    live, below = _filled(_frames())
    at = Moment(0, _frames()[20].stamp_ns + STEP_NS // 2)
    assert _everything(live, at) == _everything(below, at)


def test_live_store_of_an_old_memory_equals_the_store_below() -> None:
    _, below = _filled(_frames())
    assert _everything(LiveStore(below), None) == _everything(below, None)


def test_live_store_of_an_empty_memory_knows_nothing() -> None:
    live = LiveStore(InMemoryStore())
    assert live.now() is None
    assert live.objects_at() == ()
    assert live.look_at(None) is None


def test_live_store_new_epoch_forgets_the_old_objects() -> None:
    frames = _frames()
    live, below = _filled([*frames[:30], SensedFrame(frames[0].stamp_ns, epoch=1)])
    assert live.objects_at() == below.objects_at() == ()
    assert live.first_moment(1) == Moment(1, frames[0].stamp_ns)


def test_view_while_frames_come_stays_at_its_moment() -> None:
    frames = _frames()
    live = LiveStore(InMemoryStore())
    memory = ObjectMemory(MemorySettings(), Scene())
    for frame in frames[:20]:
        live.commit(memory.integrate(frame))
    view = live.view()
    before = [view.now(), view.objects_at(), view.intervals('mug_a'), view.observations('mug_a')]
    for frame in frames[20:]:
        live.commit(memory.integrate(frame))
    assert before == [
        view.now(),
        view.objects_at(),
        view.intervals('mug_a'),
        view.observations('mug_a'),
    ]


def test_live_store_failed_commit_is_not_seen() -> None:
    live, _ = _filled(_frames()[:5])
    before = live.now()
    memory = ObjectMemory(MemorySettings(), Scene())
    with pytest.raises(Exception, match='seq'):
        live.commit(memory.integrate(_frames()[6]))
    assert live.now() == before


def test_live_store_reads_a_scene_once_and_a_new_one_anew() -> None:
    below = InMemoryStore()
    live = LiveStore(below)
    live.put_scene(Scene(fixtures=(_shelf('shelf_1'),)))
    view = live.view()

    assert [f.fixture_id for f in view.scene().fixtures] == ['shelf_1']
    assert live.view().scene() is view.scene()
    live.put_scene(Scene(fixtures=(_shelf('shelf_2'),)))
    assert [f.fixture_id for f in live.view().scene().fixtures] == ['shelf_2']


def _shelf(name: str) -> Fixture:
    return Fixture(name, 'shelf', RigidTransform.identity(), (1.0, 1.0, 1.0))
