"""
A node that answers every question with the same response.

As fast as rclpy goes: no parameters, no log topic, a response made once. Runs on the executor
that it is put on, so that it can share one with what it is compared with.
"""

from __future__ import annotations

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, Vector3
from rclpy.node import Node
from st_memory_interfaces.msg import ObjectState, OptionalTime
from st_memory_interfaces.srv import LocateObject

__all__ = ['ConstantService']


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


class ConstantService(Node):
    """Answers on ``/constant/locate_object``."""

    def __init__(self) -> None:
        super().__init__('constant', start_parameter_services=False, enable_rosout=False)
        response = _response()
        self.create_service(LocateObject, '~/locate_object', lambda request, _: response)

    def start(self) -> None:
        """Do nothing: it answers as soon as it is spun."""

    def finish(self) -> None:
        """Do nothing: there is nothing to put in order."""
