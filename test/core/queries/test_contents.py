"""What is inside something, or on it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from st_memory.core.queries import list_contents
from st_memory.core.queries.contents import unheard
from st_memory.core.records import AnswerStatus, LifeCycle, ObjectState, Scene, Visibility
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, S
from test.core.queries.story import fixture, make_story

CUP = ObjectState('cup_1', 'cup', 0, world_p=(1.0, 0.0, 0.0), first_seen_ns=S, last_seen_ns=S)


@pytest.fixture(scope='module')
def story() -> InMemoryStore:
    return make_story()


def ids(states: tuple[ObjectState, ...]) -> list[str]:
    return [s.object_id for s in states]


@pytest.mark.parametrize(
    ('second', 'inside'),
    [(1, []), (6, ['spoon_1']), (8, ['mug_1', 'spoon_1']), (13, ['spoon_1']), (20, ['spoon_1'])],
)
def test_contents_of_a_drawer_over_time(
    second: int, inside: list[str], story: InMemoryStore
) -> None:
    answer = list_contents(story, 'drawer_1', Moment(0, second * S))

    assert answer.status is AnswerStatus.KNOWN
    assert ids(answer.objects) == inside
    assert (answer.container_id, answer.container_label) == ('drawer_1', 'drawer')
    assert answer == list_contents(make_story(second), 'drawer_1', Moment(0, second * S))


@pytest.mark.parametrize(
    ('second', 'sentence'),
    [
        (1, 'Inside drawer_1 is nothing that I know of.'),
        (6, 'Inside drawer_1 is spoon_1.'),
        (8, 'Inside drawer_1 are mug_1 and spoon_1.'),
    ],
)
def test_contents_sentence(second: int, sentence: str, story: InMemoryStore) -> None:
    assert list_contents(story, 'drawer_1', Moment(0, second * S)).sentence == sentence


def test_contents_of_a_table_are_what_lies_on_it(story: InMemoryStore) -> None:
    answer = list_contents(story, 'table_1', Moment(0, 4 * S))

    assert ids(answer.objects) == ['mug_1']
    assert answer.sentence == 'On table_1 is mug_1.'


def test_contents_leave_out_what_is_gone(story: InMemoryStore) -> None:
    assert ids(list_contents(story, 'counter_1', Moment(0, 13 * S)).objects) == [
        'bowl_1',
        'plate_1',
    ]
    assert ids(list_contents(story, 'counter_1', Moment(0, 17 * S)).objects) == [
        'mug_1',
        'plate_1',
    ]


def test_label_that_fits_two_fixtures_answers_for_both_and_says_which(
    story: InMemoryStore,
) -> None:
    answer = list_contents(story, 'DRAWER')

    assert answer.status is AnswerStatus.AMBIGUOUS
    assert answer.reason == '2 fit DRAWER: drawer_1 and drawer_2'
    assert answer.container_id == 'drawer_1'
    assert answer.sentence == (
        'Inside drawer_1 is spoon_1; inside drawer_2 is nothing that I know of.'
    )


def test_label_of_one_fixture_means_it(story: InMemoryStore) -> None:
    answer = list_contents(story, 'table')

    assert (answer.status, answer.container_id) == (AnswerStatus.KNOWN, 'table_1')


def _tray() -> InMemoryStore:
    """A tray in a drawer holds a box that holds a cup; a lid lies on the drawer."""
    store = InMemoryStore()
    store.put_scene(
        Scene(fixtures=(fixture('drawer_1', (0, 0, 0), (1, 1, 1), is_container=True),))
    )
    tray = replace(CUP, object_id='tray_1', label='tray', container_id='drawer_1')
    box = replace(CUP, object_id='box_1', label='box', container_id='tray_1')
    cup = replace(CUP, container_id='box_1')
    lid = replace(CUP, object_id='lid_1', label='lid', fixture_id='drawer_1')
    return commit(store, 1, tray, box, cup, lid)


def test_contents_take_in_what_is_inside_of_what_is_inside() -> None:
    answer = list_contents(_tray(), 'drawer_1')

    assert ids(answer.objects) == ['box_1', 'cup_1', 'tray_1']
    assert ids(answer.alternatives) == ['lid_1']  # on it, not inside


def test_contents_of_an_object() -> None:
    assert ids(list_contents(_tray(), 'tray').objects) == ['box_1', 'cup_1']
    assert list_contents(_tray(), 'cup_1').sentence == 'Inside cup_1 is nothing that I know of.'


def test_things_inside_each_other_are_followed_once() -> None:
    one = replace(CUP, container_id='cup_2')
    two = replace(CUP, object_id='cup_2', container_id='cup_1')

    assert ids(list_contents(commit(InMemoryStore(), 1, one, two), 'cup_1').objects) == ['cup_2']


def test_contents_of_many_things_names_ten() -> None:
    cups = [replace(CUP, object_id=f'cup_{i:02d}', container_id='pot_1') for i in range(13)]
    pot = replace(CUP, object_id='pot_1', label='pot')
    answer = list_contents(commit(InMemoryStore(), 1, pot, *cups), 'pot_1')

    assert len(answer.objects) == 13
    assert answer.sentence.endswith('cup_08, cup_09 and 3 more.')


def test_container_that_nobody_knows_names_the_fixtures(story: InMemoryStore) -> None:
    answer = list_contents(story, 'fridge')

    assert (answer.status, answer.container_id) == (AnswerStatus.NOT_YET_SEEN, '')
    assert answer.reason == (
        'no fixture or object fridge is known by then; fixtures are: counter_1, drawer_1, '
        'drawer_2 and table_1'
    )


def test_container_unknown_to_a_memory_without_fixtures() -> None:
    assert list_contents(commit(InMemoryStore(), 1), 'fridge').reason.endswith('are: none')


def test_contents_of_nothing_named_is_unknown(story: InMemoryStore) -> None:
    assert list_contents(story, '').reason == 'no container was named'


def test_contents_before_the_first_frame_are_not_yet_seen(story: InMemoryStore) -> None:
    answer = list_contents(story, 'drawer_1', Moment(0, 1))

    assert (answer.status, answer.objects) == (AnswerStatus.NOT_YET_SEEN, ())


def test_contents_long_after_the_newest_frame_are_stale(story: InMemoryStore) -> None:
    answer = list_contents(story, 'drawer', Moment(0, 60 * S))

    assert answer.status is AnswerStatus.STALE
    assert answer.reason.endswith('; 2 fit drawer: drawer_1 and drawer_2')
    assert 'newest frame is 40 s older' in answer.sentence


@pytest.mark.parametrize('container', ['drawer_1', ''])
def test_contents_of_an_empty_memory_are_unknown(container: str, empty: InMemoryStore) -> None:
    answer = list_contents(empty, container)

    assert (answer.status, answer.reason) == (AnswerStatus.UNKNOWN, 'the memory is empty')


def test_gone_container_is_none() -> None:
    gone = replace(CUP, life_cycle=LifeCycle.ABSENT, visibility=Visibility.ABSENT)

    answer = list_contents(commit(InMemoryStore(), 1, gone), 'cup_1')

    assert answer.status is AnswerStatus.NOT_YET_SEEN


def test_container_that_nobody_knows_among_many_fixtures_says_that_there_are_more() -> None:
    shelf = make_story().scene().fixtures[0]
    fixtures = tuple(replace(shelf, fixture_id=f'shelf_{i:02}') for i in range(12))

    assert unheard(Scene(fixtures=fixtures), 'fridge').endswith('shelf_08, shelf_09 and 2 more')
