"""
One end of an image stream, run as a process: ``publish COUNT`` or ``receive COUNT``.

The publisher sends as long as nobody told it to stop; the receiver ends with 0 after COUNT images.
"""

from __future__ import annotations

from array import array
import sys
import time

import rclpy
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import Image

SIDE_PX = 1408
PERIOD_S = 0.1
PATIENCE_S = 60.0


def publish() -> int:
    """Send numbered images until killed."""
    node = rclpy.create_node('image_publisher')
    publisher = node.create_publisher(Image, 'image', qos_profile_sensor_data)
    image = Image(height=SIDE_PX, width=SIDE_PX, encoding='rgb8', step=3 * SIDE_PX)
    image.data = array('B', bytes(range(256)) * (3 * SIDE_PX * SIDE_PX // 256))
    end_s = time.monotonic() + 2 * PATIENCE_S
    while time.monotonic() < end_s:
        if publisher.get_subscription_count():
            image.header.stamp.sec += 1
            publisher.publish(image)
        rclpy.spin_once(node, timeout_sec=PERIOD_S)
    return 1


def receive(count: int) -> int:
    """Take images until there are enough, and see that they are whole; print their numbers."""
    node = rclpy.create_node('image_receiver')
    numbers: list[int] = []

    def take(image: Image) -> None:
        if len(image.data) == 3 * SIDE_PX * SIDE_PX and image.data[-1] == 255:
            numbers.append(image.header.stamp.sec)

    node.create_subscription(Image, 'image', take, qos_profile_sensor_data)
    end_s = time.monotonic() + PATIENCE_S
    while len(numbers) < count and time.monotonic() < end_s:
        rclpy.spin_once(node, timeout_sec=0.1)
    print(*numbers)
    return 0 if len(numbers) == count else 1


if __name__ == '__main__':
    rclpy.init()
    sys.exit(publish() if sys.argv[1] == 'publish' else receive(int(sys.argv[2])))
