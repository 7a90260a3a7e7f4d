#!/usr/bin/env python3
"""
Write the generated tables of ``docs/nodes.md`` and of the README again.

Run from the checkout: ``python docs/reference.py``. A block begins with ``<!-- begin NAME -->``
and ends with ``<!-- end NAME -->``; a test fails when one is not up to date. Imports no ROS.
"""

from __future__ import annotations

from collections.abc import Callable
import dataclasses
from pathlib import Path
from typing import Any

from st_memory.cli.registry import COMMANDS
from st_memory.core.memory import MemorySettings
from st_memory.core.visibility import PRESETS, VisibilityPreset
from st_memory.ros.settings import MemoryNodeSettings, ReplayNodeSettings

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = (ROOT / 'README.md', ROOT / 'docs' / 'nodes.md', ROOT / 'docs' / 'visibility.md')


def commands_table() -> str:
    """Give the commands and what they are for."""
    rows = [f'| `st_memory {c.name}` | {c.summary} |' for c in COMMANDS]
    return '\n'.join(['| command | what it does |', '|---|---|', *rows])


def parameters_table(settings: type, prefix: str = '') -> str:
    """Give the fields of a settings class as parameters of a node."""
    rows = []
    for field in dataclasses.fields(settings):
        about = field.metadata
        words = str(about.get('description', '')).replace('|', '\\|')
        rows.append(
            f'| `{prefix}{field.name}` | {_default(field.default)} | {_range(about)} | {words} |'
        )
    return '\n'.join(['| parameter | default | range | what |', '|---|---|---|---|', *rows])


def presets_table() -> str:
    """Give every number of every visibility preset."""
    names = list(PRESETS)
    rows = [
        f'| `{field.name}` | '
        + ' | '.join(_default(getattr(PRESETS[name], field.name)) for name in names)
        + ' |'
        for field in dataclasses.fields(VisibilityPreset)
        if field.name != 'name'
    ]
    head = '| rule | ' + ' | '.join(f'`{name}`' for name in names) + ' |'
    return '\n'.join([head, '|---' * (len(names) + 1) + '|', *rows])


def _default(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return '[]' if not value else str(list(value))
    return f"'{value}'" if isinstance(value, str) else f'{value:g}'


def _range(about: Any) -> str:
    if 'choices' in about:
        return ', '.join(about['choices'])
    if 'min' not in about:
        return ''
    unit = about.get('unit', '1')
    high = f'{about["max"]:g}' if 'max' in about else 'any'
    return f'{about["min"]:g} to {high}{"" if unit == "1" else " " + unit}'


BLOCKS: dict[str, Callable[[], str]] = {
    'commands': commands_table,
    'memory_node parameters': lambda: parameters_table(MemoryNodeSettings),
    'memory parameters': lambda: parameters_table(MemorySettings, 'memory.'),
    'visibility presets': presets_table,
    'replay_node parameters': lambda: parameters_table(ReplayNodeSettings),
}


def refreshed(text: str) -> str:
    """Give a document with its blocks written again."""
    for name, write in BLOCKS.items():
        begin, end = f'<!-- begin {name} -->', f'<!-- end {name} -->'
        before, found, rest = text.partition(begin)
        if found:
            _, _, after = rest.partition(end)
            text = f'{before}{begin}\n{write()}\n{end}{after}'
    return text


if __name__ == '__main__':
    for document in DOCUMENTS:
        document.write_text(refreshed(document.read_text(encoding='utf-8')), encoding='utf-8')
