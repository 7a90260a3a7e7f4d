"""Quality of service: what is asked for and offered, overrides, and a word on a mismatch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from st_memory.core.errors import ConfigError
from test.ros.node_makers import make_memory

pytestmark = pytest.mark.ros

DEPTH = '/head/depth/image'


class Log:
    """A node's warnings, as they are written."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from rclpy.impl.rcutils_logger import RcutilsLogger

        self.lines: list[str] = []
        monkeypatch.setattr(RcutilsLogger, 'warning', lambda _, text, **__: self._keep(text))

    def _keep(self, text: str) -> bool:
        self.lines.append(text)
        return True

    def about(self, topic: str) -> list[str]:
        return [line for line in self.lines if line.startswith(f'{topic}: ')]


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Log:
    """What is warned of."""
    pytest.importorskip('rclpy', reason='needs ROS 2')
    return Log(monkeypatch)


def _robot(graph: Any) -> Any:
    from rclpy.node import Node

    return graph.add(Node('robot', context=graph.context))


def _offer(robot: Any, kind: Any, topic: str, qos: Any) -> Any:
    """Publish without the middleware's own words on a mismatch."""
    from rclpy.event_handler import PublisherEventCallbacks

    silent = PublisherEventCallbacks(use_default_callbacks=False)
    return robot.create_publisher(kind, topic, qos, event_callbacks=silent)


def _best_effort(depth: int = 5) -> Any:
    from rclpy.qos import QoSProfile, ReliabilityPolicy

    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.BEST_EFFORT)


def _qos_of(node: Any, topic: str) -> Any:
    return next(s for s in node.subscriptions if s.topic_name == topic).qos_profile


def _await_subscription(graph: Any, node: Any, topic: str) -> Any:
    assert graph.spin_until(lambda: any(s.topic_name == topic for s in node.subscriptions))
    return _qos_of(node, topic)


def test_q1_sensors_are_best_effort_and_statics_latched(graph: Any, tmp_path: Path) -> None:
    from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
    from sensor_msgs.msg import Image

    memory = make_memory(graph, tmp_path / 'live.db', reliability='best_effort')
    _offer(_robot(graph), Image, DEPTH, 5)
    assert _await_subscription(graph, memory, DEPTH).reliability == ReliabilityPolicy.BEST_EFFORT
    assert _qos_of(memory, '/tf_static').durability == DurabilityPolicy.TRANSIENT_LOCAL
    assert _qos_of(memory, '/tf').reliability == ReliabilityPolicy.RELIABLE


def test_q1_reliable_subscription_of_a_best_effort_publisher_is_warned_of_once(
    graph: Any, tmp_path: Path, log: Log
) -> None:
    from sensor_msgs.msg import Image

    memory = make_memory(graph, tmp_path / 'live.db', reliability='reliable')
    robot = _robot(graph)
    _offer(robot, Image, DEPTH, _best_effort())
    assert graph.spin_until(lambda: bool(log.about(DEPTH)))
    (line,) = log.about(DEPTH)
    assert 'a publisher offers less reliability than is asked for, so nothing arrives' in line
    assert f'set the parameter qos_overrides.{DEPTH}.subscription.reliability to best_eff' in line
    assert memory.memory.inputs().unheard == {DEPTH: 'reliability'}

    _offer(robot, Image, DEPTH, _best_effort())
    assert graph.spin_until(lambda: memory.count_publishers(DEPTH) == 2)
    assert log.about(DEPTH) == [line]


def test_q1_volatile_static_transforms_are_warned_of_by_their_durability(
    graph: Any, tmp_path: Path, log: Log
) -> None:
    from tf2_msgs.msg import TFMessage

    make_memory(graph, tmp_path / 'live.db')
    _offer(_robot(graph), TFMessage, '/tf_static', 10)
    assert graph.spin_until(lambda: bool(log.about('/tf_static')))
    (line,) = log.about('/tf_static')
    assert 'offers less durability' in line
    assert 'qos_overrides./tf_static.subscription.durability to volatile' in line


def test_q1_subscriber_that_asks_for_more_than_is_told_is_warned_of(
    graph: Any, tmp_path: Path, log: Log
) -> None:
    from rclpy.event_handler import SubscriptionEventCallbacks
    from st_memory_interfaces.msg import VisibilityChange

    from st_memory.ros.qos import latched_qos

    topic = '/memory_node/visibility_changes'
    make_memory(graph, tmp_path / 'live.db')
    _robot(graph).create_subscription(
        VisibilityChange,
        topic,
        print,
        latched_qos(1),
        event_callbacks=SubscriptionEventCallbacks(use_default_callbacks=False),
    )
    assert graph.spin_until(lambda: bool(log.about(topic)))
    (line,) = log.about(topic)
    assert 'a subscriber asks for more durability than is offered' in line
    assert 'let it ask for durability volatile' in line


def test_q1_overrides_count_for_their_topic_alone(graph: Any, tmp_path: Path) -> None:
    from rclpy.qos import DurabilityPolicy, HistoryPolicy, ReliabilityPolicy
    from sensor_msgs.msg import Image

    other = '/wrist/depth/image'
    given = {
        f'qos_overrides.{DEPTH}.subscription.reliability': 'best_effort',
        f'qos_overrides.{DEPTH}.subscription.depth': 3,
        f'qos_overrides.{DEPTH}.subscription.history': 'keep_last',
        'qos_overrides./tf_static.subscription.durability': 'volatile',
        'qos_overrides./memory_node/objects.publisher.depth': 9,
    }
    memory = make_memory(graph, tmp_path / 'live.db', reliability='reliable', **given)
    robot = _robot(graph)
    for topic in (DEPTH, other):
        _offer(robot, Image, topic, 5)
        _await_subscription(graph, memory, topic)
    changed, left = _qos_of(memory, DEPTH), _qos_of(memory, other)
    assert changed.reliability == ReliabilityPolicy.BEST_EFFORT
    assert (changed.history, changed.depth) == (HistoryPolicy.KEEP_LAST, 3)
    assert (left.reliability, left.depth) == (ReliabilityPolicy.RELIABLE, 50)
    assert _qos_of(memory, '/tf_static').durability == DurabilityPolicy.VOLATILE
    assert memory.get_parameter('qos_overrides./memory_node/objects.publisher.depth').value == 9


def test_q1_override_mends_the_mismatch_that_it_is_named_for(
    graph: Any, tmp_path: Path, log: Log
) -> None:
    from sensor_msgs.msg import Image

    given = {f'qos_overrides.{DEPTH}.subscription.reliability': 'best_effort'}
    memory = make_memory(graph, tmp_path / 'live.db', reliability='reliable', **given)
    depth = _offer(_robot(graph), Image, DEPTH, _best_effort())
    _await_subscription(graph, memory, DEPTH)

    def send_and_look() -> bool:
        depth.publish(Image())
        return any(r.topic == DEPTH and r.num_messages for r in memory.memory.inputs().received)

    assert graph.spin_until(send_and_look)
    assert log.about(DEPTH) == []
    assert memory.memory.inputs().unheard == {}


@pytest.mark.parametrize(
    ('policy', 'value', 'expected'),
    [
        ('reliability', 'certain', 'expected one of reliable, best_effort, got'),
        ('durability', 'latched', 'expected one of volatile, transient_local, got'),
        ('history', 7, 'expected one of keep_last, keep_all, got 7'),
        ('depth', 0, 'expected a whole number >= 1, got 0'),
        ('depth', 'deep', "expected a whole number >= 1, got 'deep'"),
    ],
)
def test_q1_override_that_is_none_is_refused_with_one_line(
    graph: Any, tmp_path: Path, policy: str, value: Any, expected: str
) -> None:
    name = f'qos_overrides.{DEPTH}.subscription.{policy}'
    with pytest.raises(ConfigError) as refused:
        make_memory(graph, tmp_path / 'live.db', **{name: value})
    assert str(refused.value).startswith(f'parameter {name}: {expected}')


def test_q1_overrides_count_again_after_a_second_activation(graph: Any, tmp_path: Path) -> None:
    given = {'qos_overrides./tf.subscription.depth': 7}
    memory = make_memory(graph, tmp_path / 'live.db', **given)
    memory.trigger_deactivate()
    memory.trigger_activate()
    assert _qos_of(memory, '/tf').depth == 7


def test_lacking_policy_names_what_the_publisher_does_not_offer() -> None:
    pytest.importorskip('rclpy', reason='needs ROS 2')
    from st_memory.ros.qos import lacking_policy, latched_qos, reliable_qos

    assert lacking_policy(reliable_qos(1), _best_effort()) == ''
    assert lacking_policy(latched_qos(1), latched_qos(5)) == ''
    assert lacking_policy(_best_effort(), reliable_qos(1)) == 'reliability'
    assert lacking_policy(reliable_qos(1), latched_qos(1)) == 'durability'


def test_q11_losses_that_the_middleware_tells_are_counted_by_topic(
    graph: Any, tmp_path: Path
) -> None:
    from types import SimpleNamespace

    from sensor_msgs.msg import Image

    from st_memory.conversions.roles import TopicKind, TopicRole

    memory = make_memory(graph, tmp_path / 'live.db')
    _offer(_robot(graph), Image, DEPTH, 5)
    _await_subscription(graph, memory, DEPTH)
    subscription = next(s for s in memory.subscriptions if s.topic_name == DEPTH)
    lost = next(h for h in subscription.event_handlers if 'MESSAGE_LOST' in str(h.event_type))
    for _ in range(2):
        lost.callback(SimpleNamespace(total_count=0, total_count_change=3))
    role = TopicRole(TopicKind.DEPTH, 'head')
    assert memory.active._subscriptions.num_lost == {role: 6}
    assert {r.num_lost for r in memory.memory.inputs().received if r.topic == DEPTH} == {6}


def test_q11_middleware_that_counts_no_losses_is_heard_all_the_same(
    graph: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rclpy.event_handler import SubscriptionEventCallbacks, UnsupportedEventTypeError

    create = SubscriptionEventCallbacks.create_event_handlers

    def refuse(self: Any, *arguments: Any) -> Any:
        if self.message_lost is not None:
            raise UnsupportedEventTypeError('message_lost')
        return create(self, *arguments)

    monkeypatch.setattr(SubscriptionEventCallbacks, 'create_event_handlers', refuse)
    memory = make_memory(graph, tmp_path / 'live.db')
    assert _qos_of(memory, '/tf').depth == 1000


def test_c1_events_are_found_by_the_name_that_humble_has(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip('rclpy', reason='needs ROS 2')
    import importlib.util
    import sys

    from rclpy import event_handler

    from st_memory.ros import qos

    monkeypatch.setitem(sys.modules, 'rclpy.event_handler', None)
    monkeypatch.setitem(sys.modules, 'rclpy.qos_event', event_handler)
    spec = importlib.util.spec_from_file_location('qos_on_humble', str(qos.__file__))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.UnsupportedEventTypeError is event_handler.UnsupportedEventTypeError
