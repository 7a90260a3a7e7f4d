"""
The memory as a lifecycle node.

Unconfigured: nothing. Inactive: the memory is open, questions are answered. Active: topics are
subscribed, frames go in, changes are told. Parameters are those of
:class:`st_memory.ros.settings.MemoryNodeSettings` and, with the prefix ``memory.``, of
:class:`st_memory.core.memory.MemorySettings`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.core.errors import ConfigError, StMemoryError
from st_memory.core.memory import MemorySettings
from st_memory.core.stamps import stamp_from_seconds
from st_memory.ros.frames import Frames
from st_memory.ros.guard import guarded
from st_memory.ros.ingest import Ingest, IngestListener
from st_memory.ros.live_store import LiveStore
from st_memory.ros.parameters import declare_settings, read_settings
from st_memory.ros.process import run
from st_memory.ros.publications import MemoryPublications
from st_memory.ros.services import QuestionServices
from st_memory.ros.settings import MemoryNodeSettings
from st_memory.ros.topics import MemorySubscriptions
from st_memory.storage import SqliteMemoryStore

__all__ = ['MemoryNode', 'main']

_MEMORY_PREFIX = 'memory.'
_SUCCESS = TransitionCallbackReturn.SUCCESS
_FAILURE = TransitionCallbackReturn.FAILURE
_LOG_EVERY = 1000


class MemoryNode(LifecycleNode):
    """
    Keep an object memory and answer questions about it.

    Parameters
    ----------
    name : str
        Name of the node.
    **node_options
        As for ``rclpy.node.Node``: context, parameter_overrides, ...

    """

    def __init__(self, name: str = 'memory_node', **node_options: Any) -> None:
        super().__init__(name, **node_options)
        declare_settings(self, MemoryNodeSettings)
        declare_settings(self, MemorySettings, _MEMORY_PREFIX)
        self._error: StMemoryError | None = None
        self._problems: Counter[str] = Counter()
        self._store: LiveStore | None = None
        self._services_on: QuestionServices | None = None
        self._publications: MemoryPublications | None = None
        self._subscriptions_on: MemorySubscriptions | None = None
        self._ingest: Ingest | None = None
        self._timer: Any = None

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
                raise self._error or ConfigError(f'{self.get_name()}: see the log')

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Open the memory and answer questions."""
        return self._try(self._configure) or super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take in what sensors and detectors send."""
        super().on_activate(state)
        return self._try(self._activate) or _SUCCESS

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Finish the frames that wait, then take nothing more."""
        self._deactivate()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close the memory."""
        self._close()
        return _SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Finish and close."""
        self.finish()
        return _SUCCESS

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let go of everything, so that configuring can be tried again."""
        self.finish()
        return _SUCCESS

    def finish(self) -> None:
        """Commit what waits and close the memory; harmless in any state and when done twice."""
        self._deactivate()
        self._close()

    def _try(self, step: Any) -> TransitionCallbackReturn | None:
        """Run a step; a known error makes the transition fail with one line in the log."""
        self._error = None
        try:
            step()
        except StMemoryError as error:
            self._error = error
        except ValueError as error:
            self._error = ConfigError(str(error))
        if self._error is None:
            return None
        self.get_logger().error(str(self._error))
        self.finish()
        return _FAILURE

    def _configure(self) -> None:
        settings = read_settings(self, MemoryNodeSettings)
        if not settings.database:
            raise ConfigError('parameter database: expected the path of a memory file, got none')
        self._settings = settings
        self._memory_settings = read_settings(self, MemorySettings, _MEMORY_PREFIX)
        self._frames = Frames(settings.fixed_frame)
        opened = SqliteMemoryStore.open(settings.database, synchronous=settings.synchronous)
        self._store = LiveStore(opened)
        self._services_on = QuestionServices(
            self, self._store, self._frames, settings.max_answer_bytes
        )
        self._publications = MemoryPublications(
            self, self._store, self._frames, stamp_from_seconds(settings.objects_period_s)
        )
        now = self._store.now()
        held = 'empty' if now is None else f'up to epoch {now.epoch}, {now.stamp_ns} ns'
        self.get_logger().info(f'opened {settings.database}: {held}')

    def _activate(self) -> None:
        if self._store is None or self._publications is None:
            raise ConfigError(f'{self.get_name()}: not configured')
        group = MutuallyExclusiveCallbackGroup()
        self._subscriptions_on = MemorySubscriptions(
            self, self._settings, self._take, self._note_error, group
        )
        self._ingest = Ingest(
            self._store,
            self._memory_settings,
            self._settings.assembler(),
            self._expected_roles,
            IngestListener(
                self._publications.tell_frame,
                self._publications.tell_progress,
                self._note_problem,
            ),
            self._settings.backlog,
        )
        self._publications.tell_progress(self._ingest.progress)
        self._ingest.start()
        # Steady time: looking for topics must go on when simulated time stands still.
        self._timer = self.create_timer(
            self._settings.discovery_period_s,
            guarded(self._subscriptions_on.discover, self._note_error),
            callback_group=group,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def _deactivate(self) -> None:
        if self._timer is not None:
            self.destroy_timer(self._timer)
        if self._subscriptions_on is not None:
            self._subscriptions_on.stop()
        if self._ingest is not None:
            if not self._ingest.stop():
                self.get_logger().error('frames that waited were given up: the disk is too slow')
            self.get_logger().info(f'left out: {dict(self._ingest.counters) or "nothing"}')
        self._timer = self._subscriptions_on = self._ingest = None

    def _close(self) -> None:
        if self._services_on is not None:
            self._services_on.stop()
        if self._publications is not None:
            self._publications.stop()
        if self._store is not None:
            self._store.close()
        self._services_on = self._publications = self._store = None

    def _take(self, role: TopicRole, message: Any) -> None:
        if role.kind is TopicKind.CAMERA_INFO:
            self._frames.note(role.camera_id, message.header.frame_id)
        if self._ingest is not None:
            self._ingest.put(role, message)

    def _expected_roles(self) -> tuple[TopicRole, ...]:
        return self._subscriptions_on.roles if self._subscriptions_on is not None else ()

    def _note_problem(self, reason: str, text: str) -> None:
        """Log the first of each kind, and every thousandth."""
        if self._problems[reason] % _LOG_EVERY == 0:
            count = self._problems[reason] + 1
            self.get_logger().warning(f'{reason} (no. {count}): {text}')
        self._problems[reason] += 1

    def _note_error(self, error: Exception) -> None:
        self._note_problem('internal_error', f'{type(error).__name__}: {error}')


def main(args: Sequence[str] | None = None) -> int:
    """Run the node until it is told to stop; gives the exit code."""
    return run([MemoryNode], args)
