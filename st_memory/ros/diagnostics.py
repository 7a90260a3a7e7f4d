"""``/diagnostics``: once a second, how the memory is and what would make it better."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType

from st_memory.core.stamps import stamp_from_seconds
from st_memory.doctor import LiveInputs, received_findings
from st_memory.ros.diagnostic_rows import diagnostic_rows, Row
from st_memory.ros.guard import guarded
from st_memory.ros.qos import overridable, QosWarnings, reliable_qos

if TYPE_CHECKING:
    from rclpy.node import Node

    from st_memory.ros.ingest import Ingest

__all__ = ['Diagnostics', 'display_name']

_TOPIC = '/diagnostics'
_USUAL_NAME = '/memory_node'


class Diagnostics:
    """
    Publishes what a memory receives and does, from configuring to cleaning up.

    Parameters
    ----------
    node : Node
        Who publishes; its timer runs on a steady clock, whatever simulated time does.
    inputs : callable
        Gives what is received just now.
    ingest : callable
        Gives what takes it in; None while nothing is taken in.
    period_s : float
        Time between two messages, seconds.

    """

    def __init__(
        self,
        node: Node,
        inputs: Callable[[], LiveInputs],
        ingest: Callable[[], Ingest | None],
        period_s: float,
    ) -> None:
        self._node = node
        self._inputs = inputs
        self._ingest = ingest
        self._name = display_name(node.get_fully_qualified_name())
        self._publisher = node.create_publisher(
            DiagnosticArray,
            _TOPIC,
            reliable_qos(10),
            event_callbacks=QosWarnings(node).for_publisher(_TOPIC),
            qos_overriding_options=overridable(),
        )
        self._timer = node.create_timer(
            period_s, guarded(self.tell, self._fail), clock=Clock(clock_type=ClockType.STEADY_TIME)
        )

    def tell(self) -> None:
        """Publish how it is now."""
        inputs = self._inputs()
        rows = diagnostic_rows(inputs, received_findings(inputs), self._ingest())
        message = DiagnosticArray(status=[self._status(row) for row in rows])
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)

    def use_period(self, period_s: float) -> None:
        """Publish at this period from now on, seconds."""
        self._timer.timer_period_ns = stamp_from_seconds(period_s)

    def stop(self) -> None:
        """Tell nothing more."""
        self._node.destroy_timer(self._timer)
        self._node.destroy_publisher(self._publisher)

    def _status(self, row: Row) -> DiagnosticStatus:
        return DiagnosticStatus(
            level=bytes([row.level]),
            name=f'{self._name}: {row.name}',
            message=row.message,
            hardware_id=self._node.get_fully_qualified_name(),
            values=[KeyValue(key=key, value=value) for key, value in row.values.items()],
        )

    def _fail(self, error: Exception) -> None:
        self._node.get_logger().warning(
            f'{_TOPIC}: {type(error).__name__}: {error}', throttle_duration_sec=60.0
        )


def display_name(node_name: str) -> str:
    """Give what rows begin with: two memories on one robot must not share their rows."""
    return 'st_memory' if node_name == _USUAL_NAME else f'st_memory {node_name.strip("/")}'
