"""Stamps and frame names as messages carry them."""

from __future__ import annotations

from typing import Any

from st_memory.core.errors import ConversionError
from st_memory.core.stamps import NS_PER_S

__all__ = ['frame_name', 'header_stamp', 'optional_stamp', 'stamp_from_time']


def stamp_from_time(time: Any) -> int:
    """
    Give a ``builtin_interfaces/Time`` in nanoseconds.

    Raises
    ------
    ConversionError
        If the nanoseconds lie outside [0, 1e9).

    """
    nanosec = int(time.nanosec)
    if not 0 <= nanosec < NS_PER_S:
        raise ConversionError(f'stamp: expected 0 <= nanosec < 1e9, got {nanosec}')
    return int(time.sec) * NS_PER_S + nanosec


def optional_stamp(time: Any) -> int | None:
    """Give a time in nanoseconds; None when it is zero, which stands for "not set"."""
    return stamp_from_time(time) or None


def header_stamp(header: Any) -> int | None:
    """
    Give the stamp of a header in nanoseconds.

    Returns
    -------
    int or None
        None when the stamp is zero or negative: the sender had no clock yet, so the message
        cannot be placed in time.

    """
    stamp_ns = stamp_from_time(header.stamp)
    return stamp_ns if stamp_ns > 0 else None


def frame_name(name: str) -> str:
    """Strip the one leading '/' that ROS 1 senders put before frame names."""
    return name[1:] if name.startswith('/') else name
