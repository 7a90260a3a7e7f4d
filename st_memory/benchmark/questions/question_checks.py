"""What a question file must say, so that prompts and scores can rely on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import string
from typing import Any

__all__ = ['MAX_SECONDS', 'checked_record']

MAX_SECONDS = 1e9
"""No time of a recording is later."""

_MAX_CHOICES = len(string.ascii_uppercase)


def checked_record(value: object) -> dict[str, Any]:
    """
    Give a record with its steps in one list, each of them in the form of the final format.

    Steps that were skipped are left out; a question in a list is taken out of it.

    Raises
    ------
    ValueError
        If it is no record of questions; the message says what was found.

    """
    record = dict(_mapping(value, 'a record'))
    for name in ('trajectory_id', 'video_id'):
        _text(record, name)
    for name in ('doc_id', 'question_class', 'object_a_name'):
        _text(record, name, is_needed=False)
    _number(record, 'query_time_sec')
    if record.get('horizon_sec') is not None:
        _number(record, 'horizon_sec')
    if record.get('generation_info') is not None:
        _mapping(record['generation_info'], 'generation_info')
    steps = (_mapping(step, 'a step') for step in _steps(record))
    record['steps'] = [_checked_step(record, step) for step in steps if not step.get('skipped')]
    return record


def _steps(record: Mapping[str, Any]) -> Iterable[object]:
    """Give the steps; of the legacy format first the incremental ones, then the branches."""
    if record.get('steps') is not None:
        return _list(record['steps'], 'steps')
    if record.get('incremental_steps') is None:
        raise ValueError('neither steps nor incremental_steps')
    branches = _mapping(record.get('branch_groups') or {}, 'branch_groups')
    groups = [record['incremental_steps'], *branches.values()]
    return [step for group in groups for step in _list(group, 'a list of steps')]


def _checked_step(record: Mapping[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    step = dict(value)
    name = step.get('step')
    if not isinstance(name, int | str) or isinstance(name, bool):
        raise ValueError(f'step {_shown(name)}')
    step['step'] = str(name).strip()
    if step.get('step_question_class') is None:
        step['step_question_class'] = step.get('question_class', record.get('question_class'))
    _text(step, 'step_question_class')
    asked = step.get('question')
    if isinstance(asked, list) and asked and all(isinstance(one, str) for one in asked):
        step['question'] = ' '.join(asked)
    _text(step, 'question')
    step['choices'] = _list(step.get('choices') or [], 'choices')
    if len(step['choices']) > _MAX_CHOICES or not all(map(_is_text, step['choices'])):
        raise ValueError(f'choices that are not at most {_MAX_CHOICES} texts')
    _check_key(step)
    return step


def _check_key(step: Mapping[str, Any]) -> None:
    """Check that a key is one: indices of options, texts, and metadata."""
    if step.get('correct_idx') is not None:
        _check_index(step, 'correct_idx', step['correct_idx'])
    for name in ('acceptable_idxs', 'acceptable_answer_idxs'):
        for index in _list(step.get(name) or [], name):
            _check_index(step, name, index)
    _list(step.get('acceptable_answers') or [], 'acceptable_answers')
    metadata = _mapping(step.get('answer_metadata') or {}, 'answer_metadata')
    told = _list(metadata.get('acceptable_answer_metadata') or [], 'acceptable_answer_metadata')
    for one in told:
        _mapping(one, 'an entry of acceptable_answer_metadata')


def _check_index(step: Mapping[str, Any], name: str, index: object) -> None:
    is_index = isinstance(index, int) and not isinstance(index, bool)
    if not is_index or not 0 <= index < len(step['choices']):  # type: ignore[operator]
        raise ValueError(f'{name} {_shown(index)} of {len(step["choices"])} choices')


def _mapping(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f'{_shown(value)} for {name}')
    return value


def _list(value: object, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f'{_shown(value)} for {name}')
    return value


def _text(row: Mapping[str, Any], name: str, *, is_needed: bool = True) -> None:
    value = row.get(name)
    if value is None and not is_needed:
        return
    if not _is_text(value):
        raise ValueError(f'{_shown(value)} for {name}')


def _is_text(value: object) -> bool:
    """Whether it is a text with something in it, which a file can hold."""
    if not isinstance(value, str) or not value.strip():
        return False
    return value.encode('utf-8', 'ignore').decode('utf-8') == value


def _number(row: Mapping[str, Any], name: str) -> None:
    value = row.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0.0 <= value <= MAX_SECONDS:  # type: ignore[operator]
        raise ValueError(f'{_shown(value)} for {name}')


def _shown(value: object) -> str:
    """Show a value of a file, in short."""
    if value is None:
        return 'nothing'
    text = repr(value)
    return text if len(text) <= 40 else f'{text[:37]}...'
