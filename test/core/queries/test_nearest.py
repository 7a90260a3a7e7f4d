"""Which fixture an object or a place is at."""

from __future__ import annotations

from dataclasses import replace
import math

import pytest

from st_memory.core.queries import nearest_fixture, nearest_fixture_to_point, Selector
from st_memory.core.records import AnswerStatus, ObjectState, Scene
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, S
from test.core.queries.story import make_story, SCENE

MUG = Selector(label='mug')
CUP = ObjectState('cup_1', 'cup', 0, world_p=(2.0, 0.0, 1.2), last_seen_ns=S)


@pytest.fixture(scope='module')
def story() -> InMemoryStore:
    return make_story()


def holding(state: ObjectState, scene: Scene = SCENE) -> InMemoryStore:
    store = InMemoryStore()
    store.put_scene(scene)
    return commit(store, 1, state)


# Boxes: table x 1.5..2.5, y -0.5..0.5, z 0..1; counter x -0.5..0.5, y 2.5..3.5; drawer_1 of
# 0.4 m round (4, 1, 0.5).


def test_fixture_noted_at_the_placement_is_the_answer(story: InMemoryStore) -> None:
    answer = nearest_fixture(story, MUG, Moment(0, 9 * S))

    assert (answer.status, answer.source) == (AnswerStatus.KNOWN, 'placement')
    assert answer.fixture is not None
    assert (answer.fixture.fixture_id, answer.inside, answer.distance_m) == ('drawer_1', True, 0.0)
    assert (answer.annotated_fixture_id, answer.geometric_fixture_id) == ('drawer_1', 'drawer_1')


def test_the_others_come_by_their_distance(story: InMemoryStore) -> None:
    answer = nearest_fixture(story, MUG, Moment(0, 9 * S))

    # From (4, 1, 0.5): the table's edge at (2.5, 0.5), drawer_2's face at x = 7.8, the counter's
    # edge at (0.5, 2.5).
    expected = [
        ('table_1', math.hypot(1.5, 0.5)),
        ('drawer_2', 3.8),
        ('counter_1', math.hypot(3.5, 1.5)),
    ]
    assert [r.fixture.fixture_id for r in answer.ranked] == [name for name, _ in expected]
    assert [r.distance_m for r in answer.ranked] == pytest.approx([d for _, d in expected])


def test_nearest_fixture_sentence(story: InMemoryStore) -> None:
    assert nearest_fixture(story, MUG, Moment(0, 9 * S)).sentence == (
        'The mug (mug_1) is at drawer_1, inside its box; next are table_1 (1.58 m), '
        'drawer_2 (3.80 m) and counter_1 (3.81 m).'
    )


def test_without_a_note_geometry_tells() -> None:
    answer = nearest_fixture(holding(CUP), Selector(label='cup'))

    assert (answer.source, answer.annotated_fixture_id) == ('geometry', '')
    assert answer.geometric_fixture_id == 'table_1'
    assert answer.distance_m == pytest.approx(0.2)
    assert not answer.inside
    assert 'is at table_1, 0.20 m from its box; next are' in answer.sentence


def test_note_and_geometry_that_differ_are_both_told() -> None:
    answer = nearest_fixture(holding(replace(CUP, fixture_id='counter_1')), Selector(label='cup'))

    assert answer.fixture is not None
    assert (answer.fixture.fixture_id, answer.geometric_fixture_id) == ('counter_1', 'table_1')
    # From (2, 0, 1.2) to the counter's edge x = 0.5, y = 2.5, z = 1.
    assert answer.distance_m == pytest.approx(math.sqrt(1.5**2 + 2.5**2 + 0.2**2))
    assert answer.sentence.endswith('; by its box alone table_1 is nearer.')
    assert answer.ranked[0].fixture.fixture_id == 'table_1'


def test_note_of_a_fixture_that_the_scene_lacks_gives_way_to_geometry() -> None:
    answer = nearest_fixture(holding(replace(CUP, fixture_id='fridge_1')), Selector(label='cup'))

    assert answer.fixture is not None
    assert (answer.fixture.fixture_id, answer.source) == ('table_1', 'geometry')
    assert answer.annotated_fixture_id == 'fridge_1'


def test_noted_fixture_is_known_where_the_place_is_not() -> None:
    told = replace(CUP, world_p=None, fixture_id='counter_1', last_placed_ns=S)
    answer = nearest_fixture(holding(told), Selector(label='cup'))

    assert answer.fixture is not None
    assert (answer.fixture.fixture_id, answer.distance_m) == ('counter_1', None)
    assert answer.status is AnswerStatus.KNOWN
    assert answer.sentence == 'The cup (cup_1) is at counter_1.'


def test_limit_keeps_the_nearest_others(story: InMemoryStore) -> None:
    answer = nearest_fixture(story, MUG, Moment(0, 9 * S), limit=1)

    assert [r.fixture.fixture_id for r in answer.ranked] == ['table_1']


@pytest.mark.parametrize(
    ('state', 'scene', 'reason'),
    [
        (CUP, Scene(), 'the memory knows of no fixtures'),
        (replace(CUP, fixture_id='fridge_1'), Scene(), 'fridge_1 is in no scene'),
        (
            replace(CUP, world_p=None),
            SCENE,
            'it was reported but its position was never measured',
        ),
    ],
    ids=['no scene', 'noted, no scene', 'no place'],
)
def test_without_a_fixture_the_reason_is_told(
    state: ObjectState, scene: Scene, reason: str
) -> None:
    answer = nearest_fixture(holding(state, scene), Selector(label='cup'))

    assert (answer.status, answer.reason) == (AnswerStatus.UNKNOWN, reason)
    assert (answer.fixture, answer.source, answer.distance_m) == (None, '', None)
    assert answer.sentence == f'The cup (cup_1): {reason}.'


def test_fixture_of_what_is_gone_is_where_it_was_last(story: InMemoryStore) -> None:
    answer = nearest_fixture(story, Selector(label='bowl'))

    assert answer.status is AnswerStatus.STALE
    assert answer.sentence.startswith('The bowl (bowl_1) was last at counter_1, inside its box')
    assert answer.sentence.endswith(': its last place was seen to be empty.')


def test_fixture_of_what_nobody_saw_is_not_known(story: InMemoryStore) -> None:
    answer = nearest_fixture(story, Selector(label='drone'))

    assert (answer.status, answer.fixture) == (AnswerStatus.NOT_YET_SEEN, None)


# Of a place.


@pytest.mark.parametrize(
    ('place', 'name', 'distance_m', 'sentence'),
    [
        (
            (4.0, 1.0, 0.5),
            'drawer_1',
            0.0,
            '(4.00, 1.00, 0.50) m is inside drawer_1; next are table_1 (1.58 m), drawer_2 '
            '(3.80 m) and counter_1 (3.81 m).',
        ),
        (
            (2.0, 0.0, 3.0),
            'table_1',
            2.0,
            '(2.00, 0.00, 3.00) m is 2.00 m from table_1; next are drawer_1 (3.03 m), counter_1 '
            '(3.54 m) and drawer_2 (6.29 m).',
        ),
    ],
)
def test_fixture_of_a_place(
    place: Point, name: str, distance_m: float, sentence: str, story: InMemoryStore
) -> None:
    answer = nearest_fixture_to_point(story, place)

    assert answer.fixture is not None
    assert (answer.fixture.fixture_id, answer.source) == (name, 'geometry')
    assert answer.distance_m == pytest.approx(distance_m)
    assert answer.inside == (distance_m == 0.0)
    assert answer.sentence == sentence
    assert answer.object is None


def test_fixture_of_a_place_keeps_to_the_limit(story: InMemoryStore) -> None:
    assert len(nearest_fixture_to_point(story, (0.0, 0.0, 0.0), limit=2).ranked) == 2


def test_fixture_of_a_place_without_a_scene_is_unknown(empty: InMemoryStore) -> None:
    answer = nearest_fixture_to_point(empty, (0.0, 0.0, 0.0))

    assert (answer.status, answer.fixture) == (AnswerStatus.UNKNOWN, None)
    assert answer.sentence == '(0.00, 0.00, 0.00) m: the memory knows of no fixtures.'


@pytest.mark.parametrize('bad', [math.nan, math.inf])
def test_place_that_is_no_place_is_an_error(bad: float, story: InMemoryStore) -> None:
    with pytest.raises(ValueError, match='point: expected finite metres'):
        nearest_fixture_to_point(story, (0.0, bad, 0.0))
