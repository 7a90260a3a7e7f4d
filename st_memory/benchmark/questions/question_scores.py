"""Scores of answers to a question file: macro over classes, by group, by trajectory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
import re
from typing import Any, NamedTuple

from st_memory.benchmark.json_lines import read_lines
from st_memory.benchmark.questions.answer_parser import NOT_PARSED, option_meant
from st_memory.benchmark.questions.rules import HORIZONS, WritingRules
from st_memory.core.errors import DatasetError
from st_memory.core.evaluation import accuracy_by, macro_accuracy

__all__ = ['POINT_TOLERANCE', 'TIME_TOLERANCE_S', 'read_replies', 'score_records', 'step_key']

Record = Mapping[str, Any]

TIME_TOLERANCE_S = 1.0
"""An open answer is right when its time is this near, seconds, and its point ..."""

POINT_TOLERANCE = 0.08
"""... this near in each direction, share of the image; the point only where the key has one."""

_TIME = re.compile(r'<TIME\s+(\d+):(\d\d):(\d\d(?:\.\d+)?)(?:\s+video\s+\d+)?>', re.IGNORECASE)
_POINT = re.compile(r'Point\s*=\s*\(\s*([\d.+-]+)\s*,\s*([\d.+-]+)\s*\)', re.IGNORECASE)
_TIME_KEYS = ('sampled_last_visible_time_sec', 'last_placement_time_sec')
_QUERY_TIMES = ('early', 'middle', 'late')


class _Item(NamedTuple):
    record: Record
    step: Record
    is_parsed: bool
    is_right: bool

    @property
    def question_class(self) -> str:
        return str(self.step['step_question_class'])


def step_key(record: Record, step: Record) -> str:
    """Give the id under which a step is answered."""
    return f'{record.get("doc_id") or record["trajectory_id"]}__step_{step["step"]}'


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
        As :func:`.question_records.read_records` gives them.
    replies : mapping of str to str, int or None
        By :func:`step_key`: words, or the index of an option.
    rules : WritingRules, optional
        Groups of horizons and query times.

    Returns
    -------
    dict
        ``macro_avg`` over the classes (``overall``), ``micro_avg``, ``video_macro_avg``,
        ``parse_rate``, ``per_class``, ``per_step``, ``macro_by_horizon`` and
        ``macro_by_query_time`` of out-of-sight questions, ``trajectory_success_rate`` (all steps
        of an out-of-sight trajectory right), ``first_mistakes`` by step.

    References
    ----------
    .. [1] Beyond3D (2026), sections 5.1 and 5.3.

    """
    rules = rules or WritingRules()
    items = [
        _item(record, step, replies.get(step_key(record, step)))
        for record in records
        for step in record['steps']
        if not step.get('skipped')
    ]
    hidden = [item for item in items if not _is_control(item.record)]
    by_class = accuracy_by((item.question_class, item.is_right) for item in items)
    by_video = accuracy_by((item.record['video_id'], item.is_right) for item in items)
    macro = macro_accuracy(by_class)
    by_trajectory = _by_trajectory(hidden)
    return {
        'overall': macro,
        'macro_avg': macro,
        'micro_avg': _share(item.is_right for item in items),
        'video_macro_avg': macro_accuracy(by_video),
        'parse_rate': _share(item.is_parsed for item in items),
        'per_class': {
            name: {'correct': a.correct, 'total': a.total} for name, a in sorted(by_class.items())
        },
        'per_step': {
            name: a.share
            for name, a in sorted(accuracy_by((i.step['step'], i.is_right) for i in items).items())
        },
        'macro_by_horizon': _macros(
            hidden, HORIZONS, lambda r: rules.horizon_of(float(r.get('horizon_sec') or 0.0))
        ),
        'macro_by_query_time': _macros(
            hidden,
            _QUERY_TIMES,
            lambda r: _QUERY_TIMES[rules.query_group_of(float(r['query_time_sec']))],
        ),
        'trajectory_success_rate': _share(
            all(item.is_right for item in group) for group in by_trajectory
        ),
        'first_mistakes': dict(sorted(_first_mistakes(by_trajectory).items())),
    }


def _is_control(record: Record) -> bool:
    return str(record.get('question_class', '')).startswith('visible')


def _by_trajectory(items: Iterable[_Item]) -> list[list[_Item]]:
    groups: dict[str, list[_Item]] = {}
    for item in items:
        groups.setdefault(str(item.record['trajectory_id']), []).append(item)
    return list(groups.values())


def _first_mistakes(groups: Iterable[Sequence[_Item]]) -> Counter[str]:
    """Count at which step trajectories go wrong first."""
    wrong = ([item for item in group if not item.is_right] for group in groups)
    return Counter(str(group[0].step['step']) for group in wrong if group)


def _macros(
    items: Sequence[_Item], names: Sequence[str], name_of: Callable[[Record], str]
) -> dict[str, float | None]:
    return {
        name: macro_accuracy(
            accuracy_by(
                (item.question_class, item.is_right)
                for item in items
                if name_of(item.record) == name
            )
        )
        for name in names
    }


def _share(values: Iterable[bool]) -> float | None:
    flags = list(values)
    return sum(flags) / len(flags) if flags else None


def _item(record: Record, step: Record, reply: str | int | None) -> _Item:
    choices = step['choices']
    if not choices:
        return _open_item(record, step, reply)
    index = reply if isinstance(reply, int) else option_meant(reply or '', choices)
    if not 0 <= index < len(choices):
        index = NOT_PARSED
    acceptable = step.get('acceptable_idxs') or [step.get('correct_idx')]
    return _Item(record, step, index != NOT_PARSED, index in acceptable)


def _open_item(record: Record, step: Record, reply: str | int | None) -> _Item:
    said = _TIME.search(reply) if isinstance(reply, str) else None
    if said is None or not isinstance(reply, str):
        return _Item(record, step, is_parsed=False, is_right=False)
    hours, minutes, seconds = said.groups()
    told_s = int(hours) * 3600 + int(minutes) * 60 + float(seconds)
    metadata = step.get('answer_metadata') or {}
    truths = [float(metadata[name]) for name in _TIME_KEYS if metadata.get(name) is not None]
    is_right = any(abs(told_s - truth_s) <= TIME_TOLERANCE_S for truth_s in truths)
    point = metadata.get('normalized_projected_pixel')
    if is_right and point is not None:
        where = _POINT.search(reply)
        is_right = where is not None and all(
            abs(float(v) - p) <= POINT_TOLERANCE
            for v, p in zip(where.groups(), point, strict=True)
        )
    return _Item(record, step, is_parsed=True, is_right=is_right)


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
        for row in read_lines(path):
            replies[row['id']] = row['choice_idx'] if 'choice_idx' in row else row['reply']
    except (OSError, ValueError, KeyError, TypeError) as error:
        found = f'{type(error).__name__}: {error}'.splitlines()[0]
        raise DatasetError(
            f'{path}: expected lines with id and reply or choice_idx, found {found}'
        ) from error
    return replies
