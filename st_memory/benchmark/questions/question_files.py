"""Question files: JSON lines, or for the legacy format one object by trajectory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import json
from pathlib import Path
from typing import Any

from st_memory.benchmark.json_lines import write_lines
from st_memory.benchmark.questions.question_records import Record
from st_memory.core.errors import DatasetError

__all__ = ['read_records', 'write_records']

_LEGACY = 'beyond3d_legacy'
_NEEDED = ('trajectory_id', 'video_id', 'query_time_sec', 'steps')


def write_records(path: Path, records: Sequence[Record], form: str) -> None:
    """Write the records of a format."""
    if form == _LEGACY:
        named = {record['trajectory_id']: record for record in records}
        text = json.dumps(named, ensure_ascii=False, indent=1, allow_nan=False)
        path.write_text(text + '\n', encoding='utf-8')
    else:
        write_lines(path, records)


def read_records(path: Path) -> list[Record]:
    """
    Read a question file of either format; each record has its ``steps`` in one list.

    Raises
    ------
    DatasetError
        If it is neither; the message names the line or the trajectory.

    """
    try:
        text = path.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f'{path}: expected a question file, found {error}') from error
    records = []
    for where, value in _parsed(path, text):
        try:
            record = dict(value)
            if 'steps' not in record:
                branches: Mapping[str, Any] = record.get('branch_groups') or {}
                more = [step for group in branches.values() for step in group]
                record['steps'] = [*record['incremental_steps'], *more]
            for name in _NEEDED:
                record[name]
            for step in record['steps']:
                step.setdefault('step_question_class', step.get('question_class'))
                step['step'] = str(step['step'])
                step['question'], step['choices'] = step['question'], step.get('choices') or []
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            found = f'{type(error).__name__}: {error}'.splitlines()[0]
            raise DatasetError(f'{path}: expected a question in {where}, found {found}') from error
        records.append(record)
    return records


def _parsed(path: Path, text: str) -> list[tuple[str, Any]]:
    try:
        whole = json.loads(text)
    except ValueError:
        whole = None
    if isinstance(whole, dict) and 'trajectory_id' not in whole:
        return [(f'trajectory {name}', value) for name, value in whole.items()]
    values = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if line.strip():
                values.append((f'line {number}', json.loads(line)))
        except ValueError as error:
            raise DatasetError(f'{path}: expected JSON in line {number}, found {error}') from error
    return values
