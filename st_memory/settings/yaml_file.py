"""A YAML file as plain data; a key given twice is an error, not a choice."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from st_memory.core.errors import ConfigError

__all__ = ['read_yaml']


class _Loader(yaml.SafeLoader):
    """The safe loader, but strict on repeated keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f'the key {key!r} is given twice', key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path) -> Any:
    """
    Read one document.

    Raises
    ------
    ConfigError
        If the file is missing or no YAML; one line with the file, the line and the reason.

    """
    try:
        text = path.read_text(encoding='utf-8')
    except OSError as err:
        raise ConfigError(f'{path}: {err.strerror}') from err
    except UnicodeDecodeError as err:
        raise ConfigError(f'{path}: expected UTF-8 text') from err
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506  (a SafeLoader)
    except yaml.YAMLError as err:
        mark = getattr(err, 'problem_mark', None)
        line = '' if mark is None else f'line {mark.line + 1}: '
        problem = getattr(err, 'problem', None) or str(err)
        raise ConfigError(f'{path}: {line}{" ".join(problem.split())}') from err
