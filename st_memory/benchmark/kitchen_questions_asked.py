"""Rows of a question file: with the key for the score, without it for who answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from st_memory.benchmark.json_lines import read_lines
from st_memory.benchmark.questions import Trajectory
from st_memory.benchmark.questions.tracks import Mark

__all__ = ['Asked', 'read_asked', 'rows_of', 'without_key']

_KEYS = ('correct_idx', 'horizon', 'trajectory_id', 'answer')


class Asked(NamedTuple):
    """
    One question as it is put to a memory.

    Attributes
    ----------
    question_id, kind : str
        Its id, and what it asks: a key of :data:`.questions.templates.CLASSES`.
    choices : tuple of str
        The options.
    query_stamp_ns, base_stamp_ns : int
        When is asked, and second 0 of the recording.
    target : str
        What the target is called.
    target_mark : Mark, optional
        Where it was seen, when there is more than one of that name.
    reference : str
        What the reference object is called; '' without one.
    reference_mark : Mark, optional
        Where that shows at the time of the question.

    """

    question_id: str
    kind: str
    choices: tuple[str, ...]
    query_stamp_ns: int
    base_stamp_ns: int
    target: str
    target_mark: Mark | None
    reference: str
    reference_mark: Mark | None


def rows_of(
    trajectories: Sequence[Trajectory], kitchen: str, base_stamp_ns: int, seed: int
) -> list[dict[str, Any]]:
    """
    Give the questions of a kitchen as rows with their keys, in random order.

    Neither ids nor order say which questions belong together or what the answers are.
    """
    rows = [
        {
            'class': step.question_class,
            'horizon': trajectory.horizon,
            'choices': list(step.choices),
            'correct_idx': step.correct_idx,
            'kitchen': kitchen,
            'kind': step.kind,
            'question': step.question,
            'query_stamp_ns': trajectory.query_stamp_ns,
            'base_stamp_ns': base_stamp_ns,
            'target': _named(trajectory.anchor.track.name, trajectory.target_mark),
            'reference': _reference(trajectory, step.kind),
            'trajectory_id': trajectory.trajectory_id,
            'answer': step.answer,
        }
        for trajectory in trajectories
        for step in trajectory.steps
    ]
    order = np.random.default_rng(seed).permutation(len(rows))
    return [{'id': f'{kitchen}/q{n:04d}', **rows[int(i)]} for n, i in enumerate(order)]


def without_key(row: Mapping[str, Any]) -> dict[str, Any]:
    """Give what may be told to who answers."""
    return {name: value for name, value in row.items() if name not in _KEYS}


def read_asked(path: Path) -> Iterator[Asked]:
    """Read the questions of a file, with or without keys."""
    for row in read_lines(path):
        target, reference = row['target'], row['reference'] or {}
        yield Asked(
            question_id=row['id'],
            kind=row['kind'],
            choices=tuple(row['choices']),
            query_stamp_ns=row['query_stamp_ns'],
            base_stamp_ns=row['base_stamp_ns'],
            target=target['label'],
            target_mark=_mark(target),
            reference=reference.get('label', ''),
            reference_mark=_mark(reference),
        )


def _named(label: str, mark: Mark | None) -> dict[str, Any]:
    return {'label': label, 'mark': None if mark is None else list(mark)}


def _reference(trajectory: Trajectory, kind: str) -> dict[str, Any] | None:
    reference = trajectory.reference
    if reference is None or kind not in ('relation', 'distance'):
        return None
    return _named(reference.track.name, reference.mark)


def _mark(named: Mapping[str, Any]) -> Mark | None:
    mark = named.get('mark')
    return None if mark is None else Mark(int(mark[0]), float(mark[1]), float(mark[2]))
