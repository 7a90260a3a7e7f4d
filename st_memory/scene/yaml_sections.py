"""YAML as sections whose keys are all known and whose values are of the type that is wanted."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
import difflib
import math
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from st_memory.core.geometry import RigidTransform
from st_memory.scene.meshes import SceneFileError
from st_memory.scene.rotations import quat_from_rpy

__all__ = ['Section', 'read_yaml_section']

Vector = tuple[float, float, float]


class _Loader(yaml.SafeLoader):
    """The safe loader, but a key given twice is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = [k for i, k in enumerate(keys) if k in keys[:i]]
        if twice:
            raise yaml.constructor.ConstructorError(
                None, None, f'the key {twice[0]!r} is given twice', node.start_mark
            )
        return super().construct_mapping(node, deep)


class Section:
    """
    A mapping of a scene description; each method reads a key or says what is wrong with it.

    Parameters
    ----------
    data : object
        What stands there; None (an empty section) is no keys.
    where : str
        File and key path, for messages.
    known : sequence of str, optional
        The keys there may be; any when None.

    Raises
    ------
    SceneFileError
        If it is no mapping, or has another key.

    """

    def __init__(self, data: object, where: str, known: Sequence[str] | None = None) -> None:
        if data is None:
            data = {}
        if not isinstance(data, Mapping) or not all(isinstance(k, str) for k in data):
            raise SceneFileError(f'{where}: expected a section with keys, got {_show(data)}')
        self._data: Mapping[str, Any] = data
        self.where = where
        for key in data if known is not None else ():
            if key not in (known or ()):
                near = difflib.get_close_matches(key, known or (), 1)
                hint = f'did you mean {near[0]!r}?' if near else f'known: {", ".join(known or ())}'
                raise SceneFileError(f'{where}: unknown key {key!r} ({hint})')

    def __contains__(self, key: str) -> bool:
        return self._data.get(key) is not None

    def __iter__(self) -> Any:
        return iter(self._data)

    def text(self, key: str, default: str | None = None) -> str:
        """Give a text; without a default it must be there."""
        if default is not None and key not in self:
            return default
        return str(self._value(key, str, 'a text'))

    def choice(self, key: str, choices: Sequence[str], default: str | None = None) -> str:
        """Give one of several texts."""
        value = self.text(key, default)
        if value not in choices:
            raise SceneFileError(
                f'{self.where}.{key}: expected one of {", ".join(choices)}, got {value!r}'
            )
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """Give true or false."""
        return bool(self._value(key, bool, 'true or false')) if key in self else default

    def number(self, key: str, default: float | None = None) -> float:
        """Give a finite number."""
        if default is not None and key not in self:
            return default
        return _finite(self._value(key, (int, float), 'a number'), f'{self.where}.{key}')

    def vector(self, key: str, default: Vector | None = None) -> Vector:
        """Give three finite numbers."""
        if default is not None and key not in self:
            return default
        x, y, z = self._numbers(key, 3)
        return x, y, z

    def texts(self, key: str) -> tuple[str, ...]:
        """Give a list of texts; none when the key is not there."""
        values = self._value(key, list, 'a list of texts') if key in self else []
        if not all(isinstance(v, str) for v in values):
            raise SceneFileError(
                f'{self.where}.{key}: expected a list of texts, got {_show(values)}'
            )
        return tuple(values)

    def section(self, key: str, known: Sequence[str] | None = None) -> Section:
        """Give the section below a key; an empty one when the key is not there."""
        return Section(self._data.get(key), f'{self.where}.{key}', known)

    def listed(self, key: str, known: Sequence[str]) -> tuple[Section, ...]:
        """Give the sections of a list; none when the key is not there."""
        values = self._value(key, list, 'a list of sections') if key in self else []
        return tuple(Section(v, f'{self.where}.{key}[{i}]', known) for i, v in enumerate(values))

    def pose(self) -> RigidTransform:
        """Give the pose of ``position_m`` and ``rpy_rad`` or ``quat_xyzw``; zeros by default."""
        if 'rpy_rad' in self and 'quat_xyzw' in self:
            raise SceneFileError(f'{self.where}: expected rpy_rad or quat_xyzw, got both')
        if 'quat_xyzw' in self:
            quat = np.array(self._numbers('quat_xyzw', 4))
        else:
            quat = quat_from_rpy(self.vector('rpy_rad', (0.0, 0.0, 0.0)))
        try:
            return RigidTransform(np.array(self.vector('position_m', (0.0, 0.0, 0.0))), quat)
        except ValueError as error:
            raise SceneFileError(f'{self.where}: {error}') from error

    def _value(self, key: str, kind: Any, words: str) -> Any:
        value = self._data.get(key)
        if value is None:
            raise SceneFileError(f'{self.where}: expected the key {key!r}')
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise SceneFileError(f'{self.where}.{key}: expected {words}, got {_show(value)}')
        return value

    def _numbers(self, key: str, count: int) -> list[float]:
        values = self._value(key, list, f'{count} numbers')
        if len(values) != count or not all(type(v) in (int, float) for v in values):
            raise SceneFileError(
                f'{self.where}.{key}: expected {count} numbers, got {_show(values)}'
            )
        return [_finite(v, f'{self.where}.{key}') for v in values]


def read_yaml_section(path: Path, known: Sequence[str]) -> Section:
    """
    Read a YAML file as a section.

    Raises
    ------
    SceneFileError
        If the file cannot be read, is no YAML, or has other keys; one line.

    """
    try:
        data = yaml.load(path.read_text(encoding='utf-8'), Loader=_Loader)  # noqa: S506
    except OSError as error:
        raise SceneFileError(f'{path}: cannot be read ({error.strerror})') from error
    except UnicodeDecodeError as error:
        raise SceneFileError(f'{path}: expected UTF-8 text') from error
    except yaml.YAMLError as error:
        mark = getattr(error, 'problem_mark', None)
        line = '' if mark is None else f'line {mark.line + 1}: '
        problem = getattr(error, 'problem', None) or str(error)
        raise SceneFileError(f'{path}: {line}{" ".join(problem.split())}') from error
    return Section(data, str(path), known)


def _finite(value: float, where: str) -> float:
    if not math.isfinite(value):
        raise SceneFileError(f'{where}: expected a finite number, got {value}')
    return float(value)


def _show(value: object) -> str:
    """Show what was found, not at any length."""
    text = repr(value)
    return text if len(text) <= 60 else f'{text[:57]}...'
