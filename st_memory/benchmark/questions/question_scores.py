"""Scores of answers to a question file: macro over classes, by group, by trajectory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from st_memory.benchmark.json_lines import read_lines
from st_memory.benchmark.questions.answer_parser import essence_of, option_meant
from st_memory.benchmark.questions.open_answers import (
    is_among_texts,
    key_texts,
    key_time_points,
    time_point_said,
)
from st_memory.benchmark.questions.question_files import step_key
from st_memory.benchmark.questions.rules import HORIZONS, WritingRules
from st_memory.benchmark.questions.trajectory_scores import (
    mean_or_none,
    score_trajectories,
    step_order,
    StepMark,
)
from st_memory.core.errors import DatasetError
from st_memory.core.evaluation import accuracy_by, macro_accuracy

__all__ = ['read_replies', 'score_records']

Record = Mapping[str, Any]

_QUERY_TIMES = ('early', 'middle', 'late')


class _Item(NamedTuple):
    """A question with its reply; ``is_right`` is None where the file has no key."""

    record: Record
    step: Record
    is_parsed: bool
    is_right: bool | None

    @property
    def question_class(self) -> str:
        return str(self.step['step_question_class'])


def score_records(
    records: Sequence[Record],
    replies: Mapping[str, str | int | None],
    rules: WritingRules | None = None,
) -> dict[str, Any]:
    """
    Score replies; each step counts by itself, and one without a reply is wrong.

    Parameters
    ----------
    records : sequence of mapping
        As :func:`.read_records` gives them.
    replies : mapping of str to str, int or None
        By :func:`step_key`: words, or the index of an option.
    rules : WritingRules, optional
        Groups of horizons and query times.

    Returns
    -------
    dict
        ``macro_avg`` over the classes (``overall``), ``micro_avg``, ``video_macro_avg``,
        ``per_class``, ``per_step`` with its mean ``step_macro_avg``, ``macro_by_horizon`` and
        ``macro_by_query_time`` of out-of-sight questions, and what
        :func:`.score_trajectories` gives of all trajectories, with
        ``out_of_sight_success_rate`` of those that are no visible controls. ``parse_rate`` is
        of all questions; those without a key (``unscorable_count``) count nowhere else.

    References
    ----------
    .. [1] Beyond3D (2026), sections 5.1 and 5.3.

    """
    rules = rules or WritingRules()
    asked = [
        _item(record, step, replies.get(step_key(record, step)))
        for record in records
        for step in record['steps']
        if not step.get('skipped')
    ]
    items = [item for item in asked if item.is_right is not None]
    hidden = [item for item in items if not _is_control(item.record)]
    by_class = accuracy_by((item.question_class, bool(item.is_right)) for item in items)
    by_video = accuracy_by((item.record['video_id'], bool(item.is_right)) for item in items)
    by_step = accuracy_by((item.step['step'], bool(item.is_right)) for item in items)
    macro = macro_accuracy(by_class)
    return {
        'overall': macro,
        'macro_avg': macro,
        'micro_avg': mean_or_none(bool(item.is_right) for item in items),
        'video_macro_avg': macro_accuracy(by_video),
        'step_macro_avg': macro_accuracy(by_step),
        'parse_rate': mean_or_none(item.is_parsed for item in asked),
        'total_count': len(asked),
        'unscorable_count': len(asked) - len(items),
        'per_class': {
            name: {'correct': a.correct, 'total': a.total} for name, a in sorted(by_class.items())
        },
        'per_step': {name: by_step[name].share for name in sorted(by_step, key=step_order)},
        'macro_by_horizon': _macros(
            hidden, HORIZONS, lambda r: rules.horizon_of(float(r.get('horizon_sec') or 0.0))
        ),
        'macro_by_query_time': _macros(
            hidden,
            _QUERY_TIMES,
            lambda r: _QUERY_TIMES[rules.query_group_of(float(r['query_time_sec']))],
        ),
        **score_trajectories(map(_mark, items)),
        'out_of_sight_success_rate': score_trajectories(map(_mark, hidden))[
            'trajectory_success_rate'
        ],
    }


def _is_control(record: Record) -> bool:
    return str(record.get('question_class', '')).startswith('visible')


def _mark(item: _Item) -> StepMark:
    return StepMark(str(item.record['trajectory_id']), str(item.step['step']), bool(item.is_right))


def _macros(
    items: Sequence[_Item], names: Sequence[str], name_of: Callable[[Record], str]
) -> dict[str, float | None]:
    return {
        name: macro_accuracy(
            accuracy_by(
                (item.question_class, bool(item.is_right))
                for item in items
                if name_of(item.record) == name
            )
        )
        for name in names
    }


def _item(record: Record, step: Record, reply: str | int | None) -> _Item:
    """Judge a reply by the option, else the time and point, else the text that is right."""
    words, choices = reply if isinstance(reply, str) else '', step['choices']
    if choices and step.get('correct_idx') is not None:
        index = reply if isinstance(reply, int) else option_meant(words, choices)
        is_parsed = 0 <= index < len(choices)
        return _Item(record, step, is_parsed, is_parsed and index in _right_idxs(step))
    keys = [] if choices else key_time_points(step)
    if keys:
        said = time_point_said(words)
        return _Item(record, step, said.is_whole, any(said.is_near(key) for key in keys))
    texts, is_parsed = key_texts(step), essence_of(words) != ''
    return _Item(record, step, is_parsed, is_among_texts(words, texts) if texts else None)


def _right_idxs(step: Record) -> Sequence[int]:
    return (
        step.get('acceptable_idxs') or step.get('acceptable_answer_idxs') or [step['correct_idx']]
    )


def read_replies(path: Path) -> dict[str, str | int | None]:
    """
    Read replies, one JSON object a line with ``id`` and ``reply`` (words) or ``choice_idx``.

    Raises
    ------
    DatasetError
        If a line is not that.

    """
    replies: dict[str, str | int | None] = {}
    try:
        for number, row in enumerate(read_lines(path), 1):
            name, reply = _reply_in(row, f'line {number}')
            if name in replies:
                raise ValueError(f'{name!r} again in line {number}')
            replies[name] = reply
    except (OSError, ValueError, RecursionError) as error:
        found = str(error).splitlines()[0]
        raise DatasetError(
            f'{path}: expected lines with id and reply or choice_idx, found {found}'
        ) from error
    return replies


def _reply_in(row: object, where: str) -> tuple[str, str | int | None]:
    if not isinstance(row, dict):
        raise ValueError(f'{type(row).__name__} in {where}')
    name = row.get('id')
    if not isinstance(name, str):
        raise ValueError(f'id {name!r} in {where}')
    if 'choice_idx' not in row and 'reply' not in row:
        raise ValueError(f'neither reply nor choice_idx in {where}')
    key, kind = ('choice_idx', int) if 'choice_idx' in row else ('reply', str)
    value = row[key]
    if value is not None and (isinstance(value, bool) or not isinstance(value, kind)):
        raise ValueError(f'{key} {value!r} in {where}')
    return name, value
