"""The topics of a bag, offered anew."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import Any, NamedTuple, TYPE_CHECKING

from rclpy.duration import Duration

from st_memory.bags import BagMessage, BagReader
from st_memory.conversions.roles import discover_roles, TopicKind, TopicRole, with_fixed_masks
from st_memory.conversions.stamps import frame_name
from st_memory.core.errors import BagError
from st_memory.core.stamps import NS_PER_S
from st_memory.ros.qos import latched_qos, overridable, QosWarnings, reliable_qos
from st_memory.ros.topics import message_class

if TYPE_CHECKING:
    from rclpy.node import Node
    from rclpy.publisher import Publisher

__all__ = ['Cue', 'RecordingTopics', 'playlist']

_LATCHED = (TopicKind.TF_STATIC, TopicKind.SCENE, TopicKind.SELF_MASK_FIXED)
_MESH_TYPE = 'shape_msgs/msg/Mesh'
# A consumer may have no use for them: nobody waits until they are subscribed.
_OPTIONAL = (TopicKind.IMAGE, TopicKind.JOINTS)
_QUEUE_DEPTH = 100


def _roles(reader: BagReader) -> dict[str, TopicRole]:
    types = {name: summary.type_name for name, summary in reader.topics.items()}
    once = {name for name, summary in reader.topics.items() if summary.num_messages == 1}
    return with_fixed_masks(discover_roles(types), once)


class Cue(NamedTuple):
    """A message to send, and its time of recording; 0 for what holds for the whole recording."""

    message: BagMessage
    log_ns: int


def playlist(
    reader: BagReader, topics: Collection[str], *, loop: bool, restart: Callable[[], None]
) -> Iterator[Cue]:
    """
    Give what to send: first what holds for the whole recording, then the rest in order.

    Parameters
    ----------
    reader : BagReader
        The bag.
    topics : collection of str
        Only these.
    loop : bool
        Begin again at the end, without end.
    restart : callable
        Called when times of recording begin, the first time or anew.

    """
    leading = [m for m in _leading_messages(reader) if m.topic in topics]
    yield from (Cue(message, 0) for message in leading)
    sent = {(message.topic, message.log_ns) for message in leading}
    while True:
        restart()
        for message in reader.messages(topics):
            if (message.topic, message.log_ns) not in sent:
                yield Cue(message, message.log_ns)
        if not loop:
            return


def _leading_messages(reader: BagReader) -> Iterator[BagMessage]:
    """Give the first of each static link, scene and mesh topic, and the masks for all images."""
    roles = _roles(reader)
    seen: set[str] = set()
    static_topics = [topic for topic, role in roles.items() if role.kind is TopicKind.TF_STATIC]
    for message in reader.messages(static_topics):
        links = {frame_name(item.child_frame_id) for item in message.read().transforms}
        if not links <= seen:
            yield message
            seen |= links
    scenes = [topic for topic, role in roles.items() if role.kind is TopicKind.SCENE]
    meshes = [[name] for name, s in reader.topics.items() if s.type_name == _MESH_TYPE]
    masks = [[n] for n, role in roles.items() if role.kind is TopicKind.SELF_MASK_FIXED]
    for topics in (scenes, *meshes, *masks):
        yield from islice(reader.messages(topics), 1)


class RecordingTopics:
    """
    Publishers for the topics of a bag; messages go out as the bytes they were recorded as.

    Parameters
    ----------
    node : Node
        Who publishes.
    reader : BagReader
        The bag.
    consumer : str
        Name of the node that acknowledges.

    Raises
    ------
    BagError
        If no topic of the bag has a type that is installed.

    """

    def __init__(self, node: Node, reader: BagReader, consumer: str) -> None:
        self._node = node
        self._warnings = QosWarnings(node)
        self._consumer = f'/{consumer.strip("/")}'
        self._roles = _roles(reader)
        self._type_by_topic = {name: s.type_name for name, s in reader.topics.items()}
        self._publishers: dict[str, Publisher] = {}
        self._span = [0, 0]
        for topic, summary in reader.topics.items():
            kind = message_class(summary.type_name) if topic != '/clock' else None
            if kind is None:
                node.get_logger().warning(
                    f'{topic} is left out: {summary.type_name or "several types"}'
                )
            elif summary.num_messages:
                self._publishers[topic] = self._publisher(topic, kind, summary.num_messages)
        if not self._publishers:
            raise BagError(f'{reader.path}: no topic has a message type that is installed')

    @property
    def names(self) -> tuple[str, ...]:
        """Topics that are published."""
        return tuple(self._publishers)

    @property
    def latched(self) -> frozenset[str]:
        """Topics of what holds from then on: the static transforms and the scene."""
        return frozenset(topic for topic in self._publishers if self._is_latched(topic))

    @property
    def duration_s(self) -> float:
        """Span of recording times sent so far, seconds."""
        return (self._span[1] - self._span[0]) / NS_PER_S

    def missing(self) -> list[str]:
        """Topics that the consumer is expected to take and has not subscribed to yet."""
        wanted = [
            topic
            for topic, role in self._roles.items()
            if topic in self._publishers and role.kind not in _OPTIONAL
        ]
        taken = self.taken_by_consumer()
        return [topic for topic in wanted if topic not in taken] if self._consumer != '/' else []

    def taken_by_consumer(self) -> frozenset[str]:
        """Topics that the consumer is subscribed to, as far as the publisher is matched too."""
        return frozenset(
            topic
            for topic, publisher in self._publishers.items()
            if publisher.get_subscription_count()
            and any(
                f'{info.node_namespace.rstrip("/")}/{info.node_name}' == self._consumer
                for info in self._node.get_subscriptions_info_by_topic(topic)
            )
        )

    def publish(self, message: BagMessage) -> None:
        """Send a message as it was recorded."""
        self._span[0] = min(self._span[0] or message.log_ns, message.log_ns)
        self._span[1] = max(self._span[1], message.log_ns)
        self._publishers[message.topic].publish(bytes(message.raw))

    def wait_until_delivered(self, timeout: Duration) -> None:
        """Wait until reliable subscribers have got everything."""
        for publisher in self._publishers.values():
            publisher.wait_for_all_acked(timeout)

    def _publisher(self, topic: str, kind: Any, num_messages: int) -> Publisher:
        latched = self._is_latched(topic)
        qos = latched_qos(2 * num_messages) if latched else reliable_qos(_QUEUE_DEPTH)
        return self._node.create_publisher(
            kind,
            topic,
            qos,
            event_callbacks=self._warnings.for_publisher(topic),
            qos_overriding_options=overridable(),
        )

    def _is_latched(self, topic: str) -> bool:
        role = self._roles.get(topic)
        is_mesh = self._type_by_topic.get(topic) == _MESH_TYPE
        return is_mesh or (role is not None and role.kind in _LATCHED)
