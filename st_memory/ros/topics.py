"""Which topics are subscribed, how, and since when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
import importlib
from typing import Any, TYPE_CHECKING

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from st_memory.conversions.roles import discover_roles, TopicKind, TopicRole, with_fixed_masks
from st_memory.core.errors import ConfigError
from st_memory.ros.guard import guarded
from st_memory.ros.qos import (
    lacking_policy,
    latched_qos,
    overridable,
    QosWarnings,
    reliable_qos,
    UnsupportedEventTypeError,
)
from st_memory.ros.settings import MemoryNodeSettings

if TYPE_CHECKING:
    from rclpy.callback_groups import CallbackGroup
    from rclpy.lifecycle import LifecycleNode
    from rclpy.subscription import Subscription

    from st_memory.scene import LoadedScene

__all__ = ['MemorySubscriptions', 'latched_qos', 'message_class', 'reliable_qos']

_EVENT_KINDS = (TopicKind.MOVEMENTS, TopicKind.WORLD_DETECTIONS)
_ALWAYS = {
    '/tf': ('tf2_msgs/msg/TFMessage', TopicKind.TF),
    '/tf_static': ('tf2_msgs/msg/TFMessage', TopicKind.TF_STATIC),
    '/scene': ('visualization_msgs/msg/MarkerArray', TopicKind.SCENE),
}
_LATCHED = (
    TopicKind.TF_STATIC,
    TopicKind.SCENE,
    TopicKind.MESH,
    TopicKind.SELF_MASK_FIXED,
)
_JOINTS = ('/joint_states', 'sensor_msgs/msg/JointState')
_MESH_TYPE = 'shape_msgs/msg/Mesh'
_TF_DEPTH = 1000  # a second at a kilohertz; a lost transform costs a frame its pose


def message_class(type_name: str) -> Any | None:
    """Give the class of a type such as ``sensor_msgs/msg/Image``; None when not installed."""
    package, _, name = type_name.rpartition('/')
    try:
        return getattr(importlib.import_module(package.replace('/', '.')), name)
    except (ImportError, AttributeError):
        return None


class MemorySubscriptions:
    """
    Subscriptions of a memory: transforms and scene at once, the rest as publishers appear.

    Parameters
    ----------
    node : LifecycleNode
        Who subscribes.
    settings : MemoryNodeSettings
        Cameras and QoS.
    take : callable
        Called with the role and the message, on the executor's thread.
    report : callable
        Called with what ``take`` raises.
    group : CallbackGroup
        Group of the subscriptions.
    scene : LoadedScene, optional
        Its mesh topics are subscribed, and joint states when it has joints.

    Attributes
    ----------
    num_lost : Counter of TopicRole
        Messages that the middleware knows it has lost on the way.

    Raises
    ------
    ConfigError
        If a message package that is always needed is not installed.

    """

    def __init__(
        self,
        node: LifecycleNode,
        settings: MemoryNodeSettings,
        take: Callable[[TopicRole, Any], None],
        report: Callable[[Exception], None],
        group: CallbackGroup,
        scene: LoadedScene | None = None,
    ) -> None:
        self._node = node
        self._settings = settings
        self._take = take
        self._report = report
        self._group = group
        self._warnings = QosWarnings(node)
        self.num_lost: Counter[TopicRole] = Counter()
        self._subscriptions: dict[str, Subscription] = {}
        self._role_by_topic: dict[str, TopicRole] = {}
        self._unknown_types: set[str] = set()
        self._cameras: set[str] = set()
        self._has_joints = scene is not None and scene.scene.articulation is not None
        self._required: dict[str, TopicRole] = {}
        try:
            for topic, (type_name, kind) in _ALWAYS.items():
                self._require(topic, type_name, TopicRole(kind))
            for topic, part in scene.mesh_topics.items() if scene is not None else ():
                self._require(topic, _MESH_TYPE, TopicRole(TopicKind.MESH, part=part.name))
            if self._has_joints:
                self._require(*_JOINTS, TopicRole(TopicKind.JOINTS))
            self.discover()
        except BaseException:
            self.stop()  # who is refused hears nothing
            raise

    @property
    def roles(self) -> tuple[TopicRole, ...]:
        """Roles that somebody publishes."""
        return tuple(self._role_by_topic.values())

    @property
    def topic_by_role(self) -> dict[TopicRole, str]:
        """Topics that are subscribed, by what they are for."""
        both = {**self._required, **self._role_by_topic}
        return {role: topic for topic, role in both.items()}

    @property
    def cameras(self) -> frozenset[str]:
        """All cameras that somebody publishes, wanted or not."""
        return frozenset(self._cameras)

    def unheard(self) -> dict[str, str]:
        """Topics of which nothing arrives, with the policy that all publishers offer less of."""
        found = {}
        for topic, subscription in sorted(self._subscriptions.items()):
            asked = subscription.qos_profile
            offers = self._node.get_publishers_info_by_topic(topic)
            lacking = [lacking_policy(offer.qos_profile, asked) for offer in offers]
            if lacking and all(lacking):
                found[topic] = lacking[0]
        return found

    def discover(self) -> None:
        """Subscribe to topics that have found a publisher since the last time."""
        types = {
            topic: names[0]
            for topic, names in self._node.get_topic_names_and_types()
            if topic not in self._subscriptions and self._node.count_publishers(topic)
        }
        taken = set(self._role_by_topic.values())
        for topic, role in self._found_roles(types).items():
            is_new = role not in taken or role.kind is TopicKind.JOINTS
            if is_new and self._is_wanted(role):
                self._role_by_topic[topic] = role
                self._subscribe(topic, types[topic], role)

    def stop(self) -> None:
        """Take no more messages."""
        for subscription in self._subscriptions.values():
            self._node.destroy_subscription(subscription)
        self._subscriptions.clear()

    def _found_roles(self, types: dict[str, str]) -> dict[str, TopicRole]:
        """Say what topics are for; a mask that is latched is one for all images."""
        roles = discover_roles(types)
        latched = {
            topic
            for topic, role in roles.items()
            if role.kind is TopicKind.SELF_MASK
            and all(
                p.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
                for p in self._node.get_publishers_info_by_topic(topic)
            )
        }
        return with_fixed_masks(roles, latched)

    def _is_wanted(self, role: TopicRole) -> bool:
        self._cameras.update({role.camera_id} - {''})
        if role.kind in (TopicKind.TF, TopicKind.TF_STATIC, TopicKind.SCENE):
            return False
        if role.kind is TopicKind.JOINTS:
            return self._has_joints
        if role.kind is TopicKind.IMAGE and not self._settings.subscribe_images:
            return False
        cameras = self._settings.cameras
        return not (role.camera_id and cameras) or role.camera_id in cameras

    def _require(self, topic: str, type_name: str, role: TopicRole) -> None:
        """Subscribe to what cannot be done without."""
        if message_class(type_name) is None:
            raise ConfigError(
                f'{topic}: the package of {type_name} is not installed; run "make setup", or '
                f'install ros-$ROS_DISTRO-{type_name.partition("/")[0].replace("_", "-")}'
            )
        self._required[topic] = role
        self._subscribe(topic, type_name, role)

    def _subscribe(self, topic: str, type_name: str, role: TopicRole) -> None:
        kind = message_class(type_name)
        if kind is None:
            if type_name not in self._unknown_types:
                self._unknown_types.add(type_name)
                self._node.get_logger().warning(f'{topic}: {type_name} is not installed, left out')
            return
        lost = None if topic in self._required else partial(self._count_lost, role)
        try:
            self._subscriptions[topic] = self._create(kind, topic, role, lost)
        except UnsupportedEventTypeError:  # a middleware that does not count what it loses
            self._subscriptions[topic] = self._create(kind, topic, role, None)
        self._node.get_logger().info(f'subscribed to {topic} as {role.kind.value}')

    def _create(
        self, kind: Any, topic: str, role: TopicRole, lost: Callable[[int], None] | None
    ) -> Subscription:
        return self._node.create_subscription(
            kind,
            topic,
            guarded(partial(self._take, role), self._report),
            self._qos(topic, role),
            callback_group=self._group,
            event_callbacks=self._warnings.for_subscription(topic, lost),
            qos_overriding_options=overridable(),
        )

    def _count_lost(self, role: TopicRole, count: int) -> None:
        self.num_lost[role] += count

    def _qos(self, topic: str, role: TopicRole) -> QoSProfile:
        if role.kind in _LATCHED:
            return latched_qos(100)
        if role.kind is TopicKind.JOINTS:
            # Whatever is offered: between two positions a lost one is made up.
            return QoSProfile(depth=_TF_DEPTH, reliability=ReliabilityPolicy.BEST_EFFORT)
        if role.kind is TopicKind.TF:
            return reliable_qos(_TF_DEPTH)
        wanted = 'auto' if role.kind in _EVENT_KINDS else self._settings.reliability
        offered = self._node.get_publishers_info_by_topic(topic) if wanted == 'auto' else []
        is_reliable = wanted == 'reliable' or (
            wanted == 'auto'
            and all(p.qos_profile.reliability == ReliabilityPolicy.RELIABLE for p in offered)
        )
        return QoSProfile(
            depth=self._settings.queue_depth,
            reliability=(
                ReliabilityPolicy.RELIABLE if is_reliable else ReliabilityPolicy.BEST_EFFORT
            ),
        )
