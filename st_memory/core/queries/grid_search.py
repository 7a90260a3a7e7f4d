"""Shortest ways over a grid of free cells."""

from __future__ import annotations

from collections.abc import Sequence
import heapq
import itertools
import math

import numpy as np
from numpy.typing import NDArray

__all__ = ['find_path', 'is_straight_free', 'nearest_free', 'path_length', 'pull_tight']

Cell = tuple[int, int]

_DIAGONAL = math.sqrt(2.0)
_STEPS = (
    (1, 0, 1.0),
    (0, 1, 1.0),
    (-1, 0, 1.0),
    (0, -1, 1.0),
    (1, 1, _DIAGONAL),
    (-1, 1, _DIAGONAL),
    (-1, -1, _DIAGONAL),
    (1, -1, _DIAGONAL),
)
# Of a cell: rounding is no reason to miss a corner.
_TOUCH = 1e-6
_FOUR = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], dtype=bool)


def find_path(free: NDArray[np.bool_], start: Cell, goal: Cell) -> list[Cell]:
    """
    Find a shortest way from cell to cell: A* over eight neighbours, never across a corner.

    Parameters
    ----------
    free : (X, Y) bool
        Where one may be.
    start, goal : (int, int)
        Free cells.

    Returns
    -------
    list of (int, int)
        From start to goal, both included; empty when there is no way. The same every time.

    References
    ----------
    .. [1] Hart, Nilsson and Raphael (1968), A Formal Basis for the Heuristic Determination of
       Minimum Cost Paths.

    """
    if not (free[start] and free[goal]):
        return []
    open_cells = free.tolist()  # plain lists are read faster than arrays, cell by cell
    width, height = free.shape
    cost = {start: 0.0}
    before: dict[Cell, Cell] = {}
    done: set[Cell] = set()
    waiting = [(_octile(start, goal), start)]
    while waiting:
        _, cell = heapq.heappop(waiting)
        if cell == goal:
            return _traced(before, goal)
        if cell in done:
            continue
        done.add(cell)
        i, j = cell
        for di, dj, step in _STEPS:
            x, y = i + di, j + dj
            if not (0 <= x < width and 0 <= y < height and open_cells[x][y]):
                continue
            if di and dj and not (open_cells[x][j] and open_cells[i][y]):
                continue
            there = cost[cell] + step
            if there < cost.get((x, y), math.inf) - 1e-12:
                cost[x, y] = there
                before[x, y] = cell
                heapq.heappush(waiting, (there + _octile((x, y), goal), (x, y)))
    return []


def nearest_free(
    free: NDArray[np.bool_], target: Sequence[float], reachable_from: Cell | None = None
) -> Cell | None:
    """
    Find the free cell nearest to a place.

    Parameters
    ----------
    free : (X, Y) bool
        Where one may be.
    target : (2,) float
        In cells; may lie between or outside of them.
    reachable_from : (int, int), optional
        Only cells with a way from this one; None for all.

    """
    allowed = free
    if reachable_from is not None:
        from scipy import ndimage  # slow to import, and few questions need it

        labels, _ = ndimage.label(free, structure=_FOUR)
        label = labels[reachable_from]
        allowed = labels == label if label else np.zeros_like(free)
    cells = np.argwhere(allowed)
    if not len(cells):
        return None
    away = np.hypot(*(cells - np.array(target, dtype=np.float64)).T)
    i, j = cells[int(np.argmin(np.round(away, 9)))].tolist()
    return i, j


def pull_tight(free: NDArray[np.bool_], path: Sequence[Cell]) -> list[Cell]:
    """Give the corners of a way pulled tight: neighbours see each other over free cells."""
    if len(path) < 3:
        return list(path)
    corners = [path[0]]
    at = 0
    while at < len(path) - 1:
        ahead = at + 1
        for far in range(len(path) - 1, at + 1, -1):
            if is_straight_free(free, path[at], path[far]):
                ahead = far
                break
        corners.append(path[ahead])
        at = ahead
    return corners


def is_straight_free(free: NDArray[np.bool_], start: Cell, goal: Cell) -> bool:
    """
    Whether the straight line between the middles of two cells touches free cells only.

    A line through the corner of a cell touches it. The line is looked at where it passes from
    one row of cells to the next along its longer side, so no cell in between is left out.
    """
    low, high = np.array(start, dtype=np.float64), np.array(goal, dtype=np.float64)
    count = int(2 * np.abs(high - low).max()) + 1
    points = low + np.linspace(0.0, 1.0, count)[:, np.newaxis] * (high - low)
    (i, j) = np.ceil(points - 0.5 - _TOUCH).astype(int).T
    (k, m) = np.floor(points + 0.5 + _TOUCH).astype(int).T
    return bool((free[i, j] & free[i, m] & free[k, j] & free[k, m]).all())


def path_length(path: Sequence[Sequence[float]]) -> float:
    """Give the length of a way through points."""
    return sum(math.dist(a, b) for a, b in itertools.pairwise(path))


def _octile(a: Cell, b: Cell) -> float:
    """Length of a shortest way without obstacles: never more than the real one."""
    di, dj = abs(a[0] - b[0]), abs(a[1] - b[1])
    return max(di, dj) + (_DIAGONAL - 1.0) * min(di, dj)


def _traced(before: dict[Cell, Cell], goal: Cell) -> list[Cell]:
    path = [goal]
    while path[-1] in before:
        path.append(before[path[-1]])
    return path[::-1]
