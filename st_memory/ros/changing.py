"""Which parameters may be changed when: all before configuring, a few at any time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TYPE_CHECKING

from rcl_interfaces.msg import SetParametersResult

if TYPE_CHECKING:
    from rclpy.node import Node
    from rclpy.parameter import Parameter

__all__ = ['ParameterChanges']


class ParameterChanges:
    """
    Says of each change whether it may be, and hands on what counts at once.

    Parameters
    ----------
    node : Node
        Whose parameters they are.
    choices : mapping of str to sequence of str
        Parameters that count from the next configuring on, with their only values (none: any).
    any_time : mapping of str to callable
        Parameters that count at once; called with the new value when all of a request may be.
    never : collection of str
        Parameters that are read when the node is made.
    is_configured : callable
        Whether the node is past configuring.

    """

    def __init__(
        self,
        node: Node,
        choices: Mapping[str, Sequence[str]],
        any_time: Mapping[str, Callable[[Any], None]],
        never: Collection[str],
        is_configured: Callable[[], bool],
    ) -> None:
        self._choices = choices
        self._any_time = any_time
        self._never = never
        self._is_configured = is_configured
        node.add_on_set_parameters_callback(self._check)

    def _check(self, parameters: Sequence[Parameter[Any]]) -> SetParametersResult:
        for parameter in parameters:
            problem = self._problem(parameter)
            if problem:
                return SetParametersResult(
                    successful=False, reason=f'parameter {parameter.name}: {problem}'
                )
        for parameter in parameters:
            apply = self._any_time.get(parameter.name)
            if apply is not None:
                apply(parameter.value)
        return SetParametersResult(successful=True)

    def _problem(self, parameter: Parameter[Any]) -> str:
        name, value = parameter.name, parameter.value
        if name in self._never:
            return 'is read when the node is made: start it anew with another value'
        if name not in self._choices or name in self._any_time:
            return ''
        if self._is_configured():
            return 'counts from the next configuring on: clean the node up first'
        choices = self._choices[name]
        if choices and value not in choices:
            return f'expected one of {", ".join(choices)}, got {value!r}'
        return ''
