"""Quality of service: profiles, overrides by parameter, and a word when two ends do not match."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from rclpy.qos import (
    DurabilityPolicy,
    qos_policy_name_from_kind,
    QoSPolicyKind,
    QoSProfile,
    ReliabilityPolicy,
)
from rclpy.qos_overriding_options import QoSOverridingOptions

from st_memory.core.errors import ConfigError

try:
    from rclpy.event_handler import (
        PublisherEventCallbacks,
        SubscriptionEventCallbacks,
        UnsupportedEventTypeError,
    )
except ImportError:  # its name up to Humble
    from rclpy.qos_event import (
        PublisherEventCallbacks,
        SubscriptionEventCallbacks,
        UnsupportedEventTypeError,
    )

if TYPE_CHECKING:
    from rclpy.node import Node

__all__ = [
    'QosWarnings',
    'UnsupportedEventTypeError',
    'check_overrides',
    'lacking_policy',
    'latched_qos',
    'overridable',
    'reliable_qos',
]

_PREFIX = 'qos_overrides.'
_CHOICES = {
    'reliability': ('reliable', 'best_effort'),
    'durability': ('volatile', 'transient_local'),
    'history': ('keep_last', 'keep_all'),
}
# What the weaker side of a mismatch has, and the other must be content with.
_LESSER = {'reliability': 'best_effort', 'durability': 'volatile'}
Callbacks = TypeVar('Callbacks', PublisherEventCallbacks, SubscriptionEventCallbacks)


def latched_qos(depth: int) -> QoSProfile:
    """Reliable, and late subscribers get the last ``depth`` messages."""
    return QoSProfile(
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
    )


def reliable_qos(depth: int) -> QoSProfile:
    """Reliable, from now on."""
    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.RELIABLE)


def overridable() -> QoSOverridingOptions:
    """Let parameters ``qos_overrides.<topic>.<subscription or publisher>.<policy>`` count."""
    return QoSOverridingOptions(
        (
            QoSPolicyKind.HISTORY,
            QoSPolicyKind.DEPTH,
            QoSPolicyKind.RELIABILITY,
            QoSPolicyKind.DURABILITY,
        )
    )


def check_overrides(node: Node) -> None:
    """
    Refuse values that no policy has, before a topic is made with them.

    Raises
    ------
    ConfigError
        Naming the parameter, what was expected and what was found.

    """
    for name, parameter in sorted(getattr(node, '_parameter_overrides', {}).items()):
        policy, value = name.rpartition('.')[2], parameter.value
        if not name.startswith(_PREFIX):
            continue
        choices = _CHOICES.get(policy)
        if choices and value not in choices:
            raise ConfigError(
                f'parameter {name}: expected one of {", ".join(choices)}, got {value!r}'
            )
        is_number = isinstance(value, int) and not isinstance(value, bool) and value >= 1
        if policy == 'depth' and not is_number:
            raise ConfigError(f'parameter {name}: expected a whole number >= 1, got {value!r}')


def lacking_policy(offered: QoSProfile, asked: QoSProfile) -> str:
    """Name the policy by which a publisher cannot serve a subscription; '' when it can."""
    is_reliable = offered.reliability != ReliabilityPolicy.BEST_EFFORT
    if not is_reliable and asked.reliability == ReliabilityPolicy.RELIABLE:
        return 'reliability'
    is_latched = offered.durability != DurabilityPolicy.VOLATILE
    if not is_latched and asked.durability == DurabilityPolicy.TRANSIENT_LOCAL:
        return 'durability'
    return ''


class QosWarnings:
    """
    One warning for each topic and policy by which it is not heard.

    Parameters
    ----------
    node : Node
        Whose log it is.

    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._warned: set[tuple[str, str, str]] = set()

    def for_subscription(
        self, topic: str, lost: Callable[[int], None] | None = None
    ) -> SubscriptionEventCallbacks:
        """
        Warn when a publisher of a topic offers less than is asked for.

        Parameters
        ----------
        topic : str
            Its name.
        lost : callable, optional
            Told how many more messages the middleware knows it has lost on the way.

        """
        return SubscriptionEventCallbacks(
            incompatible_qos=self._warn(
                topic, 'subscription', 'a publisher offers less {} than is asked for'
            ),
            message_lost=None
            if lost is None
            else lambda event: lost(int(event.total_count_change)),
            # Each event costs every turn of the executor: a type that is taken from the graph
            # fits, only where it is fixed is a wrong one to be warned of.
            use_default_callbacks=lost is None,
        )

    def for_publisher(self, topic: str) -> PublisherEventCallbacks:
        """Warn when a subscriber of a topic asks for more than is offered."""
        return PublisherEventCallbacks(
            incompatible_qos=self._warn(
                topic, 'publisher', 'a subscriber asks for more {} than is offered'
            )
        )

    def _warn(self, topic: str, side: str, what: str) -> Callable[..., None]:
        topic = self._node.resolve_topic_name(topic)

        def warn(event: object) -> None:
            kind = getattr(event, 'last_policy_kind', QoSPolicyKind.INVALID)
            policy = qos_policy_name_from_kind(kind).lower()
            if (topic, side, policy) in self._warned:
                return
            self._warned.add((topic, side, policy))
            lesser = _LESSER.get(policy, 'what it offers')
            switch = (
                f'set the parameter {_PREFIX}{topic}.subscription.{policy} to {lesser}'
                if side == 'subscription'
                else f'let it ask for {policy} {lesser}'
            )
            self._node.get_logger().warning(
                f'{topic}: {what.format(policy)}, so nothing arrives; {switch}'
            )

        return warn
