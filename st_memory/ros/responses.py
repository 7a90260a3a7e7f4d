"""Answers of the core to responses of the services."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import math
from typing import Any

from geometry_msgs.msg import Pose, PoseStamped, Vector3
import numpy as np
from rclpy.serialization import serialize_message
from std_msgs.msg import Header

from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import Answer, RelativePoseAnswer, VisibilityAnswer, WhenAnswer
from st_memory.core.queries.history import intervals_of, state_then
from st_memory.core.queries.references import BASE
from st_memory.core.records import BASE_LOOK, ObjectState, Visibility
from st_memory.core.stamps import Moment
from st_memory.ros.frames import Frames
from st_memory.ros.messages import (
    duration_message,
    hidden_for_ns,
    interval_message,
    ObjectMessages,
    optional_time_message,
    placement_message,
    pose_message,
    time_message,
)

__all__ = [
    'ObjectWriter',
    'add_objects',
    'fitting_messages',
    'write_common',
    'write_last_placed',
    'write_last_visible',
    'write_relative',
    'write_timeline',
    'write_visibility',
]

_MAX_TEXT = 400
_EYE_LEVEL_RAD = math.radians(5.0)


def write_common(response: Any, answer: Answer, reader: MemoryReader) -> None:
    """Write what every response has."""
    response.status = int(answer.status)
    response.reason = _clipped(answer.reason)
    response.sentence = _clipped(answer.sentence)
    response.evidence_ids = list(answer.evidence_ids)
    response.as_of = time_message(_as_of_ns(reader, answer.at))


class ObjectWriter:
    """
    Objects as messages in the frame that was asked for.

    Parameters
    ----------
    messages : ObjectMessages
        Messages in the fixed frame.
    frame : str
        Name of the wanted frame.
    frame_T_fixed : RigidTransform, optional
        None when that is the fixed frame.

    """

    def __init__(
        self, messages: ObjectMessages, frame: str, frame_T_fixed: RigidTransform | None
    ) -> None:
        self._messages = messages
        self.frame = frame
        self._frame_T_fixed = frame_T_fixed

    def give(self, state: ObjectState, at_ns: int) -> Any:
        """Give the message of an object as of a time."""
        message = self._messages.give(state, at_ns)
        if self._frame_T_fixed is None or state.world_p is None:
            return message
        moved = type(message)(
            **{name: getattr(message, name) for name in message.get_fields_and_field_types()}
        )
        moved.frame = self.frame
        moved.pose = _pose_in(self._frame_T_fixed, state.world_p, state.quat_xyzw)
        return moved

    def pose(
        self, world_p: Sequence[float], quat_xyzw: Sequence[float], at_ns: int
    ) -> PoseStamped:
        """Give a pose of the fixed frame in the wanted one."""
        given = pose_message(world_p, quat_xyzw)
        if self._frame_T_fixed is not None:
            given = _pose_in(self._frame_T_fixed, world_p, quat_xyzw)
        return PoseStamped(
            header=Header(stamp=time_message(at_ns), frame_id=self.frame), pose=given
        )


def add_objects(
    response: Any,
    field: str,
    states: Sequence[ObjectState],
    at_ns: int,
    writer: ObjectWriter,
    max_bytes: int,
) -> int:
    """Append objects to a field as long as the response stays small; gives how many fitted."""
    if not states:
        return 0
    fitting = fitting_messages(response, (writer.give(s, at_ns) for s in states), max_bytes)
    setattr(response, field, fitting)
    return len(fitting)


def fitting_messages(response: Any, messages: Iterable[Any], max_bytes: int) -> list[Any]:
    """Give the first messages that a response has room for."""
    used = len(serialize_message(response))
    fitting = []
    for message in messages:
        used += len(serialize_message(message))
        if used > max_bytes:
            break
        fitting.append(message)
    return fitting


def write_visibility(response: Any, answer: VisibilityAnswer, frames: Frames) -> None:
    """Write whether an object can be seen."""
    if answer.object is None:
        return
    current = max(answer.intervals, key=lambda i: i.start_ns, default=None)
    response.object_id = answer.object.object_id
    response.label = answer.object.label
    response.camera = frames.optical(current.camera_id) if current is not None else ''
    response.visibility = int(answer.state)
    response.cause = '' if answer.state is Visibility.VISIBLE else answer.cause
    response.occluder_id = answer.occluder_id
    response.confirmed = answer.confirmed_fraction > 0.0
    response.confirmed_share = answer.confirmed_fraction
    response.since = optional_time_message(answer.since_ns)
    if answer.at is not None:
        hidden_ns = hidden_for_ns(answer.object, answer.at.stamp_ns)
        response.out_of_sight_for = duration_message(hidden_ns)


def write_timeline(
    response: Any, answer: VisibilityAnswer, frames: Frames, max_bytes: int
) -> None:
    """Write how the visibility has been; the newest intervals that keep the response small."""
    if answer.object is None:
        return
    response.object_id = answer.object.object_id
    response.label = answer.object.label
    response.total = answer.total
    newest_first = (
        interval_message(r, frames.optical(r.camera_id)) for r in answer.intervals[::-1]
    )
    response.intervals = fitting_messages(response, newest_first, max_bytes)[::-1]


def write_last_visible(
    response: Any, answer: WhenAnswer, camera_id: str, reader: MemoryReader, frames: Frames
) -> None:
    """Write when an object was last visible, and where it was then."""
    if answer.object is None:
        return
    _write_when(response, answer)
    if answer.stamp_ns is None or answer.at is None:
        return
    for row in intervals_of(reader, answer.object, answer.at, camera_id):
        if (
            row.state is Visibility.VISIBLE
            and row.start_ns <= answer.stamp_ns <= row.last_frame_ns
        ):
            response.interval = interval_message(row, frames.optical(row.camera_id))
    then = Moment(answer.at.epoch, answer.stamp_ns)
    state = state_then(reader, answer.object, answer.at, then)
    if state is not None and state.world_p is not None:
        response.pose_valid = True
        response.pose = PoseStamped(
            header=Header(stamp=time_message(answer.stamp_ns), frame_id=frames.fixed_frame),
            pose=pose_message(state.world_p, state.quat_xyzw),
        )


def write_last_placed(
    response: Any, answer: WhenAnswer, reader: MemoryReader, frames: Frames
) -> None:
    """Write when an object was last put down, and where."""
    if answer.object is None:
        return
    _write_when(response, answer)
    response.num_moves = answer.object.num_moves
    if answer.stamp_ns is None or answer.at is None:
        return
    rows = reader.placements(answer.object.object_id, answer.at)
    begun = [row for row in rows if row.start_ns <= answer.stamp_ns]
    if begun:
        response.placement = placement_message(begun[-1], answer.at.stamp_ns, frames.fixed_frame)


def write_relative(
    response: Any, answer: RelativePoseAnswer, reader: MemoryReader, frames: Frames
) -> None:
    """Write which way and how far an object is."""
    if answer.object is None:
        return
    response.object_id = answer.object.object_id
    response.label = answer.object.label
    if answer.distance_m is not None:
        response.distance_m = answer.distance_m
        response.distance_class = answer.distance_class
    if answer.vector is None or answer.distance_m is None:
        return
    x, y, z = answer.vector
    is_base = answer.frame == BASE
    right, down, ahead = (-y, -z, x) if is_base else answer.vector
    camera_id = BASE_LOOK if is_base else answer.frame.partition(':')[2]
    look = reader.look_at(camera_id, answer.at)
    response.header = Header(
        frame_id=frames.base_frame if is_base else frames.optical(camera_id),
        stamp=time_message(look.stamp_ns if look is not None else None),
    )
    response.vector = Vector3(x=x, y=y, z=z)
    response.azimuth_rad = math.atan2(-right, ahead)
    response.elevation_rad = math.atan2(-down, math.hypot(right, ahead))
    response.direction = answer.direction
    response.relation = _relation(answer, response.elevation_rad)


def _relation(answer: RelativePoseAnswer, elevation_rad: float) -> str:
    """Say direction and height in a few words, as seen from a camera or from another object."""
    level = (
        'level with'
        if abs(elevation_rad) < _EYE_LEVEL_RAD
        else ('above' if elevation_rad > 0 else 'below')
    )
    whom = 'the camera' if answer.reference.startswith('camera') else answer.reference
    return ', '.join(filter(None, (answer.direction, f'{level} {whom}')))


def _write_when(response: Any, answer: WhenAnswer) -> None:
    if answer.object is not None:
        response.object_id = answer.object.object_id
        response.label = answer.object.label
    response.stamp = optional_time_message(answer.stamp_ns)
    response.ago = duration_message(max(0, answer.ago_ns or 0))


def _pose_in(
    frame_T_fixed: RigidTransform, world_p: Sequence[float], quat_xyzw: Sequence[float]
) -> Pose:
    frame_T_box = frame_T_fixed @ RigidTransform(np.array(world_p), np.array(quat_xyzw))
    return pose_message(frame_T_box.translation.tolist(), frame_T_box.quat_xyzw.tolist())


def _as_of_ns(reader: MemoryReader, at: Moment | None) -> int:
    """Stamp of the newest frame that an answer used, as far as cameras tell."""
    now = reader.now()
    if at is None or now is None:
        return 0
    if at >= now:
        return now.stamp_ns
    look = reader.look_at(None, at)
    return look.stamp_ns if look is not None else at.stamp_ns


def _clipped(text: str) -> str:
    """Give a text that fits an answer, whatever script it is in."""
    encoded = text.encode('utf-8', errors='replace')
    if len(encoded) <= _MAX_TEXT:
        return encoded.decode('utf-8')
    return encoded[: _MAX_TEXT - 3].decode('utf-8', errors='ignore') + '…'
