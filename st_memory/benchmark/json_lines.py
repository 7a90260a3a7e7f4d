"""Files with one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import json
from pathlib import Path
from typing import Any

__all__ = ['append_lines', 'read_lines', 'write_lines']


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a file."""
    path.unlink(missing_ok=True)
    append_lines(path, rows)


def append_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Add to a file; makes it when it is missing."""
    with path.open('a', encoding='utf-8') as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + '\n')


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read a file."""
    with path.open(encoding='utf-8') as file:
        return [json.loads(line) for line in file]
