"""Answers of the core to responses of the services."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from geometry_msgs.msg import Pose, PoseStamped
import numpy as np
from rclpy.serialization import serialize_message
from std_msgs.msg import Header

from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import Answer, StayChances
from st_memory.core.records import ObjectState
from st_memory.core.stamps import Moment
from st_memory.ros.messages import ObjectMessages, pose_message, time_message
from st_memory.ros.texts import clipped, fitting_texts

__all__ = [
    'ObjectWriter',
    'add_objects',
    'fitting_messages',
    'shorten',
    'write_common',
]

_MAX_TEXT = 400
# What is left of a sentence where the names in the answer fill it.
_SHORT_TEXT = 120
# An object with the longest names, and texts so short, fit into so many bytes.
_SHORT_TEXTS, _ROOM_FOR_ALL = 300, 1900


def write_common(response: Any, answer: Answer, reader: MemoryReader) -> None:
    """Write what every response has."""
    response.status = int(answer.status)
    response.reason = clipped(answer.reason, _MAX_TEXT)
    response.sentence = clipped(answer.sentence, _MAX_TEXT)
    response.evidence_ids = fitting_texts(answer.evidence_ids, _MAX_TEXT)
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
    chances : StayChances, optional
        How likely things still are where they were; None: nothing is estimated.

    """

    def __init__(
        self,
        messages: ObjectMessages,
        frame: str,
        frame_T_fixed: RigidTransform | None,
        chances: StayChances | None = None,
    ) -> None:
        self._messages = messages
        self.frame = frame
        self._frame_T_fixed = frame_T_fixed
        self._chances = chances

    def give(self, state: ObjectState, at_ns: int, chance: float | None = None) -> Any:
        """Give the message of an object as of a time, with a chance that is known already."""
        if chance is None and self._chances is not None:
            chance = self._chances.of(state)
        message = self._messages.give(state, at_ns, chance)
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


def shorten(response: Any, max_bytes: int) -> None:
    """Cut texts that can be done without from a response that is too large all the same."""
    if max_bytes >= _ROOM_FOR_ALL and _text_bytes(response) <= _SHORT_TEXTS:
        return  # whatever names are in it; not to be measured at every question
    if len(serialize_message(response)) <= max_bytes:
        return
    response.reason = clipped(response.reason, _SHORT_TEXT)
    response.sentence = clipped(response.sentence, _SHORT_TEXT)
    response.evidence_ids = response.evidence_ids[:1]


def _text_bytes(response: Any) -> int:
    texts = (response.reason, response.sentence, *response.evidence_ids)
    return sum(len(text.encode('utf-8')) for text in texts)


def _pose_in(
    frame_T_fixed: RigidTransform, world_p: Sequence[float], quat_xyzw: Sequence[float]
) -> Pose:
    frame_T_box = frame_T_fixed @ RigidTransform(np.array(world_p), np.array(quat_xyzw))
    return pose_message(frame_T_box.translation.tolist(), frame_T_box.quat_xyzw.tolist())


def _as_of_ns(reader: MemoryReader, at: Moment | None) -> int:
    """Stamp of the newest frame that an answer used, the time asked about without one."""
    now = reader.now()
    if at is None or now is None:
        return 0
    if at >= now:
        return now.stamp_ns
    newest = reader.latest_moment(at)
    return at.stamp_ns if newest is None else newest.stamp_ns
