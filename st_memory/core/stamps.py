"""Stamps, moments and half-open intervals: int64 nanoseconds everywhere inside."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone

__all__ = [
    'NS_PER_S',
    'Interval',
    'Moment',
    'seconds_from_stamp',
    'stamp_from_sec_nanosec',
    'stamp_from_seconds',
    'stamp_to_sec_nanosec',
]

NS_PER_S = 1_000_000_000

# September 2001: a clock that counts from its own start does not get there.
_FIRST_DATE_NS = 10**18


def stamp_from_sec_nanosec(sec: int, nanosec: int) -> int:
    """
    Join the two integers of ``builtin_interfaces/Time`` into one stamp.

    Parameters
    ----------
    sec, nanosec : int
        Whole seconds and the rest; ``nanosec`` lies in [0, 1e9).

    Returns
    -------
    int
        Nanoseconds.

    Raises
    ------
    ValueError
        If ``nanosec`` is outside [0, 1e9).

    """
    if not 0 <= nanosec < NS_PER_S:
        raise ValueError(f'nanosec: expected 0 <= nanosec < 1e9, got {nanosec}')
    return int(sec) * NS_PER_S + int(nanosec)


def stamp_to_sec_nanosec(stamp_ns: int) -> tuple[int, int]:
    """Split a stamp into whole seconds (rounded down) and nanoseconds in [0, 1e9)."""
    return divmod(int(stamp_ns), NS_PER_S)


def stamp_from_seconds(seconds: float) -> int:
    """Round a time in seconds to the nearest nanosecond."""
    whole = int(seconds // 1)
    return whole * NS_PER_S + round((seconds - whole) * NS_PER_S)


def seconds_from_stamp(stamp_ns: int) -> float:
    """Give a stamp or duration in seconds, for people and for formats that want a float."""
    return stamp_ns / NS_PER_S


@dataclass(frozen=True, order=True)
class Moment:
    """
    A stamp within an epoch; ordered by epoch first.

    A backward clock jump (bag loop, simulator reset) or a new map origin opens a new epoch, so a
    stamp alone does not say when something happened.
    """

    epoch: int
    stamp_ns: int

    def __str__(self) -> str:
        """Give it as people read it: a date where the clock is one, else seconds."""
        seconds, rest = divmod(abs(self.stamp_ns), NS_PER_S)
        exact = f'{rest:09d}'.rstrip('0').ljust(3, '0')
        if self.stamp_ns < _FIRST_DATE_NS:
            sign = '-' if self.stamp_ns < 0 else ''
            return f'epoch {self.epoch}, {sign}{seconds}.{exact} s'
        date = datetime.fromtimestamp(seconds, timezone.utc)
        return f'epoch {self.epoch}, {date:%Y-%m-%d %H:%M:%S}.{exact} UTC'


@dataclass(frozen=True, order=True)
class Interval:
    """A half-open interval ``[start_ns, end_ns)``."""

    start_ns: int
    end_ns: int

    def __post_init__(self) -> None:
        if self.end_ns < self.start_ns:
            raise ValueError(
                f'Interval: expected start_ns <= end_ns, got [{self.start_ns}, {self.end_ns})'
            )

    @property
    def duration_ns(self) -> int:
        """Length in nanoseconds."""
        return self.end_ns - self.start_ns

    def contains(self, stamp_ns: int) -> bool:
        """Whether the stamp lies inside; the end does not."""
        return self.start_ns <= stamp_ns < self.end_ns

    def overlaps(self, other: Interval) -> bool:
        """Whether the two share any time."""
        return self.start_ns < other.end_ns and other.start_ns < self.end_ns
