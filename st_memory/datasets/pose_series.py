"""Poses of one thing at its own stamps, put to the stamps at which a camera looked."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
import statistics

from st_memory.core.geometry import RigidTransform
from st_memory.core.records import MovementReport
from st_memory.core.stamps import NS_PER_S

__all__ = ['MAX_STAMP_GAP_NS', 'PoseSeries', 'RestWatch', 'gaps_between']

# Stamps of one moment differ in these datasets: some tables count whole microseconds, the
# cameras of one trigger have each their own offset of up to a tenth of a millisecond.
MAX_STAMP_GAP_NS = 1_000_000

# Motion capture of a thing at rest stays within a fraction of these.
_REST_RADIUS_M = 0.005
_REST_RADIUS_RAD = 0.035
_REST_NS = NS_PER_S // 2

# A step longer than this many usual ones is a gap.
_GAP_STEPS = 1.5


class PoseSeries:
    """
    Stamped poses, one per stamp, sorted.

    Parameters
    ----------
    pose_by_stamp : mapping of int to RigidTransform
        Poses by stamp, nanoseconds.

    """

    def __init__(self, pose_by_stamp: dict[int, RigidTransform]) -> None:
        self._stamps = sorted(pose_by_stamp)
        self._pose_by_stamp = pose_by_stamp

    def __len__(self) -> int:
        return len(self._stamps)

    @property
    def stamps(self) -> Sequence[int]:
        """All stamps, ascending."""
        return self._stamps

    def nearest(self, stamp_ns: int) -> tuple[int, RigidTransform] | None:
        """Give the sample nearest to a stamp, if within 1 ms of it; the earlier of two."""
        at = bisect_left(self._stamps, stamp_ns)
        around = self._stamps[max(at - 1, 0) : at + 1]
        best = min(around, key=lambda s: (abs(s - stamp_ns), s), default=None)
        if best is None or abs(best - stamp_ns) > MAX_STAMP_GAP_NS:
            return None
        return best, self._pose_by_stamp[best]

    def covers(self, stamp_ns: int) -> bool:
        """Whether a stamp lies between the first sample and the last."""
        return bool(self._stamps) and self._stamps[0] <= stamp_ns <= self._stamps[-1]

    def at_looks(self, look_stamps: Iterable[int]) -> list[tuple[int, RigidTransform]]:
        """
        Put every sample to the looks that it is nearest to.

        Parameters
        ----------
        look_stamps : iterable of int
            Stamps of looks, nanoseconds.

        Returns
        -------
        list of (int, RigidTransform)
            By stamp. A sample within 1 ms of looks stands at their stamps, at each of which it
            is the nearest one; a sample without such a look stands at its own.

        """
        at: dict[int, RigidTransform] = {}
        used: set[int] = set()
        for look_ns in look_stamps:
            near = self.nearest(look_ns)
            if near is not None:
                used.add(near[0])
                at[look_ns] = near[1]
        for stamp_ns in self._stamps:
            if stamp_ns not in used:
                at.setdefault(stamp_ns, self._pose_by_stamp[stamp_ns])
        return sorted(at.items(), key=lambda item: item[0])


class RestWatch:
    """
    Tells from poses as they come when a thing leaves its place and when it rests again.

    It moves once it is farther than 5 mm or 2 degrees from where it rested, and rests once it
    has stayed within that of one place for half a second. Nothing is told ahead of its time:
    the end of a movement is known half a second late, and says when it was.

    Parameters
    ----------
    object_id, label : str
        For the reports.

    """

    def __init__(self, object_id: str, label: str) -> None:
        self._object_id = object_id
        self._label = label
        self._place: tuple[int, RigidTransform] | None = None
        self._last_ns = 0
        self._moves_since_ns: int | None = None

    def step(self, stamp_ns: int, pose: RigidTransform) -> MovementReport | None:
        """Take the next pose; gives the start or the end of a movement that it shows."""
        last_ns, self._last_ns = self._last_ns, stamp_ns
        if self._place is None:
            self._place = stamp_ns, pose
            return None
        rested_ns, place = self._place
        gap_m, gap_rad = place.distance_to(pose)
        if gap_m > _REST_RADIUS_M or gap_rad > _REST_RADIUS_RAD:
            self._place = stamp_ns, pose
            if self._moves_since_ns is not None:
                return None
            self._moves_since_ns = last_ns
            return MovementReport(self._object_id, self._label, last_ns)
        start_ns = self._moves_since_ns
        if start_ns is None or stamp_ns - rested_ns < _REST_NS:
            return None
        self._moves_since_ns = None
        return MovementReport(self._object_id, self._label, start_ns, rested_ns)


def gaps_between(stamps: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """
    Find steps of more than one and a half times the median one.

    Parameters
    ----------
    stamps : sequence of int
        Nanoseconds, ascending.

    Returns
    -------
    tuple of (int, int)
        The stamps before and after each gap.

    """
    pairs = list(pairwise(stamps))
    if not pairs:
        return ()
    usual = statistics.median(b - a for a, b in pairs)
    return tuple((a, b) for a, b in pairs if b - a > _GAP_STEPS * usual)
