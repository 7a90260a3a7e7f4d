"""A settings file with every default, explained."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from st_memory.settings.fields import FieldSpec, iter_fields
from st_memory.settings.loader import effective, Settings

__all__ = ['template']

_HEADER = """\
# Settings of the memory, each with its default: keep the lines that differ, drop the rest.
# The visibility section may also be the name of a preset alone.
"""


def template() -> str:
    """Give a YAML file that loads as the defaults, with what is known of each setting."""
    return _HEADER + ''.join(f'{line}\n' for line in _lines())


def _lines() -> Iterator[str]:
    plain = effective(Settings())
    section = ''
    for spec in iter_fields(Settings):
        name, _, key = spec.path.partition('.')
        if name != section:
            section = name
            yield ''
            yield f'{section}:'
        note = _note(spec)
        line = f'  {key}: {_value(plain[name][key])}'
        yield f'{line}  # {note}' if note else line


def _note(spec: FieldSpec) -> str:
    """Say what it is, in which unit and range."""
    parts = [spec.description] if spec.description else []
    if spec.choices:
        parts.append('one of ' + ', '.join(map(str, spec.choices)))
    if spec.minimum is not None and spec.maximum is not None:
        unit = '' if spec.unit in ('', '1') else f' {spec.unit}'
        parts.append(f'{spec.minimum:g} to {spec.maximum:g}{unit}')
    return '; '.join(parts)


def _value(value: Any) -> str:
    """Write a value on one line."""
    text: str = yaml.safe_dump(value, default_flow_style=True, width=10_000)
    return text.removesuffix('...\n').strip()
