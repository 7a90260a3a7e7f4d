"""Open questions: times and points said in words, their keys, and texts that are right."""

from __future__ import annotations

from typing import Any

import pytest

from st_memory.benchmark.questions.open_answers import time_point_said, TimePoint
from st_memory.benchmark.questions.question_scores import score_records

AT_63 = '<TIME 00:01:03.0 video 1>'
KEY = {'sampled_last_visible_time_sec': 63.0, 'normalized_projected_pixel': [0.1, 0.79]}
Figures = dict[str, Any]


@pytest.mark.parametrize(
    ('reply', 'seconds', 'point'),
    [
        (f'{AT_63}; Point=(0.10, 0.79)', 63.0, (0.1, 0.79)),
        (f'{AT_63}; (0.1, 0.79)', 63.0, (0.1, 0.79)),
        (f'{AT_63}; [0.1, 0.79]', 63.0, (0.1, 0.79)),
        (f'{AT_63} point: .1, .79', 63.0, (0.1, 0.79)),
        (f'{AT_63} location = (0.1, 0.79)', 63.0, (0.1, 0.79)),
        (f'{AT_63} x=0.1, y=0.79', 63.0, (0.1, 0.79)),
        (f'{AT_63} Point=(-0.1, +1.2)', 63.0, (-0.1, 1.2)),
        ('<time 01:00:02>; (0.5, 0.5)', 3602.0, (0.5, 0.5)),
        (AT_63, 63.0, None),
        (f'{AT_63} 0.1 0.79 1', 63.0, None),  # beside a token a point needs its brackets
        ('Point=(0.1, 0.79)', None, (0.1, 0.79)),
        ('<TIME 0:01:03 video 1>; (0.1, 0.79)', None, (0.1, 0.79)),  # hours have two digits
        (f'{AT_63}; Point=(0.9.1, 0.7)', 63.0, None),
        (f'{AT_63}; Point=(+, -)', 63.0, None),
        (f'{AT_63}; Point=(0.1)', 63.0, None),
        ('time: 63, point (0.1, 0.79)', 63.0, (0.1, 0.79)),
        ('last visible at 63.5, at (0.1, 0.79)', 63.5, (0.1, 0.79)),
        ('after 63 seconds at (0.1, 0.79)', 63.0, (0.1, 0.79)),
        ('63 0.1 0.79', 63.0, (0.1, 0.79)),
        ('63, 5, 0.1, 0.79', 63.0, (0.1, 0.79)),  # the first is the time, the last two the point
        ('63, 0.1', None, None),
        ('a while ago', None, None),
        ('', None, None),
        (f'it was\n{AT_63}; (0.1, 0.79)', None, None),  # the first line counts
        (f'Thinking...\nFinal answer: {AT_63}; (0.1, 0.79)', 63.0, (0.1, 0.79)),
    ],
)
def test_what_a_reply_says(
    reply: str, seconds: float | None, point: tuple[float, float] | None
) -> None:
    assert time_point_said(reply) == TimePoint(seconds, point)


def figures_of(reply: str | int | None, metadata: object = None, **more: object) -> Figures:
    """Score one reply to one question about when something was last visible."""
    step = {
        'step': '2',
        'step_question_class': 'oos_step2_last_visible',
        'question': 'When?',
        'choices': [],
        'correct_idx': None,
        'answer_metadata': KEY if metadata is None else metadata,
        **more,
    }
    record = {'trajectory_id': 't', 'video_id': 'v', 'query_time_sec': 94.0, 'steps': [step]}
    return score_records([record], {'t__step_2': reply})


def told(figures: Figures) -> tuple[float | None, float]:
    return figures['micro_avg'], figures['parse_rate']


@pytest.mark.parametrize(
    ('seconds', 'x', 'right'),
    [
        ('03.0', 0.1, True),
        ('04.0', 0.1, True),  # one second is near enough
        ('04.1', 0.1, False),
        ('03.0', 0.17, True),
        ('03.0', 0.19, False),
    ],
)
def test_time_and_point_are_both_to_be_near(seconds: str, x: float, right: bool) -> None:
    reply = f'<TIME 00:01:{seconds} video 1>; Point=({x}, 0.72)'

    assert told(figures_of(reply)) == (float(right), 1.0)


@pytest.mark.parametrize(
    'reply', [AT_63, 'Point=(0.1, 0.79)', 'a while ago', f'{AT_63}; Point=(0.9.1, 0.7)', 0, None]
)
def test_half_an_answer_is_not_parsed(reply: str | int | None) -> None:
    assert told(figures_of(reply)) == (0.0, 0.0)


def test_any_acceptable_time_with_its_own_point_is_right() -> None:
    other = {'time_sec': 40.0, 'normalized_projected_pixel': [0.5, 0.5]}
    third = {'time_sec': 20.0, 'normalized_projected_pixel': [0.9, 0.9]}
    half = {'time_sec': 80.0}
    metadata = {**KEY, 'acceptable_answer_metadata': [other, third, half]}

    def right(reply: str) -> float | None:
        return told(figures_of(reply, metadata))[0]

    assert right('<TIME 00:00:40.0 video 1>; Point=(0.5, 0.5)') == 1.0
    assert right('<TIME 00:00:20.0 video 1>; Point=(0.9, 0.9)') == 1.0
    assert right('<TIME 00:00:40.0 video 1>; Point=(0.9, 0.9)') == 0.0  # of different ones
    assert right('<TIME 00:01:20.0 video 1>; Point=(0.5, 0.5)') == 0.0  # has no point
    assert right(f'{AT_63}; Point=(0.1, 0.79)') == 0.0  # the list takes the place of the one


def test_without_whole_acceptable_ones_the_one_key_counts() -> None:
    metadata = {**KEY, 'acceptable_answer_metadata': [{'time_sec': 40.0}]}

    assert told(figures_of(f'{AT_63}; (0.1, 0.79)', metadata)) == (1.0, 1.0)


@pytest.mark.parametrize(
    'metadata',
    [
        {'sampled_last_visible_time_sec': 63.0},
        {**KEY, 'normalized_projected_pixel': [0.1]},
        {**KEY, 'normalized_projected_pixel': [0.1, None]},
        {**KEY, 'sampled_last_visible_time_sec': True},
        {'last_placement_time_sec': 63.0, 'normalized_projected_pixel': [0.1, 0.79]},
        {},
    ],
)
def test_key_without_time_or_point_is_its_text(metadata: object) -> None:
    assert told(figures_of(AT_63, metadata, target_text=AT_63)) == (1.0, 1.0)
    assert told(figures_of(f'{AT_63}; (0, 0)', metadata, target_text=AT_63)) == (0.0, 1.0)


def test_question_of_another_class_is_right_by_its_text() -> None:
    another = {'step_question_class': 'other', 'answer': 'On the  Table'}
    for reply, right in (('on the table', 1.0), ('Answer: ON THE TABLE', 1.0), ('table', 0.0)):
        assert told(figures_of(reply, {}, **another)) == (right, 1.0)
    assert told(figures_of('the desk', {}, acceptable_answers=['The desk'], **another)) == (1, 1)
    assert told(figures_of('', {}, **another)) == (0.0, 0.0)


def test_question_without_a_key_counts_nowhere_but_in_the_parse_rate() -> None:
    open_one = figures_of('a while ago', {})
    chosen = figures_of('B', {}, choices=['No', 'Yes'])

    for figures in (open_one, chosen):
        assert told(figures) == (None, 1.0)
        assert (figures['total_count'], figures['unscorable_count']) == (1, 1)
        assert figures['trajectory_count'] == 0
        assert figures['macro_avg'] is None
