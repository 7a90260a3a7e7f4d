"""Figures of kitchen questions, from the per-item files of a run alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
import csv
from pathlib import Path
from typing import Any

from st_memory.benchmark.json_lines import read_lines
from st_memory.benchmark.kitchen_questions_items import FIXTURES, IDENTITIES, MOVEMENTS
from st_memory.benchmark.questions.rules import HORIZONS, WritingRules
from st_memory.core.errors import DatasetError
from st_memory.core.evaluation import accuracy_by, identity_f1, macro_accuracy, match_intervals
from st_memory.core.stamps import Interval, NS_PER_S

__all__ = ['MOVE_TOLERANCE_NS', 'read_choices', 'score_answers', 'score_items']

Row = Mapping[str, Any]
_Spans = dict[str, list[Interval]]

MOVE_TOLERANCE_NS = 2 * NS_PER_S
"""A movement told this near to a true one, nanoseconds between their ends, is that one."""

_QUERY_TIMES = ('early', 'middle', 'late')


def score_answers(rows: Sequence[Row], choices: Mapping[str, int | None]) -> dict[str, Any]:
    """
    Score answers to questions; no answer is a wrong one.

    Parameters
    ----------
    rows : sequence of mapping
        The questions with their keys.
    choices : mapping of str to int or None
        Option by question id.

    Returns
    -------
    dict
        ``macro`` over the classes, ``per_class``, ``macro_by_horizon`` and
        ``macro_by_query_time`` (out-of-sight questions alone), ``unanswered``.

    """
    right = [(row, choices.get(row['id']) == row['correct_idx']) for row in rows]
    hidden = [(row, ok) for row, ok in right if row['horizon']]
    return {
        'macro': _macro(right),
        'per_class': {
            name: {'correct': a.correct, 'total': a.total}
            for name, a in sorted(accuracy_by((r['class'], ok) for r, ok in right).items())
        },
        'macro_by_horizon': {
            name: _macro((r, ok) for r, ok in hidden if r['horizon'] == name) for name in HORIZONS
        },
        'macro_by_query_time': {
            name: _macro((r, ok) for r, ok in hidden if _query_time(r) == name)
            for name in _QUERY_TIMES
        },
        'unanswered': sum(choices.get(row['id']) is None for row in rows),
    }


def _macro(right: Iterable[tuple[Row, bool]]) -> float | None:
    return macro_accuracy(accuracy_by((row['class'], ok) for row, ok in right))


def _query_time(row: Row) -> str:
    seconds = (row['query_stamp_ns'] - row['base_stamp_ns']) / NS_PER_S
    return _QUERY_TIMES[WritingRules().query_group_of(seconds)]


def score_items(folder: Path) -> dict[str, Any]:
    """
    Score identities, moves and fixtures from the tables of a folder.

    Returns
    -------
    dict
        ``idf1`` with precision and recall, ``moves``, ``wrong_fixture_rate``,
        ``phantom_placement_rate``, and the counts that they are made of.

    Raises
    ------
    DatasetError
        If a table is missing or lacks a column.

    """
    identities = list(_read(folder / IDENTITIES, ('kitchen', 'true_id', 'object_id')))
    figures = identity_f1((_in(r, 'true_id'), _in(r, 'object_id')) for r in identities)
    columns = ('kitchen', 'source', 'object_id', 'start_ns', 'end_ns', 'not_counted')
    moves = _moves(list(_read(folder / MOVEMENTS, columns)), figures.object_by_truth)
    fixtures = list(_read(folder / FIXTURES, ('true_id', 'fixture', 'said')))
    known = [row for row in fixtures if row['true_id'] and row['said']]
    wrong = sum(row['said'] != row['fixture'] for row in known)
    of_nothing = sum(bool(row['said'] and not row['true_id']) for row in fixtures)
    told = len(known) + of_nothing
    return {
        'idf1': figures.f1,
        'identity': {
            'precision': figures.precision,
            'recall': figures.recall,
            'true_positives': figures.true_positives,
            'detections_of_things': figures.num_true,
            'detections_taken': figures.num_predicted,
        },
        'moves': moves,
        'wrong_fixture_rate': wrong / len(known) if known else None,
        'phantom_placement_rate': of_nothing / told if told else None,
        'fixtures': {
            'wrong': wrong,
            'told': len(known),
            'not_told': sum(not row['said'] for row in fixtures),
            'of_nothing': of_nothing,
        },
    }


def _moves(rows: Sequence[Row], object_by_truth: Mapping[str, str]) -> dict[str, Any]:
    """
    Match what was told of each thing with what happened to it.

    A movement that was told and is one that does not count is neither right nor wrong; one of
    an object that stands for no thing is wrong.
    """
    true: _Spans = {}
    uncounted: _Spans = {}
    said: _Spans = {}
    for row in rows:
        target = said if row['source'] == 'said' else uncounted if row['not_counted'] else true
        span = Interval(int(row['start_ns']), int(row['end_ns']))
        target.setdefault(_in(row, 'object_id'), []).append(span)
    matched = ignored = 0
    for name in {*true, *uncounted}:
        told = said.get(object_by_truth.get(name, ''), [])
        first = match_intervals(true.get(name, []), told, MOVE_TOLERANCE_NS)
        taken = {j for _, j in first.pairs}
        left = [span for j, span in enumerate(told) if j not in taken]
        matched += len(first.pairs)
        ignored += len(match_intervals(uncounted.get(name, []), left, MOVE_TOLERANCE_NS).pairs)
    num_true, num_said = _num(true), _num(said)
    judged = num_said - ignored
    return {
        'precision': matched / judged if judged else None,
        'recall': matched / num_true if num_true else None,
        'matched': matched,
        'true': num_true,
        'told': num_said,
        'true_not_counted': _num(uncounted),
        'told_of_not_counted': ignored,
    }


def _num(spans: _Spans) -> int:
    return sum(len(some) for some in spans.values())


def _in(row: Row, column: str) -> str:
    """Give an id with its kitchen in front; '' stays ''."""
    return f'{row["kitchen"]}/{row[column]}' if row[column] else ''


def read_choices(path: Path) -> dict[str, int | None]:
    """Read the options chosen by question id."""
    return {row['id']: row['choice_idx'] for row in read_lines(path)}


def _read(path: Path, columns: Sequence[str]) -> Iterator[dict[str, str]]:
    try:
        with path.open(newline='', encoding='utf-8') as file:
            reader = csv.DictReader(file)
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                raise DatasetError(f'{path}: expected a column {missing[0]}, found none')
            yield from reader
    except OSError as error:
        raise DatasetError(f'{path}: expected a table of kitchens, found none') from error
