"""What answers to a question file can be had without looking: its shortcuts, and their limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
import math
from statistics import fmean
from typing import Any

from st_memory.benchmark.questions.templates import CLASSES

__all__ = ['CHECKED', 'check_shortcuts', 'leaks_of']

Record = Mapping[str, Any]
Step = Mapping[str, Any]

CHECKED = ('answer_prior', 'position')
"""Shortcuts that are to stay near chance: what is right most often, by its words and its rank."""

# Published fixture questions keep the frequencies with which things are put down.
_NATURAL = (CLASSES['fixture'],)
# One-sided 95 % of a normal distribution.
_Z = 1.645


def check_shortcuts(records: Iterable[Record]) -> dict[str, dict[str, Any]]:
    """
    Say how far each class can be answered by shortcuts; of steps with options alone.

    Every question is answered by the keys of the others of its class: ``answer_prior`` takes the
    option whose words are right most often among them, ``position`` the one of the rank that is;
    options that tie share. ``latest_row`` answers when a thing was put down by when it was last
    visible: as a memory would that keeps the latest row of each thing and nothing else.

    Returns
    -------
    dict of str to dict
        By class: ``total``, ``chance``, the share that each shortcut gets right, ``limit`` (what
        guessing stays below nineteen times in twenty) and ``leaks``, those of :data:`CHECKED`
        above it. Of fixtures nothing leaks: they are asked as often as they are used.

    References
    ----------
    .. [1] Beyond3D (2026), section 8.3: answers are balanced to limit answer-frequency shortcuts.

    """
    by_class: dict[str, list[Step]] = {}
    rows: list[bool] = []
    for record in records:
        for step in record['steps']:
            if step['choices'] and step.get('correct_idx') is not None:
                by_class.setdefault(str(step['step_question_class']), []).append(step)
        rows += _latest_rows(record)
    out = {name: _figures(name, steps) for name, steps in sorted(by_class.items())}
    if rows:
        out[CLASSES['last_placed']]['latest_row'] = fmean(rows)
    return out


def leaks_of(figures: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Word what leaks, one line each."""
    return [
        f'{name}: {leak} gets {one[leak]:.2f} of {one["total"]}, where guessing stays below '
        f'{one["limit"]:.2f}'
        for name, one in figures.items()
        for leak in one['leaks']
    ]


def _figures(name: str, steps: Sequence[Step]) -> dict[str, Any]:
    num, chance = len(steps), fmean(1.0 / len(step['choices']) for step in steps)
    shares = {
        'answer_prior': _share_by_others([step['choices'] for step in steps], steps),
        'position': _share_by_others([range(len(step['choices'])) for step in steps], steps),
    }
    limit = chance + _Z * math.sqrt(chance * (1.0 - chance) / num)
    leaks = [key for key in CHECKED if shares[key] > limit and name not in _NATURAL]
    return {'total': num, 'chance': chance, **shares, 'limit': limit, 'leaks': leaks}


def _share_by_others(options: Sequence[Sequence[object]], steps: Sequence[Step]) -> float:
    """Answer each by what is right most often among the others."""
    keys = [some[step['correct_idx']] for some, step in zip(options, steps, strict=True)]
    counts = Counter(keys)
    shares = []
    for some, key in zip(options, keys, strict=True):
        votes = [counts[option] - (option == key) for option in some]
        best = [option for option, n in zip(some, votes, strict=True) if n == max(votes)]
        shares.append((key in best) / len(best))
    return fmean(shares)


def _latest_rows(record: Record) -> list[bool]:
    """Whether the option nearest to the last look is right for when it was put down."""
    steps = {str(step['step_question_class']): step for step in record['steps']}
    placed, seen = (steps.get(CLASSES[kind]) for kind in ('last_placed', 'last_visible'))
    if placed is None or seen is None or not placed['choices']:
        return []
    seen_s = (seen.get('answer_metadata') or {}).get('sampled_last_visible_time_sec')
    times = [_clock_s(choice) for choice in placed['choices']]
    told = [time for time in times if time is not None]
    if placed.get('correct_idx') is None or not isinstance(seen_s, int | float) or not told:
        return []
    nearest = min(told, key=lambda time: abs(time - seen_s))
    return [times.index(nearest) == placed['correct_idx']]


def _clock_s(choice: str) -> int | None:
    """Read an option ``HH:MM:SS ...``; None when it is none."""
    parts = choice.split(' ', 1)[0].split(':')
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        return None
    hours, minutes, seconds = map(int, parts)
    return hours * 3600 + minutes * 60 + seconds
