"""Answers to the questions of HD-EPIC against the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from st_memory.benchmark.beyond3d_truth import read_items
from st_memory.benchmark.hd_epic_motion import PREDICTIONS
from st_memory.benchmark.hd_epic_questions import question_files
from st_memory.core.errors import DatasetError
from st_memory.core.evaluation import Accuracy
from st_memory.datasets.tables import MALFORMED, read_json

__all__ = ['score']

Row = Mapping[str, str]
Figures = dict[str, Any]


class _Truth:
    """The published option of one question, and its text."""

    def __init__(self, choices: Sequence[str], correct_idx: int) -> None:
        if not 0 <= correct_idx < len(choices):
            raise ValueError(f'correct_idx {correct_idx} of {len(choices)} choices')
        self.correct_idx = correct_idx
        self.text = choices[correct_idx]


def score(data: Path, out: Path) -> dict[str, Any]:
    """
    Compare the answers with the published ones.

    Returns
    -------
    dict
        Per kind ``questions``, ``answered`` and {correct, total}. For ``movement_counting`` and
        ``stationary`` the total is of those whose object is told by the time alone, answered or
        not; ``not_unique`` are the others, ``accuracy`` is the share and ``tied`` are the
        answers to which another option was as near. ``exact_count``: the count is the published
        number itself. For the kinds that need places the total is of all questions.

    """
    rows = {row['question_id']: row for row in read_items(out / PREDICTIONS)}
    figures: dict[str, Any] = {}
    for kind, path in question_files(data).items():
        truths = _published(path)
        if kind in ('movement_counting', 'stationary'):
            figures[kind] = _of_one_object(truths, rows)
        else:
            figures[kind] = _basic(truths, rows)
        if kind == 'movement_counting':
            unique = [(t, rows.get(q)) for q, t in truths.items() if _is_unique(rows.get(q))]
            said = [row is not None and row['said'] == t.text.strip() for t, row in unique]
            figures[kind]['exact_count'] = _figure(said)
    return figures


def _published(path: Path) -> dict[str, _Truth]:
    """Read the published answers of a file."""
    entries, where = read_json(path), ''
    try:
        truths: dict[str, _Truth] = {}
        for question_id, entry in entries.items():
            where = f' of {question_id}'
            truths[question_id] = _Truth(entry['choices'], int(entry['correct_idx']))
    except MALFORMED as error:
        found = f'{type(error).__name__}: {error}'.splitlines()[0]
        raise DatasetError(
            f'{path}: expected an answer{where} to score against, found {found}'
        ) from error
    return truths


def _of_one_object(truths: Mapping[str, _Truth], rows: Mapping[str, Row]) -> Figures:
    """Count among the questions whose object is told by their time."""
    unique = {q: t for q, t in truths.items() if _is_unique(rows.get(q))}
    tied = {q: t for q, t in unique.items() if q in rows and int(rows[q]['num_tied']) > 1}
    figures = _basic(unique, rows)
    correct, total = figures['correct'], figures['total']
    return {
        **figures,
        'questions': len(truths),
        'accuracy': Accuracy(correct, total).share,
        'not_unique': len(truths) - len(unique),
        'tied': _figure([_is_right(t, rows.get(q)) for q, t in tied.items()]),
    }


def _basic(truths: Mapping[str, _Truth], rows: Mapping[str, Row]) -> Figures:
    return {
        **_figure([_is_right(t, rows.get(q)) for q, t in truths.items()]),
        'questions': len(truths),
        'answered': sum(rows[q]['choice_idx'] != '' for q in truths if q in rows),
    }


def _is_unique(row: Row | None) -> bool:
    """Whether one object was told; a question left out counts against us."""
    return row is None or row['num_objects'] == '1'


def _is_right(truth: _Truth, row: Row | None) -> bool:
    return (
        row is not None and row['choice_idx'] != '' and int(row['choice_idx']) == truth.correct_idx
    )


def _figure(right: Sequence[bool]) -> Figures:
    return {'correct': sum(right), 'total': len(right)}
