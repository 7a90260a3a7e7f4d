"""Question files: JSON lines, or for the legacy format one object by trajectory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import json
from pathlib import Path
from typing import Any

from st_memory.benchmark.json_lines import write_lines
from st_memory.benchmark.questions.question_checks import checked_record
from st_memory.benchmark.questions.question_records import Record
from st_memory.core.errors import DatasetError

__all__ = ['read_records', 'step_key', 'write_records']

_LEGACY = 'beyond3d_legacy'


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
    Read a question file of either format, as :func:`.checked_record` gives each record.

    Raises
    ------
    DatasetError
        If it is neither, or has no questions, or two of one id; the message names the line or
        the trajectory.

    """
    try:
        text = path.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f'{path}: expected a question file, found {error}') from error
    records = []
    names: set[str] = set()
    for where, value in _parsed(path, text):
        try:
            record = checked_record(value)
            for step in record['steps']:
                name = step_key(record, step)
                if name in names:
                    raise ValueError(f'{name} again')
                names.add(name)
        except ValueError as error:
            raise DatasetError(f'{path}: expected a question in {where}, found {error}') from error
        records.append(record)
    if not names:
        raise DatasetError(f'{path}: expected questions, found none')
    return records


def step_key(record: Mapping[str, Any], step: Mapping[str, Any]) -> str:
    """Give the id under which a step is answered."""
    return f'{record.get("doc_id") or record["trajectory_id"]}__step_{step["step"]}'


def _parsed(path: Path, text: str) -> list[tuple[str, Any]]:
    """Give the records with where they stand: one object of all, or one a line."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict) and 'trajectory_id' not in whole:
        return [(f'trajectory {name}', value) for name, value in whole.items()]
    values = []
    for number, line in enumerate(text.split('\n'), 1):
        try:
            if line.strip():
                values.append((f'line {number}', json.loads(line)))
        except (ValueError, RecursionError) as error:
            raise DatasetError(f'{path}: expected JSON in line {number}, found {error}') from error
    return values
