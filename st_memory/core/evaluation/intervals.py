"""Predicted intervals against true ones, each matched once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from st_memory.core.stamps import Interval

__all__ = ['IntervalMatches', 'match_intervals']


@dataclass(frozen=True)
class IntervalMatches:
    """
    Which predicted interval is which true one.

    Parameters
    ----------
    pairs : tuple of (int, int)
        Index of the true and of the predicted interval, by the true one.
    num_true, num_predicted : int
        How many there are.

    """

    pairs: tuple[tuple[int, int], ...]
    num_true: int
    num_predicted: int

    @property
    def precision(self) -> float:
        """Share of the predicted ones that are matched; 0 of nothing is 0."""
        return len(self.pairs) / self.num_predicted if self.num_predicted else 0.0

    @property
    def recall(self) -> float:
        """Share of the true ones that are matched; 0 of nothing is 0."""
        return len(self.pairs) / self.num_true if self.num_true else 0.0


def match_intervals(
    true: Sequence[Interval], predicted: Sequence[Interval], tolerance_ns: int
) -> IntervalMatches:
    """
    Match as many intervals as possible, among those the nearest.

    Parameters
    ----------
    true, predicted : sequence of Interval
        Of one object.
    tolerance_ns : int
        Two match when the gap between them is no wider; overlapping ones have none.

    """
    if not true or not predicted:
        return IntervalMatches((), len(true), len(predicted))
    far = np.array([[_apart_ns(t, p) for p in predicted] for t in true], dtype=np.float64)
    allowed = np.array([[_gap_ns(t, p) <= tolerance_ns for p in predicted] for t in true])
    # No distance is worth a pair: each pair counts more than all distances together.
    worth = np.where(allowed, 1.0 + min(far.shape) - far / max(1.0, far.max()), 0.0)
    rows, columns = linear_sum_assignment(worth, maximize=True)
    pairs = [
        (int(i), int(j)) for i, j in zip(rows, columns, strict=True) if allowed[int(i), int(j)]
    ]
    return IntervalMatches(tuple(sorted(pairs)), len(true), len(predicted))


def _gap_ns(a: Interval, b: Interval) -> int:
    return max(0, a.start_ns - b.end_ns, b.start_ns - a.end_ns)


def _apart_ns(a: Interval, b: Interval) -> int:
    """How much the ends differ: tells the right one among overlapping ones."""
    return abs(a.start_ns - b.start_ns) + abs(a.end_ns - b.end_ns)
