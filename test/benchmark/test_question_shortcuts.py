"""Shortcuts: what can be answered without looking, counted by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from st_memory.benchmark.questions.shortcuts import check_shortcuts, leaks_of
from st_memory.benchmark.questions.templates import CLASSES

FOUR = ('Front-left', 'Front-right', 'Back-left', 'Back-right')
DIRECTION, FIXTURE = CLASSES['direction'], CLASSES['fixture']
Row = dict[str, Any]


def question(right: int, choices: tuple[str, ...] = FOUR, kind: str = DIRECTION) -> Row:
    step = {'step_question_class': kind, 'choices': list(choices), 'correct_idx': right}
    return {'steps': [step]}


def turned(right: str, by: int) -> Row:
    """Ask with the options in another order."""
    choices = FOUR[by:] + FOUR[:by]
    return question(choices.index(right), choices)


def test_even_answers_leak_nothing() -> None:
    figures = check_shortcuts([question(i % 4) for i in range(40)])[DIRECTION]

    assert (figures['total'], figures['chance']) == (40, 0.25)
    # Of its own answer every question sees one less than of the three others.
    assert figures['answer_prior'] == figures['position'] == 0.0
    assert figures['limit'] == pytest.approx(0.25 + 1.645 * math.sqrt(0.25 * 0.75 / 40))
    assert figures['leaks'] == []


def test_answer_that_is_right_most_often_leaks_by_its_words() -> None:
    some = [turned('Back-left', i % 4) for i in range(12)]
    some += [question(i) for i in range(4)]
    checked = check_shortcuts(some)

    # 13 of 16 are back-left, at every rank four times.
    assert checked[DIRECTION]['answer_prior'] == 13 / 16
    assert checked[DIRECTION]['position'] < 0.25
    assert checked[DIRECTION]['leaks'] == ['answer_prior']
    limit = 0.25 + 1.645 * math.sqrt(0.25 * 0.75 / 16)
    assert leaks_of(checked) == [
        f'{DIRECTION}: answer_prior gets 0.81 of 16, where guessing stays below {limit:.2f}'
    ]


def test_rank_that_is_right_most_often_leaks_by_its_position() -> None:
    some = [turned(FOUR[i % 4], i % 4) for i in range(12)]  # the first one always
    figures = check_shortcuts(some)[DIRECTION]

    assert figures['position'] == 1.0
    assert figures['leaks'] == ['position']


def test_fixtures_keep_their_natural_frequencies() -> None:
    figures = check_shortcuts([question(0, kind=FIXTURE) for _ in range(20)])[FIXTURE]

    assert figures['answer_prior'] == 1.0
    assert figures['leaks'] == []


def test_options_that_tie_share() -> None:
    # Alone of its class, every option has no votes.
    assert check_shortcuts([question(2)])[DIRECTION]['answer_prior'] == 0.25


def test_few_questions_of_one_answer_are_within_chance() -> None:
    figures = check_shortcuts([question(1, ('No', 'Yes')), question(1, ('No', 'Yes'))])[DIRECTION]

    assert figures['answer_prior'] == 1.0
    assert figures['limit'] == pytest.approx(0.5 + 1.645 * 0.5 / math.sqrt(2))
    assert figures['leaks'] == []  # two of two are right by guessing one time in four


def times(placed: int, seen_s: object) -> Row:
    """Ask when a thing was last visible and put down; three options for the latter."""
    clock = ['00:00:10 — 50 seconds before the end', '00:00:20 — 40', '00:01:00 — 0']
    seen = {
        'step_question_class': CLASSES['last_visible'],
        'choices': [],
        'answer_metadata': {'sampled_last_visible_time_sec': seen_s},
    }
    put = {
        'step_question_class': CLASSES['last_placed'],
        'choices': clock,
        'correct_idx': placed,
    }
    return {'steps': [seen, put]}


def test_latest_row_takes_the_last_look_for_the_placement() -> None:
    figures = check_shortcuts([times(1, 24.0), times(1, 59.0), times(2, 70.0), times(0, None)])

    assert figures[CLASSES['last_placed']]['latest_row'] == pytest.approx(2 / 3)
    assert CLASSES['last_visible'] not in figures  # it is open


def test_latest_row_needs_both_questions_and_times() -> None:
    one = times(0, 10.0)
    del one['steps'][0]
    other = times(0, 10.0)
    other['steps'][1]['choices'] = ['soon', '1:2', 'a:b:c']

    for record in (one, other):
        assert 'latest_row' not in check_shortcuts([record])[CLASSES['last_placed']]


def test_nothing_asked_has_no_shortcuts() -> None:
    assert check_shortcuts([]) == {}
    assert leaks_of({}) == []
