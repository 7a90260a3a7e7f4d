"""First mistakes and what follows them, counted by hand."""

from __future__ import annotations

import pytest

from st_memory.benchmark.questions.trajectory_scores import (
    score_trajectories,
    step_order,
    StepMark,
)

STEPS = ('1', '2', '3', '4', '5a', '5b')


def marks(name: str, right: str, steps: tuple[str, ...] = STEPS) -> list[StepMark]:
    """Give the marks of a trajectory: one letter a step, ``x`` for a wrong one."""
    return [StepMark(name, step, c != 'x') for step, c in zip(steps, right, strict=False)]


def test_steps_go_by_number_then_letter() -> None:
    assert sorted(['5b', 'end', '10', '5a', '2', '5'], key=step_order) == [
        '2',
        '5',
        '5a',
        '5b',
        '10',
        'end',
    ]


def test_figures_of_four_trajectories_and_a_control() -> None:
    figures = score_trajectories(
        [
            *marks('whole', '......'),
            *marks('early', 'x.x..x'),  # 2 of the 5 after step 1
            *marks('late', '...x..'),  # none of the 2 after step 4
            *marks('last', '.....x'),  # nothing comes after
            *marks('control', 'x'),
        ]
    )

    assert figures == {
        'trajectory_count': 5,
        'trajectory_success_rate': 0.2,
        'first_mistakes': {'1': 2, '4': 1, '5b': 1},
        'avg_first_mistake_step': (1 + 4 + 5 + 1) / 4,
        'median_first_mistake_step': 2.5,
        'error_propagation_rate': 0.5,
        'post_error_failure_rate': pytest.approx((2 / 5 + 0) / 2),
    }


def test_order_of_the_marks_does_not_matter() -> None:
    some = [*marks('a', '.x.x'), *marks('b', 'x...')]

    assert score_trajectories(some) == score_trajectories(some[::-1])


def test_without_mistakes_there_is_nothing_to_tell_of_them() -> None:
    figures = score_trajectories(marks('a', '..'))

    assert figures['trajectory_success_rate'] == 1.0
    assert figures['first_mistakes'] == {}
    for name in (
        'avg_first_mistake_step',
        'median_first_mistake_step',
        'error_propagation_rate',
        'post_error_failure_rate',
    ):
        assert figures[name] is None


def test_step_without_a_number_has_no_mean() -> None:
    figures = score_trajectories(marks('a', 'x', ('end',)))

    assert figures['first_mistakes'] == {'end': 1}
    assert figures['avg_first_mistake_step'] is None


def test_no_trajectories_have_no_share() -> None:
    assert score_trajectories([])['trajectory_success_rate'] is None
