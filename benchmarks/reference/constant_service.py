"""
A node that answers every question with the same response.

As fast as rclpy goes: no parameters, no log topic, a response made once.
"""

from __future__ import annotations

import sys

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, Vector3
import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from st_memory_interfaces.msg import ObjectState, OptionalTime
from st_memory_interfaces.srv import LocateObject

__all__ = ['main']


def _response() -> LocateObject.Response:
    """Give a response as long as a real one."""
    stamp = Time(sec=1_700_000_047, nanosec=600_000_000)
    known = OptionalTime(valid=True, stamp=stamp)
    return LocateObject.Response(
        sentence='The mug (mug_1) is on counter_1; last seen 12.4 s ago, out of view now.',
        evidence_ids=['obs/mug_1/head/1700000035.200000000'],
        as_of=stamp,
        object=ObjectState(
            object_id='mug_1',
            label='mug',
            frame='map',
            stamp=stamp,
            pose_valid=True,
            pose=Pose(position=Point(x=1.0, y=2.0, z=0.9)),
            size=Vector3(x=0.1, y=0.1, z=0.1),
            visibility=ObjectState.OUT_OF_VIEW,
            cause='outside_image',
            first_seen=known,
            last_seen=known,
            last_placed=known,
            fixture_id='counter_1',
            existence_probability=0.9,
        ),
    )


def main() -> int:
    """Answer on ``/constant/locate_object`` until the process is told to end."""
    rclpy.init()
    node = Node('constant', start_parameter_services=False, enable_rosout=False)
    response = _response()
    node.create_service(LocateObject, '~/locate_object', lambda request, _: response)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()
    return 0


if __name__ == '__main__':
    sys.exit(main())
