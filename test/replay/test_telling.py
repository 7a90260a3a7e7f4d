"""What a person says lands right after the newest frame, and nowhere else."""

from __future__ import annotations

import pytest

from st_memory.core.errors import EditError
from st_memory.core.geometry import RigidTransform
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.memory.rebase import plan_new_origin, unanchored_epoch
from st_memory.core.queries import locate, Selector
from st_memory.core.records import AnswerStatus, Edit, EditAction, Rebase, RebaseKind
from st_memory.core.stamps import Moment, NS_PER_S
from st_memory.replay import open_epoch, replay, tell_edit, tell_rebase
from st_memory.storage import dump, InMemoryStore
from test.replay.walk import WalkSource

SETTINGS = MemorySettings()
RENAME = Edit(EditAction.RENAME, 'mug_a', label='Annas Tasse', note='it is hers')


def walked() -> tuple[ObjectMemory, InMemoryStore]:
    """The memory of the walk, and the fold that goes on from it."""
    store = InMemoryStore()
    replay(WalkSource(), store, SETTINGS)
    return gone_on(store), store


def gone_on(store: InMemoryStore) -> ObjectMemory:
    return ObjectMemory(SETTINGS, store.scene(), checkpoint=store.checkpoint())


def newest(store: InMemoryStore) -> Moment:
    now = store.now()
    assert now is not None
    return now


def test_edit_is_a_frame_one_nanosecond_after_the_newest() -> None:
    memory, store = walked()
    before = newest(store)

    delta = tell_edit(memory, store, RENAME)

    assert newest(store) == Moment(before.epoch, before.stamp_ns + 1)
    assert delta.looks == ()
    assert store.events()[-1].detail == 'the mug is called Annas Tasse: it is hers'


def test_answer_as_of_before_an_edit_stays_as_it_was() -> None:
    memory, store = walked()
    before = newest(store)
    earlier = locate(store, Selector('mug_a'), before)

    tell_edit(memory, store, RENAME)

    assert locate(store, Selector('mug_a'), before) == earlier


def test_edit_of_a_memory_gone_on_with_is_that_of_one_never_closed() -> None:
    kept, store = walked()
    _, other = walked()

    for edit in (RENAME, Edit(EditAction.FORGET, 'mug_a'), Edit(EditAction.RESTORE, 'mug_a')):
        tell_edit(kept, store, edit)
        tell_edit(gone_on(other), other, edit)

    assert dump(store) == dump(other)


@pytest.mark.parametrize('late_ns', [0, NS_PER_S])
def test_edit_at_a_time_just_after_the_newest_frame_is_one_of_now(late_ns: int) -> None:
    memory, store = walked()
    now = newest(store)

    tell_edit(memory, store, RENAME, now.stamp_ns + late_ns)

    assert newest(store).stamp_ns == now.stamp_ns + 1


@pytest.mark.parametrize(
    ('late_ns', 'words'), [(-1, 'before the newest frame'), (2 * NS_PER_S, '2 s after')]
)
def test_edit_of_the_past_or_of_later_is_refused_and_changes_nothing(
    late_ns: int, words: str
) -> None:
    memory, store = walked()
    before = dump(store)

    with pytest.raises(EditError, match=words):
        tell_edit(memory, store, RENAME, newest(store).stamp_ns + late_ns)

    assert dump(store) == before


def test_edit_of_an_unknown_object_is_refused_and_changes_nothing() -> None:
    memory, store = walked()
    before = dump(store)

    with pytest.raises(EditError, match="no object 'unicorn' is known"):
        tell_edit(memory, store, Edit(EditAction.FORGET, 'unicorn'))

    assert dump(store) == before


def test_empty_memory_is_told_only_with_a_time() -> None:
    store = InMemoryStore()
    memory = gone_on(store)
    mark = Edit(EditAction.MARK, label='keys', world_p=(1.0, 2.0, 0.9))
    with pytest.raises(EditError, match='expected a time'):
        tell_edit(memory, store, mark)

    tell_edit(memory, store, mark, 5 * NS_PER_S)

    answer = locate(store, Selector(label='keys'))
    assert (answer.status, answer.object.world_p) == (AnswerStatus.KNOWN, (1.0, 2.0, 0.9))
    assert newest(store) == Moment(0, 5 * NS_PER_S)


def test_rebase_opens_the_next_epoch_with_all_objects() -> None:
    memory, store = walked()
    before = newest(store)
    names = [state.object_id for state in store.objects_at()]
    plan = plan_new_origin(store, RigidTransform([1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]), SETTINGS)

    tell_rebase(memory, store, plan)

    assert newest(store) == Moment(before.epoch + 1, before.stamp_ns + 1)
    assert [state.object_id for state in store.objects_at()] == names


def test_rebase_planned_for_another_epoch_is_refused() -> None:
    memory, store = walked()
    plan = plan_new_origin(store, RigidTransform.identity(), SETTINGS)
    tell_rebase(memory, store, plan)

    with pytest.raises(EditError, match='expected a plan for epoch 1, got one for epoch 0'):
        tell_rebase(memory, store, plan)


def test_rebase_of_an_empty_memory_is_refused() -> None:
    store = InMemoryStore()
    with pytest.raises(EditError, match='this one is empty'):
        tell_rebase(gone_on(store), store, Rebase(RebaseKind.NEW_ORIGIN, 0))


def test_opened_epoch_knows_nothing_until_it_is_said_that_the_map_is_the_same() -> None:
    memory, store = walked()
    before = newest(store)

    assert open_epoch(memory, store) is not None
    answer = locate(store, Selector('mug_a'))

    assert newest(store).epoch == before.epoch + 1
    assert (answer.status, unanchored_epoch(store)) == (AnswerStatus.NO_POSE, before.epoch)
    assert 'earlier map' in answer.reason
    tell_rebase(memory, store, plan_new_origin(store, RigidTransform.identity(), SETTINGS))
    assert locate(store, Selector('mug_a')).status is AnswerStatus.KNOWN


def test_epoch_that_knows_nothing_is_not_opened_twice() -> None:
    memory, store = walked()
    open_epoch(memory, store)
    before = dump(store)

    assert open_epoch(memory, store) is None
    assert open_epoch(gone_on(InMemoryStore()), InMemoryStore()) is None
    assert dump(store) == before
