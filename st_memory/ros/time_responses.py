"""Answers about sight and time to responses."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import PoseStamped
from std_msgs.msg import Header

from st_memory.core.ports import MemoryReader
from st_memory.core.queries import VisibilityAnswer, WhenAnswer
from st_memory.core.queries.history import intervals_of, placements_of, state_then
from st_memory.core.records import Visibility
from st_memory.core.stamps import Moment
from st_memory.ros.frames import Frames
from st_memory.ros.messages import (
    duration_message,
    hidden_for_ns,
    interval_message,
    optional_time_message,
    placement_message,
    pose_message,
    time_message,
)
from st_memory.ros.responses import fitting_messages
from st_memory.ros.texts import clipped, MAX_ID_BYTES

__all__ = ['write_last_placed', 'write_last_visible', 'write_timeline', 'write_visibility']


def write_visibility(response: Any, answer: VisibilityAnswer, frames: Frames) -> None:
    """Write whether an object can be seen."""
    if answer.object is None:
        return
    current = max(answer.intervals, key=lambda i: i.start_ns, default=None)
    response.object_id = clipped(answer.object.object_id, MAX_ID_BYTES)
    response.label = clipped(answer.object.label)
    response.camera = '' if current is None else clipped(frames.optical(current.camera_id))
    response.visibility = int(answer.state)
    response.cause = '' if answer.state is Visibility.VISIBLE else clipped(answer.cause)
    response.occluder_id = clipped(answer.occluder_id)
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
    response.object_id = clipped(answer.object.object_id, MAX_ID_BYTES)
    response.label = clipped(answer.object.label)
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
    rows = placements_of(reader, answer.object, answer.at)
    begun = [row for row in rows if row.start_ns <= answer.stamp_ns]
    if begun:
        response.placement = placement_message(begun[-1], answer.at.stamp_ns, frames.fixed_frame)


def _write_when(response: Any, answer: WhenAnswer) -> None:
    if answer.object is not None:
        response.object_id = clipped(answer.object.object_id, MAX_ID_BYTES)
        response.label = clipped(answer.object.label)
    response.stamp = optional_time_message(answer.stamp_ns)
    response.ago = duration_message(max(0, answer.ago_ns or 0))
