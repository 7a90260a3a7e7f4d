"""
A bag as topics and ``/clock``, no faster than the consumer takes it.

The consumer publishes ``~/processed`` (``st_memory_interfaces/Progress``): how many messages it
has taken. Without one the bag is played by the clock. Static transforms and the scene come first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import time
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.duration import Duration
from rclpy.node import Node
from rosgraph_msgs.msg import Clock as ClockMsg
from st_memory_interfaces.msg import Progress

from st_memory.bags import BagReader, open_bag
from st_memory.core.errors import BagError, ConfigError
from st_memory.core.memory import MemorySettings
from st_memory.core.visibility import preset_named
from st_memory.ros.messages import time_message
from st_memory.ros.pacing import Pacer
from st_memory.ros.parameters import declare_settings, names_of, read_settings, warn_of_unknown
from st_memory.ros.process import run
from st_memory.ros.qos import check_overrides, latched_qos, reliable_qos
from st_memory.ros.recording_topics import Cue, playlist, RecordingTopics
from st_memory.ros.settings import MemoryNodeSettings, ReplayNodeSettings

__all__ = ['ReplayNode', 'main']

_PACED_TICK_S = 0.005
_IDLE_TICK_S = 0.1


class ReplayNode(Node):
    """
    Replay a bag.

    Parameters
    ----------
    name : str
        Name of the node.
    needs_bag : bool
        Without a bag: an error, or (false) nothing to do.
    **node_options
        As for ``rclpy.node.Node``.

    """

    def __init__(
        self, name: str = 'replay_node', *, needs_bag: bool = True, **node_options: Any
    ) -> None:
        super().__init__(name, **node_options)
        declare_settings(self, ReplayNodeSettings())
        warn_of_unknown(
            self,
            names_of(MemoryNodeSettings())
            | names_of(MemorySettings(), 'memory.')
            | names_of(preset_named('live'), 'visibility.'),
        )
        self._needs_bag = needs_bag
        self._reader: BagReader | None = None
        self._waiting_since_s: float | None = None
        self._started_s = 0.0
        self._consumer_total: int | None = None
        self._clock_ns = self._num_sent = 0
        self._next: Cue | None = None
        self.is_done = False

    def start(self) -> None:
        """
        Open the bag and offer its topics; the replay starts when they have their subscribers.

        Raises
        ------
        BagError
            If the bag cannot be replayed.
        ConfigError
            If no bag is named.

        """
        settings = self._settings = read_settings(self, ReplayNodeSettings())
        if not settings.bag:
            if self._needs_bag:
                raise ConfigError('parameter bag: expected the path of a recording, got none')
            self.is_done = True
            return
        check_overrides(self)
        self._reader = open_bag(settings.bag)
        if not self._reader.is_ros2:
            raise BagError(f'{settings.bag}: a ROS 1 bag; convert it with rosbags-convert first')
        self._topics = RecordingTopics(self, self._reader, settings.consumer)
        self._clock_publisher = self.create_publisher(ClockMsg, '/clock', reliable_qos(10))
        self._pacer = Pacer(settings.rate)
        self._cues: Iterator[Cue] = iter(())
        if settings.consumer:
            topic = f'/{settings.consumer.strip("/")}/processed'
            self.create_subscription(Progress, topic, self._acknowledged, latched_qos(1))
        self._waiting_since_s = time.monotonic()
        self._tick_every(_IDLE_TICK_S)

    def finish(self) -> None:
        """Close the bag; harmless when done twice."""
        if self._reader is not None:
            self._reader.close()
        self._reader = None
        self.is_done = True

    def _acknowledged(self, progress: Progress) -> None:
        self._consumer_total = progress.num_messages
        if self._waiting_since_s is not None:
            self._tick()
        else:
            self._pacer.acknowledge(progress.num_messages, time.monotonic())
            self._send_what_may_go()

    def _tick(self) -> None:
        if self.is_done:
            return
        now_s = time.monotonic()
        if self._waiting_since_s is not None:
            missing = self._topics.missing()
            if self._consumer_total is None and self._settings.consumer:
                missing = [f'{self._settings.consumer}/processed', *missing]
            is_late = now_s - self._waiting_since_s >= self._settings.wait_s
            if missing and not is_late:
                return
            self._begin(missing, now_s)
        lost = self._pacer.give_up(self._settings.ack_timeout_s, now_s)
        if lost:
            self.get_logger().warning(
                f'{lost} messages were not acknowledged by {self._settings.consumer} within '
                f'{self._settings.ack_timeout_s} s; going on'
            )
        self._send_what_may_go()

    def _begin(self, missing: Sequence[str], now_s: float) -> None:
        """Start the replay with those who are there."""
        if missing:
            self.get_logger().warning(
                f'nobody on {", ".join(missing)} after {self._settings.wait_s} s; going on'
            )
        rate = self._settings.rate
        acknowledged = self._topics.taken_by_consumer()
        if self._consumer_total is None or not acknowledged:
            rate = rate or 1.0
            self.get_logger().warning(
                f'nobody acknowledges: replaying by the clock, at {rate:g} times real time'
            )
            self._pacer = Pacer(rate)
        else:
            self._pacer.expect(acknowledged, self._consumer_total, self._topics.latched)
        if rate:
            self._tick_every(_PACED_TICK_S)
        self._waiting_since_s = None
        self._started_s = now_s
        if self._reader is not None:
            self._cues = playlist(
                self._reader,
                self._topics.names,
                loop=self._settings.loop,
                restart=self._pacer.restart,
            )
        self._next = next(self._cues, None)

    def _tick_every(self, period_s: float) -> None:
        # Steady time: simulated time is what this node makes.
        self.create_timer(period_s, self._tick, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _send_what_may_go(self) -> None:
        while self._next is not None:
            (message, log_ns), now_s = self._next, time.monotonic()
            if self._pacer.delay_s(message.topic, log_ns, now_s) > 0.0:
                return
            if log_ns not in (0, self._clock_ns):
                self._clock_ns = log_ns
                self._clock_publisher.publish(ClockMsg(clock=time_message(log_ns)))
            self._topics.publish(message)
            self._pacer.sent(message.topic, log_ns, now_s)
            self._num_sent += 1
            self._next = next(self._cues, None)
        if not self.is_done and not self._pacer.num_outstanding:
            self._end()

    def _end(self) -> None:
        """Say what was done, once the middleware has delivered it."""
        self._topics.wait_until_delivered(Duration(seconds=1))
        took_s = max(time.monotonic() - self._started_s, 1e-9)
        length_s = self._topics.duration_s
        self.get_logger().info(
            f'replayed {self._num_sent} messages of {length_s:.1f} s in {took_s:.1f} s '
            f'({length_s / took_s:.1f} times real time): {self._pacer.num_acknowledged} '
            f'acknowledged, {self._pacer.num_lost} lost'
        )
        self.is_done = True


def main(args: Sequence[str] | None = None) -> int:
    """Run the node until the bag ends or a signal comes; gives the exit code."""
    return run([ReplayNode], args, is_done=lambda nodes: all(n.is_done for n in nodes))
