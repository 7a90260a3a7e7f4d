"""Poses of one frame in its parent over time, in growing arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from st_memory.core.geometry.se3 import RigidTransform, slerp, unit_quaternions

__all__ = ['PoseTrack']

_FIRST_CAPACITY = 64


class PoseTrack:
    """
    Stamped poses ``parent_T_child``, sorted by stamp.

    Parameters
    ----------
    max_age_ns : int, optional
        Samples older than the newest one by more than this are dropped.

    Notes
    -----
    64 bytes a sample. Appending is amortised O(1), a lookup O(log n): it costs the same in ten
    seconds and in ten hours of poses. A sample that comes late moves those after it.

    """

    def __init__(self, max_age_ns: int | None = None) -> None:
        self._max_age_ns = max_age_ns
        self._first = 0
        self._end = 0
        self._stamps: NDArray[np.int64] = np.empty(_FIRST_CAPACITY, dtype=np.int64)
        self._poses: NDArray[np.float64] = np.empty((_FIRST_CAPACITY, 7))

    def __len__(self) -> int:
        return self._end - self._first

    @property
    def oldest_ns(self) -> int:
        """Stamp of the first sample; the track must not be empty."""
        return int(self._stamps[self._first])

    @property
    def newest_ns(self) -> int:
        """Stamp of the last sample; the track must not be empty."""
        return int(self._stamps[self._end - 1])

    def insert(self, stamp_ns: int, parent_T_child: RigidTransform) -> None:
        """
        Add a sample, or replace the one of the same stamp.

        A sample older than ``max_age_ns`` allows is dropped at once.
        """
        at = self._end
        if at > self._first and stamp_ns <= (newest_ns := self.newest_ns):
            if self._max_age_ns is not None and stamp_ns < newest_ns - self._max_age_ns:
                return
            at = self._position(stamp_ns)
        if at == self._end or self._stamps[at] != stamp_ns:
            if self._end == self._stamps.shape[0]:
                at -= self._make_room(1)
            if at < self._end:
                self._stamps[at + 1 : self._end + 1] = self._stamps[at : self._end]
                self._poses[at + 1 : self._end + 1] = self._poses[at : self._end]
            self._end += 1
        self._stamps[at] = stamp_ns
        pose = self._poses[at]
        pose[:3] = parent_T_child.translation
        pose[3:] = parent_T_child.quat_xyzw
        if self._max_age_ns is not None:
            self._forget_before(self.newest_ns - self._max_age_ns)

    def extend(self, stamps_ns: ArrayLike, translations: ArrayLike, quats_xyzw: ArrayLike) -> None:
        """
        Append many samples that are all newer than those there are.

        Parameters
        ----------
        stamps_ns : (N,) int64
            Strictly increasing, nanoseconds.
        translations : (N, 3) float64
            Metres.
        quats_xyzw : (N, 4) float64
            Of unit length within 1e-3; normalised here.

        Raises
        ------
        ValueError
            If a shape is wrong, the stamps do not increase, or a pose is not rigid. Nothing is
            appended then.

        """
        stamps = np.asarray(stamps_ns, dtype=np.int64)
        moves = np.asarray(translations, dtype=np.float64)
        if stamps.ndim != 1 or moves.shape != (len(stamps), 3):
            raise ValueError(
                f'translations: expected (N, 3) for (N,) stamps, got {moves.shape} for '
                f'{stamps.shape}'
            )
        if not np.isfinite(moves).all():
            raise ValueError('translations: expected finite values')
        quats = unit_quaternions(quats_xyzw, len(stamps))
        if not len(stamps):
            return
        is_after = not len(self) or int(stamps[0]) > self.newest_ns
        if not (is_after and (stamps[1:] > stamps[:-1]).all()):
            raise ValueError('stamps_ns: expected stamps that increase, after those there are')
        self._make_room(len(stamps))
        rows = slice(self._end, self._end + len(stamps))
        self._stamps[rows] = stamps
        self._poses[rows, :3] = moves
        self._poses[rows, 3:] = quats
        self._end = rows.stop
        if self._max_age_ns is not None:
            self._forget_before(self.newest_ns - self._max_age_ns)

    def gap_around(self, stamp_ns: int) -> int:
        """
        Give how far apart the samples on either side of a stamp are, nanoseconds.

        Returns
        -------
        int
            0 where there is a sample of that very stamp. The stamp must be in
            [``oldest_ns``, ``newest_ns``].

        """
        after = self._position(stamp_ns)
        after_ns = int(self._stamps[after])
        return 0 if after_ns == stamp_ns else after_ns - int(self._stamps[after - 1])

    def at(self, stamp_ns: int) -> RigidTransform:
        """
        Give the pose at a stamp in [``oldest_ns``, ``newest_ns``].

        A sample of that very stamp is given as it came; between two samples translation is
        linear and rotation follows the shorter great arc.

        Raises
        ------
        ValueError
            If the stamp is outside the range of the samples: nothing is extrapolated.

        """
        if not (len(self) and self.oldest_ns <= stamp_ns <= self.newest_ns):
            raise ValueError(f'stamp_ns: expected a stamp within the samples, got {stamp_ns}')
        after = self._position(stamp_ns)
        # Differences of int64 stamps are exact; only the ratio is rounded.
        after_ns = int(self._stamps[after])
        if after_ns == stamp_ns:
            return RigidTransform(self._poses[after, :3], self._poses[after, 3:])
        before_ns = int(self._stamps[after - 1])
        fraction = (stamp_ns - before_ns) / (after_ns - before_ns)
        before, behind = self._poses[after - 1], self._poses[after]
        return RigidTransform(
            before[:3] + fraction * (behind[:3] - before[:3]),
            slerp(before[3:], behind[3:], fraction),
        )

    def _position(self, stamp_ns: int) -> int:
        """Index of the first sample at or after a stamp."""
        return self._first + int(self._stamps[self._first : self._end].searchsorted(stamp_ns))

    def _forget_before(self, stamp_ns: int) -> None:
        """Drop samples older than a stamp; each sample is looked at once more than it is kept."""
        while self._stamps[self._first] < stamp_ns:
            self._first += 1

    def _make_room(self, more: int) -> int:
        """Move samples to the front of arrays with room at the end; give how far they moved."""
        count, moved = len(self), self._first
        # Only a track that is at least half in use grows: pruned ones are packed in place.
        capacity = max(_FIRST_CAPACITY, 2 * count, count + more)
        stamps = np.empty(capacity, dtype=np.int64)
        poses = np.empty((capacity, 7))
        stamps[:count] = self._stamps[self._first : self._end]
        poses[:count] = self._poses[self._first : self._end]
        self._stamps, self._poses = stamps, poses
        self._first, self._end = 0, count
        return moved
