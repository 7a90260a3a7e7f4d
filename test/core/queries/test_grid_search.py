"""Shortest ways over a grid, beside a plain search that is right by construction."""

from __future__ import annotations

import heapq
import itertools
import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
from numpy.typing import NDArray
import pytest

from st_memory.core.queries.grid_search import (
    find_path,
    is_straight_free,
    nearest_free,
    path_length,
    pull_tight,
)


def grid(*rows: str) -> NDArray[np.bool_]:
    """A map from rows of '.' and '#', the first index along each row."""
    return np.array([[cell == '.' for cell in row] for row in rows], dtype=np.bool_).T


# x to the right, y downwards as written.
ROOM = grid(
    '.....',
    '.###.',
    '.#...',
    '.....',
)


def test_path_in_the_open_is_the_diagonal() -> None:
    path = find_path(np.ones((4, 4), dtype=np.bool_), (0, 0), (3, 3))

    assert path == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert path_length(path) == pytest.approx(3 * math.sqrt(2.0))


def test_path_goes_round_and_never_across_a_corner() -> None:
    path = find_path(ROOM, (0, 2), (2, 2))

    # Down, along the lowest row and up again: no diagonal touches the wall at (1, 2).
    assert path == [(0, 2), (0, 3), (1, 3), (2, 3), (2, 2)]
    assert path_length(path) == 4.0


def test_path_to_where_one_is_is_that_place() -> None:
    assert find_path(ROOM, (0, 0), (0, 0)) == [(0, 0)]


@pytest.mark.parametrize(('start', 'goal'), [((1, 1), (0, 0)), ((0, 0), (1, 1))])
def test_path_from_or_to_a_wall_is_none(start: tuple[int, int], goal: tuple[int, int]) -> None:
    assert find_path(ROOM, start, goal) == []


def test_path_through_a_wall_is_none() -> None:
    assert find_path(grid('.#.', '.#.'), (0, 0), (2, 0)) == []


def test_path_between_two_walls_that_touch_at_a_corner_is_none() -> None:
    assert find_path(grid('.#', '#.'), (0, 0), (1, 1)) == []


def _dijkstra(free: NDArray[np.bool_], start: tuple[int, int], goal: tuple[int, int]) -> float:
    """Length of a shortest way: no heuristic, no early end."""
    best = {start: 0.0}
    waiting = [(0.0, start)]
    while waiting:
        length, (i, j) = heapq.heappop(waiting)
        if length > best[i, j]:
            continue
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                x, y = i + di, j + dj
                if not (0 <= x < free.shape[0] and 0 <= y < free.shape[1]):
                    continue
                if not (free[x, y] and free[x, j] and free[i, y]):
                    continue
                there = length + math.hypot(di, dj)
                if there < best.get((x, y), math.inf):
                    best[x, y] = there
                    heapq.heappush(waiting, (there, (x, y)))
    return best.get(goal, math.inf)


@given(
    st.integers(2, 7).flatmap(
        lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=2, max_size=7)
    )
)
def test_path_is_as_short_as_any_and_pulled_tight_no_longer(rows: list[list[bool]]) -> None:
    free = np.array(rows, dtype=np.bool_)
    free[0, 0] = free[-1, -1] = True
    start, goal = (0, 0), (free.shape[0] - 1, free.shape[1] - 1)

    path = find_path(free, start, goal)

    shortest = _dijkstra(free, start, goal)
    if not path:
        assert shortest == math.inf
        return
    assert path_length(path) == pytest.approx(shortest)
    corners = pull_tight(free, path)
    assert (corners[0], corners[-1]) == (start, goal)
    assert path_length(corners) <= path_length(path) + 1e-9
    assert set(corners) <= set(path)
    for here, there in itertools.pairwise(corners):
        assert is_straight_free(free, here, there)


@given(
    st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=6, max_size=6),
    st.tuples(*[st.integers(0, 5)] * 4),
)
def test_straight_line_is_the_same_both_ways_and_never_nicks_a_wall(
    rows: list[list[bool]], ends: tuple[int, int, int, int]
) -> None:
    free = np.array(rows, dtype=np.bool_)
    start, goal = ends[:2], ends[2:]

    found = is_straight_free(free, start, goal)

    assert found == is_straight_free(free, goal, start)
    # A thousand points of the line, each in the cell that holds it.
    line = np.linspace(start, goal, 1001)
    i, j = np.rint(line).astype(int).T
    if found:
        assert free[i, j].all()


def test_pull_tight_in_the_open_is_one_leg() -> None:
    free = np.ones((6, 3), dtype=np.bool_)
    path = find_path(free, (0, 0), (5, 2))

    assert pull_tight(free, path) == [(0, 0), (5, 2)]


def test_pull_tight_keeps_the_corner_of_a_wall() -> None:
    path = find_path(ROOM, (0, 2), (2, 2))

    assert pull_tight(ROOM, path) == [(0, 2), (0, 3), (2, 3), (2, 2)]


@pytest.mark.parametrize('path', [[], [(0, 0)], [(0, 0), (0, 1)]])
def test_pull_tight_of_a_short_way_is_itself(path: list[tuple[int, int]]) -> None:
    assert pull_tight(ROOM, path) == path


def test_straight_line_past_a_wall_is_not_free() -> None:
    assert is_straight_free(ROOM, (0, 0), (4, 0))
    assert not is_straight_free(ROOM, (0, 0), (3, 2))


@pytest.mark.parametrize(
    ('target', 'expected'),
    [
        ((0.0, 0.0), (0, 0)),
        ((2.0, 0.9), (2, 0)),  # in the wall, nearer to the row above
        ((-5.0, 3.2), (0, 3)),  # outside of the map
        ((1.0, 1.9), (0, 2)),  # two are near; the one that is nearest
    ],
)
def test_nearest_free_cell(target: tuple[float, float], expected: tuple[int, int]) -> None:
    assert nearest_free(ROOM, target) == expected


def test_nearest_free_cell_that_can_be_reached() -> None:
    two_rooms = grid('..#..', '..#..')

    assert nearest_free(two_rooms, (4.0, 0.0)) == (4, 0)
    assert nearest_free(two_rooms, (4.0, 0.0), reachable_from=(0, 0)) == (1, 0)


def test_nearest_free_cell_from_inside_a_wall_is_none() -> None:
    assert nearest_free(ROOM, (0.0, 0.0), reachable_from=(1, 1)) is None


def test_nearest_free_cell_of_a_full_map_is_none() -> None:
    assert nearest_free(np.zeros((2, 2), dtype=np.bool_), (0.0, 0.0)) is None
