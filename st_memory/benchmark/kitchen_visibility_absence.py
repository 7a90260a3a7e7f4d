"""Tombstones of one block of kitchens: wrong ones, right ones, and those that are owed."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from st_memory.benchmark.kitchen_visibility_rows import Look, MIN_PX
from st_memory.core.records import Visibility
from st_memory.core.stamps import NS_PER_S
from st_memory.core.visibility import preset_named

__all__ = ['false_absences', 'true_absences']

_ABSENT = Visibility.ABSENT.name
_VISIBLE = Visibility.VISIBLE.name
_SAME_PLACE_M = 0.25
_MIN_LOOKS = 20
_MIN_SPAN_NS = 3 * NS_PER_S
# Below it a detector may miss what is there: such a look shows nothing.
_MIN_PIXEL_SIZE = preset_named('live').min_pixel_size


def false_absences(looks: list[Look]) -> dict[str, Any]:
    """Count rows that call something absent which is there, or is elsewhere."""
    seen = near = wrong = elsewhere = 0
    for look in looks:
        if look.said is None or look.said.state != _ABSENT or not look.truth.present:
            continue
        is_seen = look.truth.visible_px >= MIN_PX
        is_near = look.gap_m <= _SAME_PLACE_M
        seen += is_seen
        near += is_near
        wrong += is_seen or is_near
        elsewhere += not (is_seen or is_near)
    return {
        'false_absent': {'contradicted_by_pixels': seen, 'at_its_place': near, 'total': wrong},
        'absent_but_elsewhere': elsewhere,
    }


def true_absences(looks: list[Look]) -> dict[str, int | float | None]:
    """Count the objects that are gone for good and should be, and are, known to be."""
    gone: dict[str, list[Look]] = defaultdict(list)
    for look in looks:
        if not look.truth.present:
            gone[look.truth.object_id].append(look)
    known = [[look for look in some if look.said is not None] for some in gone.values()]
    owed = [some for some in known if _is_proven(some)]
    found = sum(_last_state(some) == _ABSENT for some in owed)
    return {
        'found': found,
        'total': len(owed),
        'share': found / len(owed) if owed else None,
        'removed': len(known),
        'never_known': sum(not some for some in known),
    }


def _is_proven(looks: list[Look]) -> bool:
    """Whether its place has been looked at often and long enough since it went."""
    stamps = [
        truth.stamp_ns
        for truth, said in looks
        if said is not None
        and (said.geometry == _VISIBLE or said.state == _ABSENT)
        and said.pixel_size >= _MIN_PIXEL_SIZE
    ]
    return len(stamps) >= _MIN_LOOKS and max(stamps) - min(stamps) >= _MIN_SPAN_NS


def _last_state(looks: list[Look]) -> str:
    _, said = max(looks, key=lambda look: look.truth.stamp_ns)
    return '' if said is None else said.state
