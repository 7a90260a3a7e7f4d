"""Baselines that look at nothing: chance, and the words of the questions alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ['chance_by_class', 'text_only_choices']

Row = Mapping[str, Any]

_RANKED = ('last_visible', 'last_placed')


def chance_by_class(rows: Sequence[Row]) -> dict[str, float]:
    """Give the share of right answers that guessing has, by class."""
    shares: dict[str, list[float]] = {}
    for row in rows:
        shares.setdefault(row['class'], []).append(1.0 / len(row['choices']))
    return {name: sum(values) / len(values) for name, values in shares.items()}


def text_only_choices(rows: Sequence[Row]) -> dict[str, int]:
    """
    Answer by what is most often right among other questions of the class.

    The questions of one half of the trajectories are answered by the keys of the other half. What
    counts is the words of an option; of times, which never come again, the rank among the
    options. That is all that words alone can give away, and should be little better than chance.

    Returns
    -------
    dict
        Option by question id.

    """
    names = sorted({row['trajectory_id'] for row in rows})
    half_by_name = {name: i % 2 for i, name in enumerate(names)}
    right: Counter[tuple[int, str, object]] = Counter()
    for row in rows:
        key = _option(row, row['correct_idx'])
        right[half_by_name[row['trajectory_id']], row['class'], key] += 1
    choices = {}
    for row in rows:
        other = 1 - half_by_name[row['trajectory_id']]
        votes = [right[other, row['class'], _option(row, i)] for i in range(len(row['choices']))]
        choices[row['id']] = votes.index(max(votes))
    return choices


def _option(row: Row, index: int) -> object:
    return index if row['kind'] in _RANKED else row['choices'][index]
