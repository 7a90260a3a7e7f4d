"""Lists with filters, and words for durations, places and names."""

from __future__ import annotations

import math

import pytest

from st_memory.core.errors import StMemoryError
from st_memory.core.queries import list_objects, locate, ObjectFilter, Selector
from st_memory.core.queries.wording import (
    clip_name,
    describe_duration,
    describe_place,
    describe_visibility,
    describe_when,
    join_names,
)
from st_memory.core.records import AnswerStatus, ObjectState, Visibility
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, remember
from test.core.queries.story import make_story
from test.scenarios.synthetic import Ball, FRAME_NS, sense

S = 1_000_000_000


def names(store: InMemoryStore, wanted: ObjectFilter) -> list[str]:
    return [s.object_id for s in list_objects(store, wanted).objects]


def test_all_objects_by_id(kitchen: InMemoryStore) -> None:
    answer = list_objects(kitchen)

    assert [s.object_id for s in answer.objects] == ['bowl_1', 'cup_1']
    assert answer.sentence == 'I know of 2 such objects: bowl_1 and cup_1.'


@pytest.mark.parametrize(
    ('wanted', 'expected'),
    [
        (ObjectFilter(label='Cup'), ['cup_1']),
        (ObjectFilter(visibility=Visibility.OUT_OF_VIEW), ['bowl_1', 'cup_1']),
        (ObjectFilter(visibility=Visibility.VISIBLE), []),
        (ObjectFilter(fixture_id='table'), []),
        (ObjectFilter(moved_since_ns=0), []),
        (ObjectFilter(out_of_sight_since_ns=11 * FRAME_NS), ['bowl_1', 'cup_1']),
        (ObjectFilter(out_of_sight_since_ns=10 * FRAME_NS), []),
        (ObjectFilter(region_min=(0, 0.2, -1), region_max=(3, 1, 1)), ['bowl_1']),
    ],
)
def test_filters(kitchen: InMemoryStore, wanted: ObjectFilter, expected: list[str]) -> None:
    assert names(kitchen, wanted) == expected


def test_visible_things_are_not_out_of_sight(two_cups: InMemoryStore) -> None:
    hidden = names(two_cups, ObjectFilter(out_of_sight_since_ns=10 * FRAME_NS))

    assert len(hidden) == 1


def test_tombstones_can_be_left_out() -> None:
    store = remember(
        [sense(i, [Ball('cup', (2.0, 0.0, 0.0))] if i < 6 else []) for i in range(20)]
    )

    assert names(store, ObjectFilter()) == ['cup_1']
    assert names(store, ObjectFilter(include_absent=False)) == []


def test_object_without_a_place_is_in_no_region() -> None:
    nowhere = ObjectState('m1', 'mug', 0)

    assert not ObjectFilter(region_min=(-9, -9, -9), region_max=(9, 9, 9)).accepts(nowhere)


def test_empty_memory_lists_nothing_and_says_why(empty: InMemoryStore) -> None:
    answer = list_objects(empty)

    assert (answer.status, answer.objects) == (AnswerStatus.UNKNOWN, ())
    assert 'the memory is empty' in answer.sentence


def test_long_lists_are_cut_in_the_sentence_only() -> None:
    balls = [Ball('cup', (2.5, -0.9 + 0.15 * i, 0.0), radius=0.07) for i in range(12)]
    answer = list_objects(remember([sense(i, balls) for i in range(6)]))

    assert len(answer.objects) == 12
    assert answer.sentence.endswith('and 2 more.')


@pytest.mark.parametrize(
    ('duration_ns', 'text'),
    [
        (0, '0.0 s'),
        (9_949_000_000, '9.9 s'),
        (10 * S, '10 s'),
        (60 * S, '1 min'),
        (192 * S, '3 min 12 s'),
        (3_600 * S, '1 h'),
        (7_260 * S, '2 h 1 min'),
        (90_061 * S, '1 d 1 h'),
    ],
)
def test_durations_read_as_people_say_them(duration_ns: int, text: str) -> None:
    assert describe_duration(duration_ns) == text


@pytest.mark.parametrize(
    ('state', 'text'),
    [
        (ObjectState('m', 'mug', 0, container_id='drawer_1', fixture_id='drawer_1'),
         'inside drawer_1'),
        (ObjectState('m', 'mug', 0, fixture_id='table'), 'at table'),
        (ObjectState('m', 'mug', 0, world_p=(1.0, 2.0, 0.5)), 'at (1.00, 2.00, 0.50) m'),
        (ObjectState('m', 'mug', 0), 'at an unknown place'),
    ],
)  # fmt: skip
def test_places(state: ObjectState, text: str) -> None:
    assert describe_place(state) == text


@pytest.mark.parametrize('state', list(Visibility))
def test_every_state_has_words(state: Visibility) -> None:
    assert describe_visibility(state, 'no_pose', 'door')


def test_occluder_that_is_only_depth_is_something() -> None:
    text = describe_visibility(Visibility.OCCLUDED, 'occluded_by:depth', 'depth')

    assert text == 'hidden by something in front of it'


def test_own_body_is_said_to_carry_the_camera() -> None:
    text = describe_visibility(Visibility.OCCLUDED, 'occluded_by:self', 'self')

    assert text == 'hidden by the body that carries the camera'


@pytest.mark.parametrize(
    ('given', 'text'),
    [([], ''), (['a'], 'a'), (['a', 'b'], 'a and b'), (list('abc'), 'a, b and c')],
)
def test_names_are_joined(given: list[str], text: str) -> None:
    assert join_names(given) == text


@pytest.mark.parametrize(
    'wanted',
    [
        ObjectFilter(fixture_id='tabel_1'),
        ObjectFilter(container_id='tabel_1'),
        ObjectFilter(fixture_id='drawer_1', container_id='tabel_1'),
    ],
)
def test_what_nothing_is_called_is_told_from_what_is_empty(wanted: ObjectFilter) -> None:
    """A misspelt name must not look like an empty table."""
    answer = list_objects(make_story(), wanted)

    assert (answer.status, answer.objects) == (AnswerStatus.NOT_YET_SEEN, ())
    reason, known = answer.reason.split('; fixtures are: ')
    assert reason == 'no fixture or object tabel_1 is known by then'
    assert 'drawer_1' in known


@pytest.mark.parametrize(
    'wanted',
    [
        ObjectFilter(fixture_id='drawer_1', label='teapot'),
        ObjectFilter(container_id='drawer_1', label='teapot'),
        ObjectFilter(container_id='spoon_1'),
    ],
)
def test_what_is_known_may_be_empty(wanted: ObjectFilter) -> None:
    answer = list_objects(make_story(), wanted)

    assert (answer.status, answer.objects) == (AnswerStatus.KNOWN, ())


def test_list_before_the_first_frame_is_not_yet_seen(kitchen: InMemoryStore) -> None:
    answer = list_objects(kitchen, at=Moment(0, 1))

    assert (answer.status, answer.objects) == (AnswerStatus.NOT_YET_SEEN, ())
    assert answer.sentence == f'I know of nothing: {answer.reason}.'


@pytest.mark.parametrize('radius_m', [-0.1, math.nan, math.inf])
def test_ball_without_a_radius_is_refused(radius_m: float) -> None:
    with pytest.raises(StMemoryError, match=r'radius: expected metres >= 0, got '):
        ObjectFilter(centre=(0.0, 0.0, 0.0), radius_m=radius_m)


@pytest.mark.parametrize(
    ('label', 'expected'),
    [
        ('x' * 10_000_000, 'The ' + 'x' * 59 + '… ('),
        ('red\x1b[31m\n mug', 'The red [31m mug ('),
        ('\u202eevil', 'The evil ('),
        (' \n', r"The ' \n' ("),
    ],
    ids=['endless', 'control', 'direction', 'blank'],
)
def test_sentences_stay_one_short_line_whatever_a_thing_is_called(
    label: str, expected: str
) -> None:
    store = InMemoryStore()
    state = ObjectState('t' * 1_000_000, label, 0, world_p=(1.0, 2.0, 3.0))
    commit(store, 0.0, state)
    answer = locate(store, Selector(object_id=state.object_id))

    assert answer.sentence.startswith(expected)
    assert answer.sentence.isprintable()
    assert len(answer.sentence) < 300
    assert answer.object is not None
    assert answer.object.label == label
    assert len(list_objects(store).sentence) < 300


def test_every_name_that_is_not_empty_shows() -> None:
    assert [clip_name(name) for name in ('', ' ', '\t', 'a  b')] == ['', "' '", r"'\t'", 'a  b']


@pytest.mark.parametrize(
    ('ago_ns', 'text'), [(0, 'now'), (1, 'now'), (49_000_000, 'now'), (50_000_000, '0.1 s ago')]
)
def test_what_takes_no_time_is_now(ago_ns: int, text: str) -> None:
    """An edit is one nanosecond after the newest frame: what that showed is still seen now."""
    assert describe_when(ago_ns, lagging=False) == text
