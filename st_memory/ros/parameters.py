"""Node parameters from settings dataclasses: one list, with units and ranges."""

from __future__ import annotations

from dataclasses import Field, fields, MISSING
from typing import Any, TYPE_CHECKING, TypeVar

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.parameter import Parameter

from st_memory.core.errors import ConfigError

if TYPE_CHECKING:
    from rclpy.node import Node

__all__ = ['declare_settings', 'read_settings']

Settings = TypeVar('Settings')


def declare_settings(node: Node, settings_class: type[Any], prefix: str = '') -> None:
    """
    Declare a read-only parameter for each field of a settings class.

    Parameters
    ----------
    node : Node
        Whose parameters they are.
    settings_class : type
        A dataclass whose fields have a default and, in ``metadata``, ``description`` and
        optionally ``unit``, ``min``, ``max`` and ``choices``.
    prefix : str
        Put before each name, e.g. ``memory.``.

    """
    for item in fields(settings_class):
        default = item.default
        if default is MISSING:
            raise TypeError(f'{settings_class.__name__}.{item.name}: expected a default')
        if isinstance(default, tuple):
            node.declare_parameter(
                prefix + item.name, Parameter.Type.STRING_ARRAY, _descriptor(item)
            )
        else:
            node.declare_parameter(prefix + item.name, default, _descriptor(item))


def read_settings(node: Node, settings_class: type[Settings], prefix: str = '') -> Settings:
    """
    Read a settings class back from the declared parameters.

    Raises
    ------
    ConfigError
        If a value is none of its choices.

    """
    values = {}
    for item in fields(settings_class):  # type: ignore[arg-type]
        name = prefix + item.name
        value = node.get_parameter_or(name, Parameter(name)).value
        if value is None:
            value = item.default
        choices = item.metadata.get('choices')
        if choices is not None and value not in choices:
            raise ConfigError(
                f'parameter {name}: expected one of {", ".join(choices)}, got {value!r}'
            )
        values[item.name] = tuple(value) if isinstance(item.default, tuple) else value
    return settings_class(**values)


def _descriptor(item: Field[Any]) -> ParameterDescriptor:
    metadata = item.metadata
    unit = metadata.get('unit', '1')
    text = metadata.get('description', '') + ('' if unit == '1' else f' [{unit}]')
    choices = metadata.get('choices')
    descriptor = ParameterDescriptor(
        description=text,
        additional_constraints=f'one of: {", ".join(choices)}' if choices else '',
        read_only=True,
    )
    if 'min' in metadata and isinstance(item.default, float):
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=metadata['min'], to_value=metadata['max'], step=0.0)
        ]
    elif 'min' in metadata and isinstance(item.default, int):
        descriptor.integer_range = [
            IntegerRange(from_value=metadata['min'], to_value=metadata['max'], step=1)
        ]
    return descriptor
