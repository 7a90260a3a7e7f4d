"""A thing in the hand is in no cupboard, and one that was put down is not on its way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from st_memory.core.queries import (
    find_item,
    get_visibility,
    list_contents,
    list_objects,
    locate,
    nearest_fixture,
    ObjectFilter,
    Selector,
    when_static_since,
)
from st_memory.core.queries.as_told import as_told
from st_memory.core.records import AnswerStatus, ObjectState, Visibility
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, S, stay
from test.core.queries.story import rest, SCENE

# Over the table, 2 m from the drawer that it was taken from.
HELD = ObjectState(
    'mug_1',
    'mug',
    0,
    world_p=(2.0, 0.0, 1.2),
    visibility=Visibility.IN_MOTION,
    cause='in_motion',
    geometry=Visibility.OUT_OF_VIEW,
    in_motion=True,
    first_seen_ns=S,
    last_seen_ns=4 * S,
    last_visible_ns=4 * S,
    fixture_id='drawer_1',
    fixture_alternatives=('counter_1',),
    container_id='drawer_1',
)
PUT_DOWN = replace(
    HELD,
    in_motion=False,
    fixture_id='',
    fixture_alternatives=(),
    container_id='',
    last_placed_ns=3 * S,
    placed_by='observed',
    num_moves=1,
)
WHO = Selector(label='mug')


def remembered(state: ObjectState) -> InMemoryStore:
    """A memory of the mug at 5 s, whose camera has taken it for moving since 3 s."""
    moving = replace(stay('mug_1', 3, None, Visibility.IN_MOTION, last=5), geometry=state.geometry)
    place = rest('mug_1', 3, None, state.world_p or (0.0, 0.0, 0.0))
    stays = () if state.in_motion else (place,)
    store = InMemoryStore()
    store.put_scene(SCENE)
    commit(store, 3, state, cameras=['cam'], intervals=(moving,), placements=stays)
    commit(store, 4, cameras=['cam'])
    return commit(store, 5, cameras=['cam'])


def test_thing_in_the_hand_is_in_and_at_nothing_that_it_was_taken_from() -> None:
    told = as_told(HELD)

    assert (told.container_id, told.fixture_id, told.fixture_alternatives) == ('', '', ())
    assert (
        replace(
            told,
            container_id='drawer_1',
            fixture_id='drawer_1',
            fixture_alternatives=('counter_1',),
        )
        == HELD
    )


def test_thing_in_the_hand_is_told_by_where_it_was_seen() -> None:
    answer = locate(remembered(HELD), WHO)

    assert answer.sentence == (
        'The mug (mug_1) is being moved, and was at (2.00, 0.00, 1.20) m, last seen 1.0 s ago.'
    )
    assert answer.object is not None
    assert answer.object.container_id == ''


def test_nobody_is_told_to_open_what_a_thing_was_taken_from() -> None:
    answer = find_item(remembered(HELD), WHO)

    assert not any('drawer' in step.text for step in answer.steps)
    assert 'drawer' not in answer.sentence


def test_thing_in_the_hand_is_in_no_list_of_what_the_drawer_holds() -> None:
    store = remembered(HELD)

    assert list_contents(store, 'drawer_1').objects == ()
    assert list_objects(store, ObjectFilter(container_id='drawer_1')).objects == ()
    # Geometry says what it is over.
    assert nearest_fixture(store, WHO).fixture.fixture_id == 'table_1'


@pytest.mark.parametrize('geometry', [Visibility.OUT_OF_VIEW, Visibility.VISIBLE])
def test_look_that_took_it_for_moving_gives_way_to_the_end_of_the_movement(
    geometry: Visibility,
) -> None:
    store = remembered(replace(PUT_DOWN, geometry=geometry))

    where, sight, since = (
        locate(store, WHO),
        get_visibility(store, WHO),
        when_static_since(store, WHO),
    )

    assert 'moved' not in where.sentence
    assert (sight.status, sight.state) == (AnswerStatus.KNOWN, geometry)
    assert 'being' not in sight.sentence
    assert (since.status, since.stamp_ns) == (AnswerStatus.KNOWN, 3 * S)


def test_what_contradicts_nothing_is_told_as_it_is() -> None:
    at_rest = replace(PUT_DOWN, visibility=Visibility.OCCLUDED, container_id='drawer_1')
    bare = replace(HELD, fixture_id='', fixture_alternatives=(), container_id='')

    assert as_told(at_rest) is at_rest
    assert as_told(bare) is bare
