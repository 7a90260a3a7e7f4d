"""
The memory as a lifecycle node.

Unconfigured: nothing. Inactive: the memory is open, questions are answered. Active: topics are
subscribed, frames go in, changes are told. Parameters are those of
:class:`st_memory.ros.settings.MemoryNodeSettings` and, with the prefixes ``memory.`` and
``visibility.``, of :class:`st_memory.core.memory.MemorySettings` and
:class:`st_memory.core.visibility.VisibilityPreset`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from st_memory.core.errors import ConfigError, StMemoryError
from st_memory.core.memory import MemorySettings
from st_memory.core.visibility import preset_named
from st_memory.ros.active_memory import ActiveMemory
from st_memory.ros.changing import ParameterChanges
from st_memory.ros.memory_parts import MemoryParameters, OpenMemory
from st_memory.ros.parameters import declare_settings, names_of, read_settings, warn_of_unknown
from st_memory.ros.process import run
from st_memory.ros.qos import check_overrides
from st_memory.ros.settings import MemoryNodeSettings, ReplayNodeSettings

__all__ = ['MemoryNode', 'main']

_MEMORY_PREFIX = 'memory.'
_VISIBILITY_PREFIX = 'visibility.'
# What can be changed while frames come: how often something is told or looked for.
_ANY_TIME = (
    'objects_period_s',
    'markers_period_s',
    'diagnostics_period_s',
    'discovery_period_s',
)
_SUCCESS = TransitionCallbackReturn.SUCCESS
_FAILURE = TransitionCallbackReturn.FAILURE


class MemoryNode(LifecycleNode):
    """
    Keep an object memory and answer questions about it.

    Parameters
    ----------
    name : str
        Name of the node.
    **node_options
        As for ``rclpy.node.Node``: context, parameter_overrides, ...

    Raises
    ------
    ConfigError
        If there is no visibility preset of the name given.

    """

    def __init__(self, name: str = 'memory_node', **node_options: Any) -> None:
        super().__init__(name, **node_options)
        choices = declare_settings(self, MemoryNodeSettings(), read_only=False)
        choices |= declare_settings(self, MemorySettings(), _MEMORY_PREFIX, read_only=False)
        # The rules start from the chosen preset; single ones may differ.
        preset = f'{_MEMORY_PREFIX}visibility_preset'
        self._preset = preset_named(self.get_parameter(preset).value)
        choices |= declare_settings(self, self._preset, _VISIBILITY_PREFIX, read_only=False)
        self._changes = ParameterChanges(
            self,
            choices,
            {name: partial(self._change, name) for name in _ANY_TIME},
            (preset, 'autostart'),
            lambda: self.memory is not None,
        )
        warn_of_unknown(self, names_of(ReplayNodeSettings()))
        self._error: StMemoryError | None = None
        self.parameters: MemoryParameters | None = None
        self.memory: OpenMemory | None = None
        self.active: ActiveMemory | None = None

    def start(self) -> None:
        """
        Configure and activate, unless a lifecycle manager is to do it.

        Raises
        ------
        StMemoryError
            What keeps the node from being configured or activated.

        """
        if not self.get_parameter('autostart').value:
            return
        for trigger in (self.trigger_configure, self.trigger_activate):
            if trigger() != _SUCCESS:
                raise self._error or ConfigError(f'{self.get_name()}: cannot start, see the log')

    def finish(self) -> None:
        """Commit what waits and close the memory; harmless in any state and when done twice."""
        self._deactivate()
        if self.memory is not None:
            self.memory.close()
        self.memory = None

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Open the memory and answer questions."""
        return self._try(self._configure) or super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take in what sensors and detectors send."""
        super().on_activate(state)
        failed = self._try(self._activate)
        if failed is not None:
            super().on_deactivate(state)  # the publishers, too, are as they were
        return failed or _SUCCESS

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Finish the frames that wait, then take nothing more."""
        self._deactivate()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close the memory."""
        self.finish()
        return _SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Finish and close."""
        self.finish()
        return _SUCCESS

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let go of everything, so that configuring can be tried again."""
        self.finish()
        return _SUCCESS

    def _try(self, step: Callable[[], None]) -> TransitionCallbackReturn | None:
        """Run a step; a known error makes the transition fail with one line in the log."""
        self._error = None
        try:
            step()
        except StMemoryError as error:
            self._error = error
            self.get_logger().error(str(error))
            return _FAILURE
        except Exception as error:
            # The state machine of rclpy goes to its error state without a word.
            self.get_logger().error(f'internal error: {type(error).__name__}: {error}')
            raise
        return None

    def _configure(self) -> None:
        check_overrides(self)
        self.parameters = MemoryParameters(
            read_settings(self, MemoryNodeSettings()),
            read_settings(self, MemorySettings(), _MEMORY_PREFIX),
            read_settings(self, self._preset, _VISIBILITY_PREFIX),
        )
        self.memory = OpenMemory(self, self.parameters)

    def _activate(self) -> None:
        if self.parameters is not None and self.memory is not None:
            self.active = ActiveMemory(self, self.parameters, self.memory)

    def _change(self, name: str, value: Any) -> None:
        """Let a new value of a parameter count at once, and from then on."""
        if self.parameters is None or self.memory is None:
            return  # it is read when the node is configured
        changed = replace(self.parameters.node, **{name: value})
        self.parameters = replace(self.parameters, node=changed)
        self.memory.use_periods(changed)
        if self.active is not None:
            self.active.use_periods(changed)

    def _deactivate(self) -> None:
        if self.active is not None:
            self.active.stop()
        self.active = None


def main(args: Sequence[str] | None = None) -> int:
    """Run the node until it is told to stop; gives the exit code."""
    return run([MemoryNode], args)
