"""Where is it, and which one is meant."""

from __future__ import annotations

import numpy as np
import pytest

from st_memory.core.queries import locate, Selector
from st_memory.core.records import AnswerStatus
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import remember
from test.scenarios.synthetic import Ball, FRAME_NS, sense

CUP = Selector(label='cup')


def test_cup_out_of_view_is_where_it_was_left(kitchen: InMemoryStore) -> None:
    answer = locate(kitchen, CUP)

    assert answer.status is AnswerStatus.KNOWN
    np.testing.assert_allclose(answer.object.world_p, (2.0, 0.0, 0.0), atol=0.03)
    assert answer.sentence == (
        'The cup (cup_1) is at (2.00, 0.00, 0.00) m, out of view (behind the camera), '
        'last seen 2.0 s ago.'
    ).replace('0.00, 0.00) m', f'{answer.object.world_p[1]:.2f}, 0.00) m')


def test_evidence_is_the_latest_observation(kitchen: InMemoryStore) -> None:
    answer = locate(kitchen, CUP)

    latest = kitchen.observations('cup_1', limit=1)[0]
    assert answer.evidence_ids == (latest.observation_id,)
    assert latest.stamp_ns == 10 * FRAME_NS


@pytest.mark.parametrize(
    'selector',
    [
        Selector(object_id='cup_1'),
        Selector(label='CUP'),
        Selector(text='the cup'),
        Selector(text='cup 1'),
    ],
)
def test_ways_to_name_the_cup(kitchen: InMemoryStore, selector: Selector) -> None:
    answer = locate(kitchen, selector)

    # "the" is no word of any name: a text needs all its words.
    if selector.text == 'the cup':
        assert answer.status is AnswerStatus.NOT_YET_SEEN
    else:
        assert answer.object.object_id == 'cup_1'


def test_unknown_object_names_what_is_known(kitchen: InMemoryStore) -> None:
    answer = locate(kitchen, Selector(label='drone'))

    assert answer.status is AnswerStatus.NOT_YET_SEEN
    assert answer.object is None
    assert 'no drone has been seen by then; known are: bowl and cup' in answer.reason
    assert answer.sentence.startswith('I do not know')


def test_two_that_fit_are_ambiguous_and_both_named(two_cups: InMemoryStore) -> None:
    answer = locate(two_cups, CUP)

    assert answer.status is AnswerStatus.AMBIGUOUS
    assert len(answer.alternatives) == 1
    # The one seen last is the best guess.
    assert answer.object.last_seen_ns > answer.alternatives[0].last_seen_ns
    assert answer.alternatives[0].object_id in answer.sentence


def test_id_settles_an_ambiguity(two_cups: InMemoryStore) -> None:
    assert locate(two_cups, Selector(object_id='cup_2')).status is AnswerStatus.KNOWN


def test_empty_memory_says_so(empty: InMemoryStore) -> None:
    answer = locate(empty, CUP)

    assert answer.status is AnswerStatus.UNKNOWN
    assert answer.reason == 'the memory is empty'


def test_question_without_a_name_says_so(kitchen: InMemoryStore) -> None:
    assert locate(kitchen, Selector()).reason == 'no object was named'


def test_question_before_the_first_frame_says_so(kitchen: InMemoryStore) -> None:
    answer = locate(kitchen, CUP, Moment(0, 1))

    assert answer.status is AnswerStatus.NOT_YET_SEEN
    assert 'nothing from before' in answer.reason


def test_as_of_an_earlier_time_nothing_later_is_used(kitchen: InMemoryStore) -> None:
    answer = locate(kitchen, CUP, Moment(0, 8 * FRAME_NS))

    assert answer.object.last_seen_ns == 8 * FRAME_NS
    assert answer.sentence.endswith('visible, seen just now.')


def test_as_of_before_it_was_believed_it_is_not_known(kitchen: InMemoryStore) -> None:
    # Three matches do not make an object yet.
    assert locate(kitchen, CUP, Moment(0, 3 * FRAME_NS)).status is AnswerStatus.NOT_YET_SEEN


def test_removed_cup_is_stale() -> None:
    cup = Ball('cup', (2.0, 0.0, 0.0))
    store = remember([sense(i, [cup] if i < 6 else []) for i in range(20)])

    answer = locate(store, CUP)

    assert answer.status is AnswerStatus.STALE
    assert 'was last at' in answer.sentence
    assert 'no longer there' in answer.sentence
