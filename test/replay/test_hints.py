"""What is said of a name that is no id."""

from __future__ import annotations

import pytest

from st_memory.core.errors import EditError
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import (
    Edit,
    EditAction,
    FrameDelta,
    FrameRecord,
    LifeCycle,
    ObjectState,
    TrackRecord,
)
from st_memory.replay.hints import hint_for
from st_memory.replay.telling import tell_edit
from st_memory.storage import InMemoryStore
from test.replay.walk import WalkSource


def store_of(*epochs: tuple[ObjectState, ...]) -> InMemoryStore:
    store = InMemoryStore()
    for epoch, states in enumerate(epochs):
        tracks = tuple(TrackRecord(state, '{}') for state in states)
        store.commit(FrameDelta(FrameRecord(epoch, 10, epoch, '{}'), tracks))
    return store


def thing(name: str, label: str, epoch: int = 0, **given: object) -> ObjectState:
    return ObjectState(name, label, epoch, first_seen_ns=10, last_seen_ns=10, **given)


MUGS = (thing('mug_1', 'mug'), thing('mug_2', 'mug'), thing('pot_1', 'pot'))


@pytest.mark.parametrize(
    ('name', 'hint'),
    [
        ('mug', "an id is needed, and 'mug' is the label of mug_1, mug_2"),
        ('POT', "an id is needed, and 'POT' is the label of pot_1"),
        ('mgu_1', 'near it are: mug_1, mug_2'),
        ('unicorn', ''),
    ],
)
def test_name_that_is_no_id(name: str, hint: str) -> None:
    assert hint_for(store_of(MUGS), name) == hint


def test_object_of_an_earlier_map_is_told_from_one_that_never_was() -> None:
    store = store_of(MUGS, (thing('cup_1', 'cup', 1),))

    assert hint_for(store, 'mug_1') == (
        'it is of an earlier map (epoch 0): rebase first, which brings it along'
    )
    assert hint_for(store, 'cup_2') == 'near it are: cup_1'


def test_label_of_many_names_ten_and_retired_ones_are_not_offered() -> None:
    mugs = tuple(thing(f'mug_{k:02d}', 'mug') for k in range(12))
    gone = thing('jar_1', 'jar', life_cycle=LifeCycle.RETIRED)

    assert hint_for(store_of(mugs), 'mug').endswith('mug_08, mug_09 and 2 more')
    assert hint_for(store_of((gone,)), 'jar') == ''
    assert hint_for(InMemoryStore(), 'jar') == ''


def test_edit_of_a_label_says_which_ids_have_it() -> None:
    memory, store = ObjectMemory(MemorySettings()), InMemoryStore()
    for frame in WalkSource(40).frames():
        store.commit(memory.integrate(frame))
    object_id = store.objects_at()[0].object_id
    label = store.objects_at()[0].label

    with pytest.raises(EditError, match=f'in this epoch; an id is needed, .* {object_id}'):
        tell_edit(memory, store, Edit(EditAction.RENAME, label, label='cup'))
    with pytest.raises(EditError, match=r'in this epoch$'):
        tell_edit(memory, store, Edit(EditAction.RENAME, 'unicorn', label='cup'))
