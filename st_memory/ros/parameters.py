"""Node parameters from settings dataclasses: one list, with units and ranges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TYPE_CHECKING, TypeVar

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.parameter import Parameter

from st_memory.core.errors import ConfigError
from st_memory.settings import FieldSpec, iter_fields

if TYPE_CHECKING:
    from rclpy.node import Node

__all__ = ['declare_settings', 'read_settings']

Settings = TypeVar('Settings')


def declare_settings(node: Node, defaults: Any, prefix: str = '') -> None:
    """
    Declare a read-only parameter for each field of a settings record.

    Parameters
    ----------
    node : Node
        Whose parameters they are.
    defaults : dataclass
        A flat record; its fields' metadata gives descriptions, units, ranges and choices.
    prefix : str
        Put before each name, e.g. ``memory.``.

    """
    for field, default in _fields(defaults):
        # A list needs its type named: an empty one does not tell.
        is_list = isinstance(default, tuple)
        value = Parameter.Type.STRING_ARRAY if is_list else default
        node.declare_parameter(prefix + field.path, value, _descriptor(field, default))


def read_settings(node: Node, defaults: Settings, prefix: str = '') -> Settings:
    """
    Read a settings record back from the declared parameters.

    Raises
    ------
    ConfigError
        If a value is none of its choices, or the record refuses it.

    """
    values = {}
    for field, default in _fields(defaults):
        name = prefix + field.path
        value = node.get_parameter_or(name, Parameter(name)).value
        value = default if value is None else value
        if field.choices and value not in field.choices:
            raise ConfigError(
                f'parameter {name}: expected one of {", ".join(field.choices)}, got {value!r}'
            )
        values[field.path] = tuple(value) if isinstance(default, tuple) else value
    try:
        return type(defaults)(**values)
    except ValueError as error:
        raise ConfigError(f'parameters {prefix}*: {error}') from error


def _fields(defaults: Any) -> Iterator[tuple[FieldSpec, Any]]:
    """Every field with its default."""
    for field in iter_fields(type(defaults)):
        yield field, getattr(defaults, field.path)


def _descriptor(field: FieldSpec, default: Any) -> ParameterDescriptor:
    descriptor = ParameterDescriptor(
        description=field.description
        + (f' [{field.unit}]' if field.unit not in ('', '1') else ''),
        additional_constraints=f'one of: {", ".join(field.choices)}' if field.choices else '',
        read_only=True,
    )
    if field.minimum is None or field.maximum is None:
        return descriptor
    if isinstance(default, float):
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=field.minimum, to_value=field.maximum, step=0.0)
        ]
    else:
        descriptor.integer_range = [
            IntegerRange(from_value=int(field.minimum), to_value=int(field.maximum), step=1)
        ]
    return descriptor
