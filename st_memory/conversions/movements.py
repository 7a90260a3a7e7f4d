"""``st_memory_interfaces/EventArray`` to movement reports."""

from __future__ import annotations

from collections import Counter
from typing import Any

from st_memory.conversions.detections import is_one_line, MAX_ID, MAX_LABEL
from st_memory.conversions.stamps import optional_stamp
from st_memory.core.records import MovementReport

__all__ = ['movements_from_message']

_EVENT_TYPE = 'movement'


def movements_from_message(message: Any) -> tuple[tuple[MovementReport, ...], Counter[str]]:
    """
    Read the movements of a message.

    Parameters
    ----------
    message : st_memory_interfaces/EventArray
        Events of type ``movement`` with a role ``object``; ``end`` is zero while it lasts.

    Returns
    -------
    tuple of (tuple of MovementReport, Counter)
        In their order, and what was left out, counted by reason.

    """
    reports: list[MovementReport] = []
    dropped = Counter[str]()
    for event in message.events:
        roles = {tube.role: tube for tube in event.roles}
        start_ns = optional_stamp(event.start)
        end_ns = None if event.ongoing else optional_stamp(event.end)
        if event.event_type != _EVENT_TYPE:
            dropped['event_of_other_type'] += 1
        elif 'object' not in roles or not roles['object'].object_id:
            dropped['movement_without_object'] += 1
        elif len(roles['object'].object_id) > MAX_ID or len(roles['object'].label) > MAX_LABEL:
            dropped['movement_name_too_long'] += 1
        elif not (is_one_line(roles['object'].object_id) and is_one_line(roles['object'].label)):
            dropped['movement_name_with_control_character'] += 1
        elif start_ns is None:
            dropped['zero_stamp'] += 1
        elif end_ns is not None and end_ns < start_ns:
            dropped['movement_ends_before_it_starts'] += 1
        else:
            reports.append(
                MovementReport(
                    object_id=roles['object'].object_id,
                    label=roles['object'].label,
                    start_ns=start_ns,
                    end_ns=end_ns,
                    actor=roles['actor'].object_id if 'actor' in roles else '',
                    source=event.source or 'annotation',
                )
            )
    return tuple(reports), dropped
