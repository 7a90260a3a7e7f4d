"""Plain data (as YAML gives it) to frozen dataclasses, with the key path in every refusal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, MISSING
import difflib
import enum
import math
import types
from typing import Any, get_args, get_origin, get_type_hints, TypeVar, Union

from st_memory.core.errors import ConfigError

__all__ = ['read_record', 'refuse_unknown']

Record = TypeVar('Record')


def read_record(
    record_class: type[Record], data: object, where: str, base: Record | None = None
) -> Record:
    """
    Build a dataclass from a mapping.

    Parameters
    ----------
    record_class : type
        A dataclass or a NamedTuple.
    data : object
        Mapping of field names to plain values; None (an empty section) is no keys.
    where : str
        File and key path, for messages.
    base : record, optional
        Values of the fields that are not named; the defaults without one.

    Raises
    ------
    ConfigError
        If a key is unknown or missing, a value is of another type or outside its range, or the
        class itself refuses. The message is one line with file, key path, expected and found.

    """
    if data is None:
        data = {}
    if not isinstance(data, Mapping):
        raise ConfigError(f'{where}: expected a section with keys, got {_show(data)}')
    hints = get_type_hints(record_class)
    refuse_unknown(data, hints, where)
    metadata = _metadata(record_class)
    values: dict[str, Any] = {}
    for name, kind in hints.items():
        if name in data:
            key = f'{where}.{name}' if not where.endswith(': ') else where + name
            inner = getattr(base, name) if base is not None else None
            values[name] = _read(kind, data[name], key, inner)
            _check_range(values[name], metadata.get(name, {}), key)
        elif base is not None:
            values[name] = getattr(base, name)
        elif not _has_default(record_class, name):
            raise ConfigError(f'{where}: expected the key {name!r}')
    try:
        return record_class(**values)
    except (ConfigError, ValueError) as err:
        raise ConfigError(f'{where}: {err}') from err


def refuse_unknown(data: Mapping[Any, Any], known: Iterable[str], where: str) -> None:
    """
    Refuse keys that nobody reads.

    Raises
    ------
    ConfigError
        With the nearest known key, if one is near.

    """
    names = list(known)
    for key in data:
        if key not in names:
            near = difflib.get_close_matches(str(key), names, 1)
            hint = f'did you mean {near[0]!r}?' if near else f'known: {", ".join(names)}'
            raise ConfigError(f'{where.removesuffix(": ")}: unknown key {_show(key)} ({hint})')


def _read(kind: Any, value: object, where: str, base: Any) -> Any:
    """Turn a plain value into a value of a type."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in args:
            return None
        (kind,) = (a for a in args if a is not type(None))
        return _read(kind, value, where, base)
    if origin is tuple:
        return _read_tuple(args, value, where)
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise ConfigError(f'{where}: expected a section with keys, got {_show(value)}')
        return {
            _read(args[0], key, where, None): _read(args[1], item, f'{where}.{key}', None)
            for key, item in value.items()
        }
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _read_choice(kind, value, where)
    if _is_dc(kind) or hasattr(kind, '_fields'):
        return read_record(kind, value, where, base)
    return _read_scalar(kind, value, where)


def _read_scalar(kind: Any, value: object, where: str) -> Any:
    """Take true/false, a number or a text; nothing is guessed across these."""
    names = {bool: 'true or false', int: 'a whole number', float: 'a number', str: 'a text'}
    if kind not in names:
        raise TypeError(f'{where}: settings of type {kind!r} cannot be read')
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise ConfigError(f'{where}: expected {names[kind]}, got {_show(value)}')
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f'{where}: expected a finite number, got {value}')
    return value


def _read_tuple(args: tuple[Any, ...], value: object, where: str) -> tuple[Any, ...]:
    """Take a list; of one type, or of a fixed length."""
    if not isinstance(value, (list, tuple)):
        raise ConfigError(f'{where}: expected a list, got {_show(value)}')
    kinds = [args[0]] * len(value) if args[-1] is Ellipsis else list(args)
    if len(kinds) != len(value):
        raise ConfigError(f'{where}: expected {len(kinds)} values, got {len(value)}')
    return tuple(
        _read(kind, item, f'{where}[{i}]', None)
        for i, (kind, item) in enumerate(zip(kinds, value, strict=True))
    )


def _read_choice(kind: type[enum.Enum], value: object, where: str) -> enum.Enum:
    """Take an enumeration's member by its value."""
    for member in kind:
        if type(value) is type(member.value) and value == member.value:
            return member
    allowed = ', '.join(str(member.value) for member in kind)
    raise ConfigError(f'{where}: expected one of {allowed}, got {_show(value)}')


def _check_range(value: object, metadata: Mapping[str, Any], where: str) -> None:
    """Compare a number, or each of several, with what the field allows."""
    choices = metadata.get('choices')
    if choices is not None and value not in choices:
        allowed = ', '.join(map(str, choices))
        raise ConfigError(f'{where}: expected one of {allowed}, got {_show(value)}')
    low, high = metadata.get('min'), metadata.get('max')
    for number in value if isinstance(value, tuple) else (value,):
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            too_low = low is not None and number < low
            if too_low or (high is not None and number > high):
                unit = metadata.get('unit', '1')
                expected = f'{"-inf" if low is None else low} to {"inf" if high is None else high}'
                suffix = '' if unit in ('', '1') else f' {unit}'
                raise ConfigError(f'{where}: expected {expected}{suffix}, got {number}')


def _metadata(record_class: type[Any]) -> dict[str, Mapping[str, Any]]:
    if not _is_dc(record_class):
        return {}
    return {f.name: f.metadata for f in fields(record_class)}


def _has_default(record_class: type[Any], name: str) -> bool:
    if not _is_dc(record_class):
        return name in record_class._field_defaults
    item = record_class.__dataclass_fields__[name]
    return item.default is not MISSING or item.default_factory is not MISSING


def _is_dc(kind: Any) -> bool:
    return isinstance(kind, type) and is_dataclass(kind)


def _show(value: object) -> str:
    """Show what was found, not at any length."""
    text = repr(value)
    return text if len(text) <= 60 else f'{text[:57]}...'
