"""One-to-one assignment with gates."""

from __future__ import annotations

import itertools
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
import numpy as np
import pytest

from st_memory.core.association import assign, UNREACHABLE


def test_greedy_choice_is_not_taken_when_it_costs_more_in_all() -> None:
    # Greedy takes 1.0 first and is left with 10; optimal is 2 + 2.
    cost = np.array([[1.0, 2.0], [2.0, 10.0]])

    assert assign(cost) == [(0, 1), (1, 0)]


def test_as_many_matches_as_possible_come_before_the_least_cost() -> None:
    cost = np.array([[0.1, 9.0], [0.2, UNREACHABLE]])

    assert assign(cost) == [(0, 1), (1, 0)]


def test_pairs_outside_the_gate_are_never_matched() -> None:
    cost = np.array([[UNREACHABLE, 1.0], [UNREACHABLE, 2.0]])

    assert assign(cost) == [(0, 1)]


@pytest.mark.parametrize('shape', [(0, 3), (3, 0), (0, 0)])
def test_nothing_to_match_gives_nothing(shape: tuple[int, int]) -> None:
    assert assign(np.zeros(shape)) == []


def test_cost_of_one_dimension_is_refused() -> None:
    with pytest.raises(ValueError, match='expected two dimensions'):
        assign(np.zeros(3))


def test_nan_is_refused() -> None:
    with pytest.raises(ValueError, match='expected no NaN'):
        assign(np.array([[np.nan]]))


@given(
    arrays(
        float,
        st.tuples(st.integers(1, 4), st.integers(1, 4)),
        elements=st.one_of(st.floats(0, 50), st.just(UNREACHABLE)),
    )
)
def test_assignment_equals_exhaustive_search(cost: np.ndarray) -> None:
    pairs = assign(cost)

    assert len({r for r, _ in pairs}) == len({c for _, c in pairs}) == len(pairs)
    rows, columns = cost.shape
    best = (0, 0.0)
    slots = [*range(columns), *([None] * rows)]
    for chosen in set(itertools.permutations(slots, rows)):
        costs = [cost[r, c] for r, c in enumerate(chosen) if c is not None]
        if all(np.isfinite(costs)):
            best = min(best, (-len(costs), float(sum(costs))))
    total = float(sum(cost[r, c] for r, c in pairs))
    assert -len(pairs) == best[0]
    assert total == pytest.approx(best[1], abs=1e-9)


def test_asking_a_memory_does_not_import_the_solver() -> None:
    code = (
        'import sys, st_memory.core.queries, st_memory.storage\n'
        "assert 'scipy.optimize' not in sys.modules\n"
        'from st_memory.core.memory import MemorySettings, ObjectMemory\n'
        'ObjectMemory(MemorySettings())\n'
        "assert 'scipy.optimize' in sys.modules\n"
    )
    subprocess.run([sys.executable, '-c', code], check=True, timeout=60)
