"""Points and times as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from st_memory.core.stamps import stamp_to_sec_nanosec

__all__ = ['optional_time', 'time_fields', 'xyz']

Fields = dict[str, Any]


def xyz(point: Sequence[float]) -> Fields:
    """Give a point the fields of a message."""
    return {'x': point[0], 'y': point[1], 'z': point[2]}


def time_fields(stamp_ns: int) -> Fields:
    """Give a stamp the fields of ``builtin_interfaces/Time``."""
    sec, nanosec = stamp_to_sec_nanosec(stamp_ns)
    return {'sec': sec, 'nanosec': nanosec}


def optional_time(stamp_ns: int | None) -> Fields:
    """Give a stamp that may not exist the fields of ``OptionalTime``."""
    return {'valid': stamp_ns is not None, 'stamp': time_fields(stamp_ns or 0)}
