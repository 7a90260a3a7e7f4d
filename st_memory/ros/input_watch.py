"""What a node has received, for whoever asks why nothing is remembered."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.conversions.stamps import stamp_from_time
from st_memory.doctor import LiveInputs, Received

if TYPE_CHECKING:
    from rclpy.node import Node

    from st_memory.ros.ingest import Ingest
    from st_memory.ros.topics import MemorySubscriptions

__all__ = ['InputWatch']

_UNSTAMPED = (TopicKind.TF, TopicKind.TF_STATIC, TopicKind.SCENE, TopicKind.MESH)


class InputWatch:
    """
    Counts messages by what they are for.

    Parameters
    ----------
    node : Node
        Whose clock, and whose topics.
    fixed_frame : str
        Frame in which objects are remembered.

    """

    def __init__(self, node: Node, fixed_frame: str) -> None:
        self._node = node
        self._fixed_frame = fixed_frame
        self._received: dict[TopicRole, Received] = {}

    def note(self, role: TopicRole, message: Any) -> None:
        """Count a message."""
        before = self._received.get(role) or Received(role.kind, role.camera_id)
        last_ns, late_ns = None, 0
        if role.kind not in _UNSTAMPED and hasattr(message, 'header'):
            last_ns = stamp_from_time(message.header.stamp)
            late_ns = self._node.get_clock().now().nanoseconds - last_ns
        self._received[role] = Received(
            role.kind, role.camera_id, '', before.num_messages + 1, last_ns, late_ns
        )

    def inputs(self, subscriptions: MemorySubscriptions, ingest: Ingest) -> LiveInputs:
        """Give all that is known of what comes in."""
        node = self._node
        names = subscriptions.topic_by_role
        received = []
        for role in {**dict.fromkeys(names), **self._received}:
            seen = self._received.get(role) or Received(role.kind, role.camera_id)
            topic = names.get(role, '')
            received.append(
                Received(
                    seen.kind, seen.camera_id, topic, seen.num_messages, seen.last_ns, seen.late_ns
                )
            )
        return LiveInputs(
            is_active=True,
            received=tuple(received),
            counters=ingest.counters,
            pose_problems=ingest.pose_problems,
            on_probation=ingest.on_probation,
            unheard=subscriptions.unheard(),
            fixed_frame=self._fixed_frame,
            uses_sim_time=bool(node.get_parameter('use_sim_time').value),
            has_clock=node.count_publishers('/clock') > 0,
        )
