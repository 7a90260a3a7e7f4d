"""One-to-one assignment with gates."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = ['UNREACHABLE', 'assign', 'load_solver']

UNREACHABLE = np.inf

Solver = Callable[[NDArray[np.float64]], tuple[NDArray[np.intp], NDArray[np.intp]]]


@cache
def load_solver() -> Solver:
    """
    Import what solves assignments; once, before the first frame.

    Not with the module: who only asks a memory would wait for it twice as long.
    """
    from scipy.optimize import linear_sum_assignment

    solver: Solver = linear_sum_assignment
    return solver


def assign(cost: NDArray[np.float64]) -> list[tuple[int, int]]:
    """
    Match rows to columns one to one: as many matches as possible, then the least total cost.

    Parameters
    ----------
    cost : (R, C) float64
        ``UNREACHABLE`` (inf) where a pair is outside its gate; no NaN.

    Returns
    -------
    list of (int, int)
        Matched (row, column) pairs by row.

    Raises
    ------
    ValueError
        If the cost is not two-dimensional or holds NaN.

    """
    if cost.ndim != 2:
        raise ValueError(f'cost: expected two dimensions, got shape {cost.shape}')
    if np.isnan(cost).any():
        raise ValueError('cost: expected no NaN')
    reachable = np.isfinite(cost)
    if not reachable.any():
        return []
    # Large enough that dropping one match never pays, small enough to keep float64 digits.
    forbidden = float(np.abs(cost[reachable]).max() + 1.0) * (min(cost.shape) + 1)
    rows, columns = load_solver()(np.where(reachable, cost, forbidden))
    return [(int(r), int(c)) for r, c in zip(rows, columns, strict=True) if reachable[r, c]]
