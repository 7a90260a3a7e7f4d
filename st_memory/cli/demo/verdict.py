"""Whether a demonstration showed what it is there to show."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from st_memory.cli.demo.marking import MarkedAnswer, NO_ANSWER

__all__ = ['failures', 'score']

_LEAST_SHARE = 0.5


def failures(marked: Sequence[MarkedAnswer]) -> list[str]:
    """
    Say what a demonstration failed at.

    Parameters
    ----------
    marked : sequence of MarkedAnswer
        Every question that was put, answered or not.

    Returns
    -------
    list of str
        One line each; empty when at least half of the answers are right, every service answered
        and something out of sight was asked about.

    """
    found = []
    if not any(item.out_of_sight for item in marked):
        found.append('nothing that was asked about was out of sight')
    silent = {item.service: None for item in marked if item.status == NO_ANSWER}
    if silent:
        found.append(f'no answer from {", ".join(silent)}')
    if sum(item.correct for item in marked) < _LEAST_SHARE * len(marked):
        found.append('fewer than half of the answers are right')
    return found


def score(marked: Sequence[MarkedAnswer]) -> str:
    """Give the share of right answers and the median time of a call; of at least one answer."""
    num_right = sum(item.correct for item in marked)
    latency_ms = median(item.latency_ms for item in marked)
    return f'{num_right} of {len(marked)} answers are right; median call {latency_ms:.1f} ms'
