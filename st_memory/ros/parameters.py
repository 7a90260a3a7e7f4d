"""Node parameters from settings dataclasses: one list, with units and ranges."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, TYPE_CHECKING, TypeVar

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.parameter import Parameter

from st_memory.conversions.misspelt import unknown_name
from st_memory.core.errors import ConfigError
from st_memory.settings import FieldSpec, iter_fields

if TYPE_CHECKING:
    from rclpy.node import Node

__all__ = ['declare_settings', 'names_of', 'read_settings', 'warn_of_unknown']

Settings = TypeVar('Settings')
# What rclpy declares by itself, some of it later.
_OF_THE_MIDDLEWARE = ('qos_overrides.', 'start_type_description_service', 'use_sim_time')


def declare_settings(
    node: Node, defaults: Any, prefix: str = '', *, read_only: bool = True
) -> dict[str, tuple[str, ...]]:
    """
    Declare a parameter for each field of a settings record.

    Parameters
    ----------
    node : Node
        Whose parameters they are.
    defaults : dataclass
        A flat record; its fields' metadata gives descriptions, units, ranges and choices.
    prefix : str
        Put before each name, e.g. ``memory.``.
    read_only : bool
        They cannot be changed once the node is there.

    Returns
    -------
    dict of str to tuple of str
        The choices of each, by name; none where any value will do.

    Raises
    ------
    ConfigError
        If a value that was given is of another type, or out of range.

    """
    choices = {}
    for field, default in _fields(defaults):
        # A list needs its type named: an empty one does not tell.
        is_list = isinstance(default, tuple)
        value = Parameter.Type.STRING_ARRAY if is_list else default
        name = prefix + field.path
        try:
            node.declare_parameter(name, value, _descriptor(field, default, read_only=read_only))
        except (InvalidParameterTypeException, InvalidParameterValueException) as error:
            given = getattr(node, '_parameter_overrides', {}).get(name, Parameter(name)).value
            raise ConfigError(
                f'parameter {name}: expected {_wanted(field, default)}, got {given!r}'
            ) from error
        choices[name] = tuple(field.choices)
    return choices


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


def names_of(defaults: Any, prefix: str = '') -> frozenset[str]:
    """Give the names of the parameters that a settings record is declared as."""
    return frozenset(prefix + field.path for field, _ in _fields(defaults))


def warn_of_unknown(node: Node, elsewhere: Collection[str] = ()) -> None:
    """
    Log each parameter that was given to a node and that it does not have.

    Parameters
    ----------
    node : Node
        All of its parameters are declared.
    elsewhere : collection of str
        Parameters of other nodes of the process: what is given on its command line is given to
        all.

    """
    # rclpy keeps what was given, by file or command line; it does not say what nobody declared.
    given = getattr(node, '_parameter_overrides', {})
    own = set(node.get_parameters_by_prefix(''))
    for name in sorted(set(given) - own - set(elsewhere)):
        if not name.startswith(_OF_THE_MIDDLEWARE):
            node.get_logger().warning(unknown_name('parameters', name, own, 'is ignored'))


def _fields(defaults: Any) -> Iterator[tuple[FieldSpec, Any]]:
    """Every field with its default."""
    for field in iter_fields(type(defaults)):
        yield field, getattr(defaults, field.path)


def _wanted(field: FieldSpec, default: Any) -> str:
    """Say what a parameter takes; a float without its point is an integer to ROS."""
    kinds = {
        bool: 'true or false',
        int: 'a whole number',
        float: 'a number with a point (1.0)',
        tuple: 'a list of texts',
    }
    kind = kinds.get(type(default), 'a text')
    if field.minimum is None or field.maximum is None:
        return kind
    return f'{kind} from {field.minimum:g} to {field.maximum:g}'


def _descriptor(field: FieldSpec, default: Any, *, read_only: bool) -> ParameterDescriptor:
    descriptor = ParameterDescriptor(
        description=field.description
        + (f' [{field.unit}]' if field.unit not in ('', '1') else ''),
        additional_constraints=f'one of: {", ".join(field.choices)}' if field.choices else '',
        read_only=read_only,
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
