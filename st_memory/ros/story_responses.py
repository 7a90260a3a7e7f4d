"""Answers about the history of things to responses: stays and changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from st_memory_interfaces.msg import Change as ChangeMsg

from st_memory.core.queries import Change, ItineraryAnswer
from st_memory.ros.frames import Frames
from st_memory.ros.messages import optional_time_message, placement_message, time_message
from st_memory.ros.responses import fitting_messages
from st_memory.ros.texts import clipped, MAX_ID_BYTES

__all__ = ['write_changes', 'write_itinerary']


def write_itinerary(
    response: Any, answer: ItineraryAnswer, frames: Frames, max_bytes: int
) -> None:
    """Write where an object has been; the newest stays that keep the response small."""
    if answer.object is None or answer.at is None:
        return
    response.object_id = clipped(answer.object.object_id, MAX_ID_BYTES)
    response.label = clipped(answer.object.label)
    response.first_seen = optional_time_message(answer.first_seen_ns)
    response.last_seen = optional_time_message(answer.last_seen_ns)
    response.last_visible = optional_time_message(answer.last_visible_ns)
    response.static_since = optional_time_message(answer.static_since_ns)
    response.num_moves = answer.num_moves
    response.total = answer.total
    now_ns, frame = answer.at.stamp_ns, frames.fixed_frame
    newest_first = (placement_message(row, now_ns, frame) for row in answer.placements[::-1])
    response.placements = fitting_messages(response, newest_first, max_bytes)[::-1]


def write_changes(response: Any, changes: Sequence[Change], total: int, max_bytes: int) -> None:
    """Write what changed, the earliest first."""
    response.total = total
    messages = (
        ChangeMsg(
            kind=change.kind,
            object_id=clipped(change.object_id, MAX_ID_BYTES),
            label=clipped(change.label),
            stamp=time_message(change.stamp_ns),
            from_fixture=clipped(change.from_fixture),
            to_fixture=clipped(change.to_fixture),
            text=clipped(change.text, MAX_ID_BYTES),
        )
        for change in changes
    )
    response.changes = fitting_messages(response, messages, max_bytes)
