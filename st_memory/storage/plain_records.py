"""Records as what JSON knows and back, by the types that their fields declare."""

from __future__ import annotations

import dataclasses
import enum
from functools import cache
import types
from typing import Any, get_args, get_origin, get_type_hints, Union

import numpy as np

from st_memory.core.geometry import RigidTransform
from st_memory.core.records import ObjectState

__all__ = ['from_plain', 'hints_of', 'to_plain']

# Fields that records of earlier exports lack, with what they mean there.
_ADDED: dict[Any, dict[str, Any]] = {
    ObjectState: {'identity_confidence': 1.0, 'identity_alternatives': []}
}


def to_plain(value: Any) -> Any:
    """Turn a record into dicts, lists, strings and numbers; nothing of it is lost."""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, RigidTransform):
        return [*value.translation.tolist(), *value.quat_xyzw.tolist()]
    if dataclasses.is_dataclass(value):
        return {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, (tuple, list)):
        return [to_plain(item) for item in value]
    return value


@cache
def hints_of(record: Any) -> dict[str, Any]:
    """Types of a record's fields by name."""
    hints = get_type_hints(record)
    return {field.name: hints[field.name] for field in dataclasses.fields(record)}


def from_plain(hint: Any, value: Any) -> Any:
    """
    Inverse of :func:`to_plain`.

    Parameters
    ----------
    hint : type
        What it should become.
    value : object
        As JSON gives it.

    Raises
    ------
    ValueError
        If the value is not of that type; the message says what was expected and found.

    """
    kind = get_origin(hint)
    if kind in (Union, types.UnionType):
        return None if value is None else from_plain(get_args(hint)[0], value)
    if kind is tuple:
        return _tuple(get_args(hint), value)
    if hint is float:
        return _number(value)
    if hint in (int, str, bool):
        if type(value) is not hint:
            raise ValueError(_unlike(hint.__name__, value))
        return value
    if hint is RigidTransform:
        numbers = np.array(_tuple((float,) * 7, value))
        return RigidTransform(numbers[:3], numbers[3:])
    if dataclasses.is_dataclass(hint):
        return _record(hint, value)
    return _member(hint, value)


def _tuple(members: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise ValueError(_unlike('a list', value))
    if members[1:] == (Ellipsis,):
        members = (members[0],) * len(value)
    if len(members) != len(value):
        raise ValueError(_unlike(f'a list of {len(members)}', value))
    return tuple(from_plain(member, item) for member, item in zip(members, value, strict=True))


def _number(value: Any) -> float:
    if type(value) not in (int, float):
        raise ValueError(_unlike('a number', value))
    number: float = value
    return number


def _record(hint: Any, value: Any) -> Any:
    hints = hints_of(hint)
    if isinstance(value, dict):  # written before these fields came
        value = {**_ADDED.get(hint, {}), **value}
    if not isinstance(value, dict) or value.keys() != hints.keys():
        found = sorted(value) if isinstance(value, dict) else value
        raise ValueError(_unlike(f'{hint.__name__} ({", ".join(hints)})', found))
    return hint(**{name: from_plain(hints[name], value[name]) for name in hints})


def _member(hint: Any, value: Any) -> Any:
    if not (isinstance(hint, enum.EnumMeta) and value in hint.__members__):
        raise ValueError(_unlike(f'a {hint.__name__}', value))
    return hint[value]


def _unlike(expected: str, value: Any) -> str:
    return f'expected {expected}, found {str(value)[:80]!r}'
