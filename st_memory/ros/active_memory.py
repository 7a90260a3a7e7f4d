"""What a memory node holds while it is active: topics, and the thread that takes them in."""

from __future__ import annotations

from collections import Counter
from typing import Any, TYPE_CHECKING

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType

from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.core.stamps import stamp_from_seconds
from st_memory.doctor import LiveInputs
from st_memory.ros.camera_names import CameraNames
from st_memory.ros.guard import guarded
from st_memory.ros.ingest import Ingest, IngestListener
from st_memory.ros.input_watch import InputWatch
from st_memory.ros.memory_parts import MemoryParameters, OpenMemory
from st_memory.ros.scenes import scene_of
from st_memory.ros.settings import MemoryNodeSettings
from st_memory.ros.topics import MemorySubscriptions

if TYPE_CHECKING:
    from rclpy.lifecycle import LifecycleNode

__all__ = ['ActiveMemory']

_LOG_EVERY = 1000
_TICK_S = 1.0  # how finely "since when" is known


class ActiveMemory:
    """
    Subscriptions that feed an open memory.

    Parameters
    ----------
    node : LifecycleNode
        Who subscribes.
    parameters : MemoryParameters
        What is subscribed, and the numbers of assembly and fold.
    memory : OpenMemory
        What is fed.

    Raises
    ------
    ConfigError
        If a message package that is always needed is not installed.

    """

    def __init__(
        self, node: LifecycleNode, parameters: MemoryParameters, memory: OpenMemory
    ) -> None:
        self._node = node
        self._frames = memory.frames
        self._problems: Counter[str] = Counter()
        group = MutuallyExclusiveCallbackGroup()
        told = memory.publications
        self.ingest = Ingest(
            memory.store,
            parameters.memory,
            parameters.visibility,
            memory.assembler,
            lambda: self._subscriptions.roles,
            IngestListener(told.tell_frame, told.tell_progress, self._note_problem),
            parameters.node.backlog,
            scene=scene_of(memory.scene),
            ray_caster=parameters.node.ray_caster,
        )
        self._watch = InputWatch(node, parameters.node.fixed_frame, memory.assembler.slop_ns)
        self._names = CameraNames(
            {
                'parameter cameras': parameters.node.cameras,
                'self_masks of the self-filter': tuple(memory.assembler.self_masks),
            },
            node.get_logger().warning,
        )
        self._subscriptions = MemorySubscriptions(
            node, parameters.node, self._take, self._note_error, group, memory.scene
        )
        self._memory = memory
        memory.telling.ingest = self.ingest
        memory.inputs = lambda: self._watch.inputs(self._subscriptions, self.ingest)
        memory.ingest = self.ingest
        told.tell_progress(self.ingest.progress)
        self.ingest.start()
        # Steady time: looking for topics must go on when simulated time stands still.
        self._timer = node.create_timer(
            parameters.node.discovery_period_s,
            guarded(self._discover, self._note_error),
            callback_group=group,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )
        self._ticks = node.create_timer(
            _TICK_S,
            guarded(self._tick, self._note_error),
            callback_group=group,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def use_periods(self, settings: MemoryNodeSettings) -> None:
        """Look for topics as often as these settings say, from now on."""
        self._timer.timer_period_ns = stamp_from_seconds(settings.discovery_period_s)

    def stop(self) -> None:
        """Take no more messages; commit and tell the frames that wait."""
        self._node.destroy_timer(self._timer)
        self._node.destroy_timer(self._ticks)
        self._names.check(self._subscriptions.cameras, at_last=True)
        self._subscriptions.stop()
        self._memory.telling.ingest = None
        self._memory.inputs = lambda: LiveInputs(is_active=False)
        self._memory.ingest = None
        if not self.ingest.stop():
            self._node.get_logger().error(
                'frames that waited were given up: too many, or a slow disk'
            )
        counted = ', '.join(f'{name} ({n})' for name, n in self.ingest.counters.items())
        self._node.get_logger().info(f'left out: {counted or "nothing"}')

    def _discover(self) -> None:
        self._subscriptions.discover()
        self._names.check(self._subscriptions.cameras)

    def _tick(self) -> None:
        self._watch.tick(self._subscriptions, self.ingest)

    def _take(self, role: TopicRole, message: Any) -> None:
        if role.kind is TopicKind.CAMERA_INFO:
            self._frames.note(role.camera_id, message.header.frame_id)
        self._watch.note(role, message)
        self.ingest.put(role, message)

    def _note_problem(self, reason: str, text: str) -> None:
        """Log the first of each kind, and every thousandth."""
        if self._problems[reason] % _LOG_EVERY == 0:
            number = self._problems[reason] + 1
            self._node.get_logger().warning(f'{reason} (no. {number}): {text}')
        self._problems[reason] += 1

    def _note_error(self, error: Exception) -> None:
        self._note_problem('internal_error', f'{type(error).__name__}: {error}')
