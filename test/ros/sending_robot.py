"""A robot of one camera, whose every message a test can spoil."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ['SendingRobot', 'doctor_says']

S = 1_000_000_000
FIRST_NS = 1_700_000_000 * S
PERIOD_NS = 33_333_333
WIDTH, HEIGHT = 16, 12


class SendingRobot:
    """
    Publishes looks of the camera ``head`` at 30 Hz of stamps.

    Parameters
    ----------
    graph : Graph
        Where it lives.
    without : tuple of str
        What it does not publish: ``info``, ``depth``, ``detections``, ``tf``.

    """

    def __init__(self, graph: Any, without: tuple[str, ...] = ()) -> None:
        from rclpy.node import Node
        from sensor_msgs.msg import CameraInfo, Image
        from st_memory_interfaces.msg import DetectionArray
        from tf2_msgs.msg import TFMessage

        self.graph = graph
        self.node = graph.add(Node('robot', context=graph.context))
        self._num_sent = 0
        self._publishers = {
            name: self.node.create_publisher(kind, topic, 100)
            for name, kind, topic in (
                ('info', CameraInfo, '/head/camera_info'),
                ('depth', Image, '/head/depth/image'),
                ('detections', DetectionArray, '/head/detections'),
                ('tf', TFMessage, '/tf'),
            )
            if name not in without
        }

    def send(
        self,
        count: int,
        *,
        focal_px: float = 20.0,
        depth: Any = 1500,
        encoding: str = '16UC1',
        depth_late_ns: int = 0,
        tf_late_ns: int = 0,
        parent: str = 'map',
        child: str = 'head_optical',
    ) -> None:
        """Publish a number of looks; what is not said is as it should be."""
        for _ in range(count):
            stamp_ns = FIRST_NS + self._num_sent * PERIOD_NS
            self._num_sent += 1
            made = {
                'tf': _transform(stamp_ns + tf_late_ns, parent, child),
                'info': _info(stamp_ns, focal_px),
                'depth': _depth(stamp_ns + depth_late_ns, depth, encoding),
                'detections': _detections(stamp_ns),
            }
            for name, publisher in self._publishers.items():
                publisher.publish(made[name])

    def is_heard(self, memory: Any) -> bool:
        """Wait until the memory is subscribed to all that is published."""
        return bool(
            self.graph.spin_until(
                lambda: all(p.get_subscription_count() for p in self._publishers.values())
            )
        )


def doctor_says(
    graph: Any, robot: SendingRobot, code: str, send: Callable[[], None] = lambda: None
) -> Any:
    """Ask ``~/doctor`` until it finds something, sending meanwhile; gives the finding."""
    from st_memory_interfaces.srv import Doctor

    client = robot.node.create_client(Doctor, '/memory_node/doctor')
    found: dict[str, Any] = {}

    def is_found() -> bool:
        send()
        told = graph.call(client, Doctor.Request()).findings
        found.clear()
        found.update({f.code: f for f in told})
        return code in found

    assert graph.spin_until(is_found), sorted(found)
    return found[code]


def _stamp(stamp_ns: int) -> Any:
    from builtin_interfaces.msg import Time

    return Time(sec=stamp_ns // S, nanosec=stamp_ns % S)


def _transform(stamp_ns: int, parent: str, child: str) -> Any:
    from geometry_msgs.msg import TransformStamped
    from tf2_msgs.msg import TFMessage

    link = TransformStamped(child_frame_id=child)
    link.header.stamp, link.header.frame_id = _stamp(stamp_ns), parent
    return TFMessage(transforms=[link])


def _info(stamp_ns: int, focal_px: float) -> Any:
    from sensor_msgs.msg import CameraInfo

    info = CameraInfo(width=WIDTH, height=HEIGHT, distortion_model='plumb_bob')
    info.header.stamp, info.header.frame_id = _stamp(stamp_ns), 'head_optical'
    info.d = [0.0] * 5
    info.k = [focal_px, 0.0, WIDTH / 2, 0.0, focal_px, HEIGHT / 2, 0.0, 0.0, 1.0]
    return info


def _depth(stamp_ns: int, value: Any, encoding: str) -> Any:
    from sensor_msgs.msg import Image

    pixels = np.full((HEIGHT, WIDTH), value, np.float32 if encoding == '32FC1' else np.uint16)
    image = Image(width=WIDTH, height=HEIGHT, encoding=encoding, step=pixels.strides[0])
    image.header.stamp, image.header.frame_id = _stamp(stamp_ns), 'head_optical'
    image.data = pixels.tobytes()
    return image


def _detections(stamp_ns: int) -> Any:
    from st_memory_interfaces.msg import DetectionArray

    batch = DetectionArray()
    batch.header.stamp, batch.header.frame_id = _stamp(stamp_ns), 'head_optical'
    return batch
