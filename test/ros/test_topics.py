"""Subscriptions: what is found, with which QoS, and what is left alone."""

from __future__ import annotations

from typing import Any

import pytest

from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.ros.settings import MemoryNodeSettings

pytestmark = pytest.mark.ros

HEAD_INFO = TopicRole(TopicKind.CAMERA_INFO, 'head')


class Hearing:
    """Subscriptions of one node, and a publisher of another."""

    def __init__(self, graph: Any, **settings: Any) -> None:
        from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
        from rclpy.node import Node

        from st_memory.ros.topics import MemorySubscriptions

        self.graph = graph
        self.taken: list[TopicRole] = []
        self.robot = graph.add(Node('robot', context=graph.context))
        self.node = graph.add(Node('listener', context=graph.context))
        self.subscriptions = MemorySubscriptions(
            self.node,
            MemoryNodeSettings(**settings),
            lambda role, message: self.taken.append(role),
            lambda error: None,
            MutuallyExclusiveCallbackGroup(),
        )

    def offer(self, kind: Any, topic: str, *, reliable: bool) -> Any:
        """Make a publisher and wait until the node has found it."""
        from rclpy.qos import QoSProfile, ReliabilityPolicy

        policy = ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT
        publisher = self.robot.create_publisher(
            kind, topic, QoSProfile(depth=10, reliability=policy)
        )
        assert self.graph.spin_until(lambda: self.node.count_publishers(topic) > 0)
        self.subscriptions.discover()
        return publisher

    def hears(self, publisher: Any, message: Any) -> bool:
        """Whether a message arrives; it is sent once the two are matched."""

        def send_and_look() -> bool:
            publisher.publish(message)
            return bool(self.taken)

        return bool(self.graph.spin_until(send_and_look, timeout_s=10.0))


@pytest.mark.parametrize('reliable', [True, False])
@pytest.mark.parametrize('wanted', ['best_effort', 'auto'])
def test_camera_topic_is_heard_whatever_is_offered(
    graph: Any, wanted: str, reliable: bool
) -> None:
    from sensor_msgs.msg import CameraInfo

    hearing = Hearing(graph, reliability=wanted)
    publisher = hearing.offer(CameraInfo, '/head/camera_info', reliable=reliable)
    assert hearing.hears(publisher, CameraInfo())
    assert hearing.taken[0] == HEAD_INFO


def test_auto_reliability_is_reliable_where_every_publisher_is(graph: Any) -> None:
    from rclpy.qos import ReliabilityPolicy
    from sensor_msgs.msg import CameraInfo

    hearing = Hearing(graph, reliability='auto')
    hearing.offer(CameraInfo, '/head/camera_info', reliable=True)
    hearing.offer(CameraInfo, '/wrist/camera_info', reliable=False)
    found = {
        topic: hearing.node.get_subscriptions_info_by_topic(topic)[0].qos_profile.reliability
        for topic in ('/head/camera_info', '/wrist/camera_info')
    }
    assert found == {
        '/head/camera_info': ReliabilityPolicy.RELIABLE,
        '/wrist/camera_info': ReliabilityPolicy.BEST_EFFORT,
    }


def test_transforms_and_scene_are_subscribed_at_once(graph: Any) -> None:
    hearing = Hearing(graph)
    for topic in ('/tf', '/tf_static', '/scene'):
        assert hearing.node.count_subscribers(topic) == 1
    assert hearing.subscriptions.roles == ()


def test_images_are_left_alone_unless_wanted(graph: Any) -> None:
    from sensor_msgs.msg import CompressedImage

    topic = '/head/image/compressed'
    hearing = Hearing(graph)
    hearing.offer(CompressedImage, topic, reliable=True)
    assert hearing.node.count_subscribers(topic) == 0
    other = Hearing(graph, subscribe_images=True)
    other.offer(CompressedImage, topic, reliable=True)
    assert other.subscriptions.roles == (TopicRole(TopicKind.IMAGE, 'head'),)


def test_a_role_is_taken_from_one_topic_only(graph: Any) -> None:
    from sensor_msgs.msg import CompressedImage, Image

    hearing = Hearing(graph)
    hearing.offer(Image, '/head/depth/image', reliable=True)
    hearing.offer(CompressedImage, '/head/depth/compressedDepth', reliable=True)
    assert hearing.subscriptions.roles == (TopicRole(TopicKind.DEPTH, 'head'),)


def test_vision_msgs_detections_are_taken(graph: Any) -> None:
    vision_msgs = pytest.importorskip('vision_msgs.msg', reason='needs vision_msgs')
    hearing = Hearing(graph)
    publisher = hearing.offer(vision_msgs.Detection2DArray, '/head/detections', reliable=True)
    assert hearing.hears(publisher, vision_msgs.Detection2DArray())
    assert hearing.taken[0] == TopicRole(TopicKind.DETECTIONS, 'head')


def test_message_class_not_installed_is_none() -> None:
    pytest.importorskip('rclpy', reason='needs ROS 2')
    from st_memory.ros.topics import message_class

    assert message_class('no_such_msgs/msg/Thing') is None
    assert message_class('sensor_msgs/msg/NoSuchThing') is None
