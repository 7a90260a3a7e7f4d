"""Every question as of T is answered as by a memory that ends at T."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from hypothesis import given
from hypothesis import strategies as st
import pytest

from st_memory.core import queries
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import Answer, ObjectFilter, Selector
from st_memory.core.records import AnswerStatus, ObjectState
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, remember, S, stay
from test.core.queries.story import make_story, rest, SCENE
from test.replay.walk import WalkSource

Question = Callable[[MemoryReader, Selector, Moment | None], Answer]

# What is asked about one object, and what about everything.
ABOUT_ONE: dict[str, Question] = {
    'locate': queries.locate,
    'get_visibility': queries.get_visibility,
    'get_timeline': queries.get_timeline,
    'when_first_seen': queries.when_first_seen,
    'when_last_visible': queries.when_last_visible,
    'when_last_detected': queries.when_last_detected,
    'when_last_placed': queries.when_last_placed,
    'when_static_since': queries.when_static_since,
    'count_moves': queries.count_moves,
    'get_itinerary': queries.get_itinerary,
    'nearest_fixture': queries.nearest_fixture,
    'find_item': queries.find_item,
    'relative_pose': lambda reader, who, at: queries.relative_pose(reader, who, at=at),
}
OF_ALL: dict[str, Question] = {
    'list_objects': lambda reader, who, at: queries.list_objects(reader, None, at),
    'list_moved': lambda reader, who, at: queries.list_objects(
        reader, ObjectFilter(moved_since_ns=4 * S), at
    ),
    'list_changes': lambda reader, who, at: queries.list_changes(reader, None, at),
    'list_contents': lambda reader, who, at: queries.list_contents(reader, 'drawer_1', at),
    'predict_interaction': lambda reader, who, at: queries.predict_interaction(reader, at=at),
}
EVERYTHING = ABOUT_ONE | OF_ALL


@cache
def story(until: int | None) -> InMemoryStore:
    return make_story(99.0 if until is None else until)


@cache
def walk(num_frames: int) -> InMemoryStore:
    """The walk folded: cameras that turn, a bowl that is carried."""
    store = remember(WalkSource(num_frames).frames())
    store.put_scene(WalkSource().scene)
    return store


@pytest.mark.parametrize('name', sorted(EVERYTHING))
@given(second=st.integers(1, 20), who=st.sampled_from(['mug', 'bowl', 'plate', 'spoon', 'cup']))
def test_answer_of_the_story_as_of_a_time_is_that_of_one_cut_there(
    name: str, second: int, who: str
) -> None:
    at, selector = Moment(0, second * S), Selector(label=who)

    answer = EVERYTHING[name](story(None), selector, at)

    assert answer == EVERYTHING[name](story(second), selector, at)
    assert answer == EVERYTHING[name](story(second), selector, None)


@pytest.mark.parametrize('name', sorted(EVERYTHING))
@pytest.mark.parametrize('num_frames', [3, 29, 35, 60])
@pytest.mark.parametrize('who', ['mug', 'bowl'])
def test_answer_of_a_fold_as_of_a_time_is_that_of_one_stopped_there(
    name: str, num_frames: int, who: str
) -> None:
    stopped, selector = walk(num_frames), Selector(label=who)

    answer = EVERYTHING[name](walk(80), selector, stopped.now())

    expected = EVERYTHING[name](stopped, selector, None)
    # Furniture equals itself only: each walk has its own.
    assert repr(answer) == repr(expected)


@pytest.mark.parametrize('name', sorted(EVERYTHING))
def test_answer_between_two_frames_is_that_of_the_earlier(name: str) -> None:
    question, who = EVERYTHING[name], Selector(label='mug')

    between = question(story(None), who, Moment(0, 9 * S + S // 2))

    assert between == question(story(None), who, Moment(0, 9 * S))


@pytest.mark.parametrize('name', sorted(ABOUT_ONE))
def test_question_long_after_the_newest_frame_is_stale_or_unknown(name: str) -> None:
    answer = ABOUT_ONE[name](story(None), Selector(label='mug'), Moment(0, 3000 * S))

    assert answer.status in (AnswerStatus.STALE, AnswerStatus.UNKNOWN)
    assert "the memory's newest frame is 49 min 40 s older" in answer.reason


@pytest.mark.parametrize('name', sorted(ABOUT_ONE))
@pytest.mark.parametrize(
    ('at', 'who', 'status'),
    [
        (Moment(0, S // 2), 'mug', AnswerStatus.NOT_YET_SEEN),
        (Moment(0, 2 * S), 'bowl', AnswerStatus.NOT_YET_SEEN),
        (None, 'drone', AnswerStatus.NOT_YET_SEEN),
        (Moment(-1, S), 'mug', AnswerStatus.UNKNOWN),
    ],
    ids=['before the first frame', 'before it was seen', 'class never seen', 'no such epoch'],
)
def test_what_nobody_knows_is_refused_with_the_reason(
    name: str, at: Moment | None, who: str, status: AnswerStatus
) -> None:
    answer = ABOUT_ONE[name](story(None), Selector(label=who), at)

    assert (answer.status, answer.object) == (status, None)
    assert answer.reason
    assert answer.sentence == f'I do not know: {answer.reason}.'


@pytest.mark.parametrize('name', sorted(EVERYTHING))
def test_every_answer_has_a_sentence(name: str) -> None:
    for second in range(1, 21):
        for who in ('mug', 'bowl', 'plate', 'spoon'):
            at = Moment(0, second * S)
            answer = EVERYTHING[name](story(None), Selector(label=who), at)
            assert answer.sentence.endswith('.')
            assert answer.sentence[0].isupper() or answer.sentence[0] == '('
            assert '  ' not in answer.sentence
            assert 'None' not in answer.sentence


@pytest.mark.parametrize('name', sorted(ABOUT_ONE))
def test_two_candidates_are_told_with_the_one_seen_last_first(name: str) -> None:
    store = InMemoryStore()
    store.put_scene(SCENE)
    cup = ObjectState(
        'cup_1',
        'cup',
        0,
        world_p=(2.0, 0.0, 1.2),
        first_seen_ns=S,
        last_seen_ns=S,
        last_visible_ns=S,
        last_placed_ns=S,
        placed_by='observed',
    )
    other = replace(cup, object_id='cup_2', world_p=(1.0, 1.0, 1.2), last_seen_ns=2 * S)
    places = tuple(rest(s.object_id, 1, None, s.world_p, source='observed') for s in (cup, other))
    sights = tuple(stay(s.object_id, 1, None, last=2) for s in (cup, other))
    commit(store, 2, cup, other, cameras=['cam'], placements=places, intervals=sights)

    answer = ABOUT_ONE[name](store, Selector(label='cup'), None)

    assert answer.status is AnswerStatus.AMBIGUOUS
    assert answer.object is not None
    assert answer.object.object_id == 'cup_2'
    assert [s.object_id for s in answer.alternatives] == ['cup_1']
    assert '2 objects fit cup: cup_2 and cup_1' in answer.reason
