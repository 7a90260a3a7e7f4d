"""Joint positions over time, from ``sensor_msgs/JointState``."""

from __future__ import annotations

import bisect
from collections import Counter
from dataclasses import dataclass, field
import math
from typing import Any

from st_memory.core.geometry import JointKind, JointTree

__all__ = ['JointTracks']


@dataclass
class _Track:
    """Positions of one joint, sorted by stamp."""

    stamps_ns: list[int] = field(default_factory=list)
    positions: list[float] = field(default_factory=list)

    def insert(self, stamp_ns: int, position: float, oldest_ns: int) -> None:
        """Add a sample, or replace the one of its stamp, and forget what is too old."""
        at = bisect.bisect_left(self.stamps_ns, stamp_ns)
        if at < len(self.stamps_ns) and self.stamps_ns[at] == stamp_ns:
            self.positions[at] = position
            return
        self.stamps_ns.insert(at, stamp_ns)
        self.positions.insert(at, position)
        # One sample from before stays: what lies between it and the next is known.
        old = bisect.bisect_right(self.stamps_ns, oldest_ns) - 1
        if old > 0:
            del self.stamps_ns[:old], self.positions[:old]


class JointTracks:
    """
    Where the joints of a tree were.

    Parameters
    ----------
    tree : JointTree
        Whose joints count; positions of others are not kept.
    hold_ns : int
        A joint stays where it was last reported for at most this.
    max_age_ns : int
        Samples older than the newest of their joint by more than this are forgotten.

    """

    def __init__(self, tree: JointTree, hold_ns: int, max_age_ns: int) -> None:
        self._hold_ns = hold_ns
        self._max_age_ns = max_age_ns
        # Across the seam a wheel turns the short way; other joints have none.
        self._is_endless = {
            j.name: j.kind is JointKind.CONTINUOUS for j in tree.joints if j.has_position
        }
        self._tracks: dict[str, _Track] = {}

    def add(self, stamp_ns: int, message: Any) -> Counter[str]:
        """
        Take the positions of a message.

        Parameters
        ----------
        stamp_ns : int
            When they were true.
        message : sensor_msgs/JointState
            Radians and metres. Joints without a position are passed over.

        Returns
        -------
        Counter
            What was left out: ``joint_states_uneven`` (not one position a name),
            ``joint_position_not_finite``.

        """
        dropped = Counter[str]()
        positions = list(message.position)
        if positions and len(positions) != len(message.name):
            dropped['joint_states_uneven'] += 1
            return dropped
        for name, position in zip(message.name, positions, strict=False):
            if name not in self._is_endless:
                continue
            if not math.isfinite(position):
                dropped['joint_position_not_finite'] += 1
                continue
            track = self._tracks.setdefault(name, _Track())
            newest_ns = max(stamp_ns, track.stamps_ns[-1] if track.stamps_ns else stamp_ns)
            track.insert(stamp_ns, float(position), newest_ns - self._max_age_ns)
        return dropped

    def at(self, stamp_ns: int) -> dict[str, float]:
        """
        Give the positions that are known at a stamp.

        Between two samples they are interpolated; after the last one it holds for a while;
        before the first one nothing is known.

        Parameters
        ----------
        stamp_ns : int
            Nanoseconds.

        Returns
        -------
        dict of str to float
            By joint, radians or metres.

        """
        found = {name: self._position(name, stamp_ns) for name in self._tracks}
        return {name: position for name, position in found.items() if position is not None}

    def may_come(self, stamp_ns: int, wait_ns: int) -> bool:
        """Whether a joint has been reported up to shortly before a stamp and not yet after."""
        return any(
            stamp_ns - wait_ns <= track.stamps_ns[-1] < stamp_ns for track in self._tracks.values()
        )

    def clear(self) -> None:
        """Forget all positions."""
        self._tracks.clear()

    def _position(self, name: str, stamp_ns: int) -> float | None:
        track = self._tracks[name]
        after = bisect.bisect_left(track.stamps_ns, stamp_ns)
        if after < len(track.stamps_ns) and track.stamps_ns[after] == stamp_ns:
            return track.positions[after]
        if after == 0:
            return None
        before_ns, position = track.stamps_ns[after - 1], track.positions[after - 1]
        if after == len(track.stamps_ns):
            return position if stamp_ns - before_ns <= self._hold_ns else None
        share = (stamp_ns - before_ns) / (track.stamps_ns[after] - before_ns)
        change = track.positions[after] - position
        if self._is_endless[name]:
            change = math.remainder(change, 2 * math.pi)
        return position + share * change
