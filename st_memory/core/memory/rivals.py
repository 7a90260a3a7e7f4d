"""Which other matches of an assignment were nearly as good as those that were taken."""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np
from numpy.typing import NDArray

__all__ = ['nearly_as_good']

# Half as likely is nearly as good.
_LEAST_SHARE = 0.5


def nearly_as_good(
    surprise: NDArray[np.float64], found: Sequence[tuple[int, int]]
) -> dict[int, dict[int, float]]:
    """
    Give for each match what else could have been matched.

    Another row could, if it is not matched itself, or if the two swapped.

    Parameters
    ----------
    surprise : (R, C) float64
        Negative log-likelihoods; unreachable (inf) outside of the gates.
    found : sequence of (int, int)
        Matches (row, column).

    Returns
    -------
    dict of int to dict of int to float
        By matched row: other rows with their likelihood relative to the match, in (0, 1].

    """
    column_of = dict(found)
    rivals: dict[int, dict[int, float]] = {}
    for row, column in found:
        rivals[row] = {}
        for other in np.flatnonzero(np.isfinite(surprise[:, column])).tolist():
            if other == row:
                continue
            excess = float(surprise[other, column] - surprise[row, column])
            if other in column_of:
                own = column_of[other]
                excess += float(surprise[row, own] - surprise[other, own])
            share = math.exp(-max(0.0, excess))
            if share >= _LEAST_SHARE:
                rivals[row][other] = share
    return rivals
