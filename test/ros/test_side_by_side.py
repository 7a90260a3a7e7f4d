"""Namespaces, other names, several memories, and domains that do not hear each other."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from st_memory.storage import SqliteMemoryStore
from test.ros.cup_recording import write_cup_recording
from test.ros.node_makers import make_replay, parameters

pytestmark = pytest.mark.ros


def _memory(graph: Any, database: Path, *remaps: str, **values: Any) -> Any:
    """Add an active memory with rules as on a command line."""
    from st_memory.ros.memory_node import MemoryNode

    given = {'discovery_period_s': 0.1, 'reliability': 'reliable', 'release': 'deadline', **values}
    rules = [word for rule in remaps for word in ('-r', rule)]
    node = MemoryNode(
        context=graph.context,
        cli_args=['--ros-args', *rules] if rules else [],
        parameter_overrides=parameters(database=str(database), **given),
    )
    graph.add(node)
    node.start()
    return node


def test_namespace_and_name_count_for_topics_and_services(graph: Any, tmp_path: Path) -> None:
    node = _memory(graph, tmp_path / 'live.db', '__ns:=/robot1', '__node:=mem')
    assert node.get_fully_qualified_name() == '/robot1/mem'
    services = {service.service_name for service in node.services}
    topics = {publisher.topic_name for publisher in node.publishers}
    assert {'/robot1/mem/locate_object', '/robot1/mem/doctor'} <= services
    assert {'/robot1/mem/objects', '/robot1/mem/processed', '/diagnostics'} <= topics
    assert {'/tf', '/tf_static'} <= {s.topic_name for s in node.subscriptions}


def test_remapped_transforms_and_service_are_where_they_were_put(
    graph: Any, tmp_path: Path
) -> None:
    from geometry_msgs.msg import TransformStamped
    from rclpy.node import Node
    from st_memory_interfaces.srv import LocateObject
    from tf2_msgs.msg import TFMessage

    node = _memory(
        graph, tmp_path / 'live.db', '/tf:=/robot1/tf', '~/locate_object:=/where', '__ns:=/robot1'
    )
    robot = graph.add(Node('robot', context=graph.context))
    publisher = robot.create_publisher(TFMessage, '/robot1/tf', 10)
    link = TransformStamped(child_frame_id='base_link')
    link.header.frame_id = 'map'

    def heard() -> bool:
        publisher.publish(TFMessage(transforms=[link]))
        return bool(node.memory.inputs().links)

    assert graph.spin_until(heard)
    assert node.memory.inputs().unheard == {}
    client = robot.create_client(LocateObject, '/where')
    assert graph.call(client, LocateObject.Request(label='cup')).sentence


def test_two_memories_of_one_process_keep_apart(graph: Any, tmp_path: Path) -> None:
    bag = write_cup_recording(tmp_path / 'cup.mcap')
    left = _memory(graph, tmp_path / 'left.db', '__ns:=/left')
    right = _memory(graph, tmp_path / 'right.db', '__ns:=/right', cameras=['wrist'])
    player = make_replay(graph, bag, consumer='left/memory_node')
    assert graph.spin_until(lambda: player.is_done)
    left.finish()
    right.finish()
    names = {}
    for side in ('left', 'right'):
        with SqliteMemoryStore.open(tmp_path / f'{side}.db', read_only=True) as store:
            names[side] = {s.object_id for s in store.objects_at()}
    assert 'cup_1' in names['left']
    assert names['right'] == {'bowl_a'}


def test_domains_do_not_hear_each_other(graph: Any) -> None:
    import rclpy
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.node import Node
    from std_msgs.msg import String

    here = int(os.environ['ROS_DOMAIN_ID'])
    topic = f'/told_{os.getpid()}'  # another test process may be in that domain
    elsewhere = rclpy.Context()
    rclpy.init(context=elsewhere, domain_id=1 + (here + 50) % 100)
    executor = SingleThreadedExecutor(context=elsewhere)
    stranger = Node('stranger', context=elsewhere)
    executor.add_node(stranger)
    try:
        stranger.create_subscription(String, topic, print, 10)
        speaker = graph.add(Node('speaker', context=graph.context))
        friend = graph.add(Node('friend', context=graph.context))
        publisher = speaker.create_publisher(String, topic, 10)
        friend.create_subscription(String, topic, print, 10)
        assert graph.spin_until(lambda: publisher.get_subscription_count() == 1)
        executor.spin_once(timeout_sec=0.2)
        assert stranger.count_publishers(topic) == 0
        assert friend.count_subscribers(topic) == 1
    finally:
        executor.shutdown()
        stranger.destroy_node()
        rclpy.try_shutdown(context=elsewhere)


def test_tests_are_in_a_domain_of_their_own_on_this_machine_alone() -> None:
    assert 1 <= int(os.environ['ROS_DOMAIN_ID']) <= 100
    assert os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'LOCALHOST'
