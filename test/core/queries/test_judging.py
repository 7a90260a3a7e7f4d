"""How good an answer is: the same rules for every question, and sentences that say the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
import itertools

import pytest

from st_memory.core.queries import (
    Answer,
    get_timeline,
    get_visibility,
    locate,
    relative_pose,
    Selector,
    when_last_placed,
    when_last_visible,
)
from st_memory.core.queries.selection import judge, Selection, Subject
from st_memory.core.records import AnswerStatus, LifeCycle, ObjectState, Visibility
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, S, stay

QUESTIONS = {
    'where': locate,
    'relative': relative_pose,
    'visible': get_visibility,
    'timeline': get_timeline,
    'last_visible': when_last_visible,
    'last_placed': when_last_placed,
}
MUG = ObjectState(
    'mug_1',
    'mug',
    0,
    world_p=(2.0, 0.0, 0.0),
    visibility=Visibility.OUT_OF_VIEW,
    cause='behind_camera',
    first_seen_ns=S,
    last_seen_ns=4 * S,
    last_visible_ns=4 * S,
    last_placed_ns=3 * S,
    placed_by='observed',
)
GONE = replace(MUG, life_cycle=LifeCycle.ABSENT, visibility=Visibility.ABSENT)
LOST = replace(MUG, placed_by='lost')
CARRIED = replace(MUG, in_motion=True, visibility=Visibility.IN_MOTION, cause='in_motion')
EMPTIED = 'its last place was seen to be empty'
OUT_OF_SIGHT = 'it was lost from sight while being carried'
ON_ITS_WAY = 'it is being moved and was last seen 6.0 s ago'


def remembered(*states: ObjectState) -> InMemoryStore:
    """A camera looks at 5 s and at 10 s; the objects are as given from 5 s on."""
    rows = tuple(stay(s.object_id, 5, None, s.visibility) for s in states)
    store = commit(InMemoryStore(), 5, *states, cameras=['cam'], intervals=rows)
    return commit(store, 10, cameras=['cam'])


def ask(name: str, *states: ObjectState, at: Moment | None = None) -> Answer:
    question: Callable[..., Answer] = QUESTIONS[name]
    return question(remembered(*states), Selector(label='mug'), at=at)


@pytest.mark.parametrize('name', QUESTIONS)
@pytest.mark.parametrize(
    ('state', 'status', 'reason'),
    [
        (MUG, AnswerStatus.KNOWN, ''),
        (GONE, AnswerStatus.STALE, EMPTIED),
        (replace(MUG, visibility=Visibility.ABSENT), AnswerStatus.STALE, EMPTIED),
        (LOST, AnswerStatus.STALE, OUT_OF_SIGHT),
    ],
    ids=['at_rest', 'absent', 'looks_absent', 'lost'],
)
def test_every_question_judges_alike(
    name: str, state: ObjectState, status: AnswerStatus, reason: str
) -> None:
    answer = ask(name, state)

    assert (answer.status, answer.reason) == (status, reason)
    assert reason in answer.sentence


@pytest.mark.parametrize('name', ['where', 'relative', 'last_visible', 'last_placed'])
def test_carried_thing_unseen_for_long_is_stale(name: str) -> None:
    answer = ask(name, CARRIED)

    assert (answer.status, answer.reason) == (AnswerStatus.STALE, ON_ITS_WAY)


@pytest.mark.parametrize('name', ['visible', 'timeline'])
def test_carried_thing_is_known_to_be_in_motion(name: str) -> None:
    answer = ask(name, CARRIED)

    assert (answer.status, answer.state) == (AnswerStatus.KNOWN, Visibility.IN_MOTION)
    assert answer.sentence == 'The mug (mug_1) is being moved.'


@pytest.mark.parametrize(
    ('last_seen_ns', 'status'), [(8 * S, AnswerStatus.KNOWN), (8 * S - 1, AnswerStatus.STALE)]
)
def test_carried_thing_is_stale_after_two_seconds(last_seen_ns: int, status: AnswerStatus) -> None:
    assert ask('where', replace(CARRIED, last_seen_ns=last_seen_ns)).status is status


def test_carried_thing_never_seen_is_stale() -> None:
    answer = ask('where', replace(CARRIED, last_seen_ns=None))

    assert answer.reason == 'it is being moved and has not been seen yet'


def test_thing_lost_once_and_carried_in_sight_now_is_known() -> None:
    seen = replace(CARRIED, placed_by='lost', last_seen_ns=10 * S)

    assert ask('where', seen).status is AnswerStatus.KNOWN
    # When it was put down the last time is still an assumption.
    assert ask('last_placed', seen).status is AnswerStatus.STALE


@pytest.mark.parametrize('name', ['where', 'relative', 'visible', 'timeline'])
def test_thing_never_located_is_unknown(name: str) -> None:
    nowhere = ObjectState('mug_1', 'mug', 0, cause='not_yet_located')

    answer = ask(name, nowhere)

    assert answer.status is AnswerStatus.UNKNOWN
    assert answer.reason == 'it was reported but its position was never measured'
    assert answer.reason in answer.sentence


def test_thing_moved_to_an_unseen_place_has_no_place_but_a_time() -> None:
    moved = replace(MUG, world_p=None)

    assert ask('where', moved).reason == 'its position has not been measured since it was moved'
    placed = ask('last_placed', moved)
    assert (placed.status, placed.stamp_ns) == (AnswerStatus.KNOWN, 3 * S)


@pytest.mark.parametrize('name', QUESTIONS)
def test_ambiguous_outweighs_known_only(name: str) -> None:
    other = replace(MUG, object_id='mug_2', last_seen_ns=2 * S)

    known, stale = ask(name, MUG, other), ask(name, GONE, other)

    assert known.status is AnswerStatus.AMBIGUOUS
    assert stale.status is AnswerStatus.STALE
    assert stale.reason == f'{EMPTIED}; 2 objects fit mug: mug_1 and mug_2'


def test_judge_names_every_reason() -> None:
    found = Selection((LOST,), AnswerStatus.AMBIGUOUS, 'two fit', Moment(0, 9 * S), 'it is late')

    verdict = judge(LOST, found, Subject.PLACE)

    assert verdict == (AnswerStatus.STALE, f'{OUT_OF_SIGHT}; it is late; two fit')


def test_absent_thing_is_shown_absent_whatever_its_interval_says() -> None:
    store = commit(InMemoryStore(), 5, GONE, cameras=['cam'], intervals=(stay('mug_1', 5, None),))

    answer = get_visibility(store, Selector(label='mug'))

    assert (answer.state, answer.cause, answer.since_ns) == (
        Visibility.ABSENT,
        'seen_through',
        None,
    )
    assert answer.sentence.endswith(f'is no longer there, last seen 1.0 s ago: {EMPTIED}.')


def test_stale_sentences_read_well() -> None:
    at = 'at (2.00, 0.00, 0.00) m'

    assert ask('where', GONE).sentence == (
        f'The mug (mug_1) was last {at} and is no longer there, last seen 6.0 s ago: {EMPTIED}.'
    )
    assert ask('where', LOST).sentence == (
        f'The mug (mug_1) was last {at}, last seen 6.0 s ago: {OUT_OF_SIGHT}.'
    )
    assert ask('where', CARRIED).sentence == f'The mug (mug_1) was last {at}: {ON_ITS_WAY}.'
    assert ask('visible', LOST).sentence == (
        f'The mug (mug_1) was last out of view for 5.0 s: {OUT_OF_SIGHT}.'
    )
    assert ask('last_placed', LOST).sentence == (
        f'The mug (mug_1) is assumed to have been put down {at} 7.0 s ago: {OUT_OF_SIGHT}.'
    )
    assert ask('relative', GONE).sentence == (
        f'The mug (mug_1) was last 2.00 m in front of you to the left: {EMPTIED}.'
    )


PLACES = [{}, {'fixture_id': 'shelf_1'}, {'container_id': 'box_1'}, {'world_p': None}]


@pytest.mark.parametrize('name', QUESTIONS)
@pytest.mark.parametrize('late', [False, True])
def test_no_combination_contradicts_itself(name: str, late: bool) -> None:
    at = Moment(0, 99 * S) if late else None
    for state, visibility, place, moving, twin in itertools.product(
        [MUG, GONE, LOST], Visibility, PLACES, [False, True], [False, True]
    ):
        given = replace(state, visibility=visibility, in_motion=moving, **place)
        others = [replace(MUG, object_id='mug_2', last_seen_ns=2 * S)] if twin else []
        answer = ask(name, given, *others, at=at)
        text = answer.sentence
        gone = given.life_cycle is LifeCycle.ABSENT or visibility is Visibility.ABSENT
        assert text.startswith('The mug (mug_1)')
        assert text.endswith('.')
        assert '..' not in text
        assert '  ' not in text
        assert '()' not in text
        assert not (gone and answer.status in (AnswerStatus.KNOWN, AnswerStatus.AMBIGUOUS))
        assert 'no longer where it was' not in text
        assert answer.status is AnswerStatus.KNOWN or answer.reason
        if answer.status is AnswerStatus.STALE:
            assert answer.reason in text
