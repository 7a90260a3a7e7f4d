"""How far trajectories go right, and what follows a first mistake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
import re
from statistics import mean, median
from typing import Any, NamedTuple

__all__ = ['StepMark', 'mean_or_none', 'score_trajectories', 'step_order']

_STEP = re.compile(r'(\d+)([A-Za-z]*)')
_LAST = 10**9


class StepMark(NamedTuple):
    """Whether a step of a trajectory was answered right."""

    trajectory_id: str
    step: str
    is_right: bool


def step_order(step: str) -> tuple[int, str]:
    """Give the sort key of a step: by number, then letter; others come last."""
    found = _STEP.fullmatch(step)
    return (int(found.group(1)), found.group(2)) if found else (_LAST, step)


def mean_or_none(values: Iterable[float]) -> float | None:
    """Give the mean; None of nothing."""
    numbers = list(values)
    return mean(map(float, numbers)) if numbers else None


def score_trajectories(marks: Iterable[StepMark]) -> dict[str, Any]:
    """
    Score trajectories by their steps in order; a visible control is one of a single step.

    Returns
    -------
    dict
        ``trajectory_count``; ``trajectory_success_rate``, of those with all steps right;
        ``first_mistakes`` by step, and the mean and median of the numbers of those steps;
        ``error_propagation_rate``, the share with another mistake of those with steps after
        their first; ``post_error_failure_rate``, the mean share of these steps that are wrong.
        None where there is nothing to count, where the published evaluation writes 0.

    """
    groups: dict[str, list[StepMark]] = {}
    for mark in marks:
        groups.setdefault(mark.trajectory_id, []).append(mark)
    ordered = [sorted(group, key=lambda m: step_order(m.step)) for group in groups.values()]
    tails = [tail for group in ordered if (tail := _from_first_mistake(group))]
    names = [tail[0].step for tail in tails]
    numbers = [int(found.group(1)) for name in names if (found := re.match(r'(\d+)', name))]
    later = [[not mark.is_right for mark in tail[1:]] for tail in tails if len(tail) > 1]
    return {
        'trajectory_count': len(ordered),
        'trajectory_success_rate': mean_or_none(
            all(mark.is_right for mark in group) for group in ordered
        ),
        'first_mistakes': dict(
            sorted(Counter(names).items(), key=lambda item: step_order(item[0]))
        ),
        'avg_first_mistake_step': mean_or_none(numbers),
        'median_first_mistake_step': float(median(numbers)) if numbers else None,
        'error_propagation_rate': mean_or_none(any(wrong) for wrong in later),
        'post_error_failure_rate': mean_or_none(sum(wrong) / len(wrong) for wrong in later),
    }


def _from_first_mistake(group: Sequence[StepMark]) -> Sequence[StepMark]:
    """Give the steps from the first wrong one on; none when all are right."""
    return next((group[i:] for i, mark in enumerate(group) if not mark.is_right), ())
