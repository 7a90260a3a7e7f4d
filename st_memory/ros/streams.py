"""The messages of one kind, as numbers: how often, how long ago, how near to another kind."""

from __future__ import annotations

from collections import deque

import numpy as np

from st_memory.core.stamps import NS_PER_S

__all__ = ['Stream', 'best_gap_ns']

# Enough for a slow detector's results to find their images: 20 s at 30 Hz.
_KEPT = 600
_FEWEST = 8
# The least of so many latencies is that of a quiet network.
_MEASURED = 50
_JUMP_NS = NS_PER_S // 2


class Stream:
    """Messages of one topic. Not thread-safe: one owner."""

    def __init__(self) -> None:
        self.num_messages = 0
        self.last_ns: int | None = None
        self.late_ns = 0
        self._stamps: deque[int] = deque(maxlen=_KEPT)
        self._arrivals_s: deque[float] = deque(maxlen=_MEASURED)
        self._lates_ns: deque[int] = deque(maxlen=_MEASURED)
        self._first_late_ns: int | None = None

    def note(self, now_s: float, stamp_ns: int | None, late_ns: int = 0) -> None:
        """
        Count a message.

        Parameters
        ----------
        now_s : float
            Steady time of its arrival, seconds.
        stamp_ns : int, optional
            Its stamp; None where it has none.
        late_ns : int
            How far the node's clock was ahead of that stamp, nanoseconds.

        """
        self.num_messages += 1
        self._arrivals_s.append(now_s)
        if stamp_ns is None:
            return
        if self.last_ns is not None and stamp_ns < self.last_ns - _JUMP_NS:
            self._stamps.clear()
            self._lates_ns.clear()
            self._first_late_ns = None
        self.last_ns, self.late_ns = stamp_ns, late_ns
        self._stamps.append(stamp_ns)
        self._lates_ns.append(late_ns)
        if self._first_late_ns is None and len(self._lates_ns) == _MEASURED:
            self._first_late_ns = min(self._lates_ns)

    @property
    def stamps(self) -> tuple[int, ...]:
        """The newest stamps, as they came, nanoseconds."""
        return tuple(self._stamps)

    @property
    def drift_ns(self) -> int:
        """How much more messages are late than at first, at the best of either time."""
        if self._first_late_ns is None:
            return 0
        return min(self._lates_ns) - self._first_late_ns

    def rate_hz(self, now_s: float) -> float | None:
        """
        Give messages a second of steady time; None where too few came to tell.

        A stream that has stopped slows down: the wait for its next message counts.
        """
        if len(self._arrivals_s) < 3:
            return None
        span_s = self._arrivals_s[-1] - self._arrivals_s[0]
        period_s = span_s / (len(self._arrivals_s) - 1)
        waited_s = now_s - self._arrivals_s[-1]
        longest_s = max(period_s, waited_s) if waited_s > 2.0 * period_s else period_s
        return 1.0 / longest_s if longest_s > 0.0 else None

    def quiet_s(self, now_s: float) -> float | None:
        """Give how long ago the newest message came; None when none came."""
        return now_s - self._arrivals_s[-1] if self._arrivals_s else None


def best_gap_ns(first: tuple[int, ...], second: tuple[int, ...]) -> int | None:
    """
    Give the least difference between a stamp of one stream and one of the other.

    Parameters
    ----------
    first, second : tuple of int
        Stamps, nanoseconds.

    Returns
    -------
    int or None
        None where too few came to tell.

    """
    if min(len(first), len(second)) < _FEWEST:
        return None
    ours, theirs = np.sort(np.array(first)), np.sort(np.array(second))
    after = np.searchsorted(theirs, ours)
    right = np.abs(theirs[np.minimum(after, len(theirs) - 1)] - ours)
    left = np.abs(theirs[np.maximum(after - 1, 0)] - ours)
    return int(np.minimum(left, right).min())
