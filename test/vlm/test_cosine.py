"""Rows most alike to one, by numpy and by usearch."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
from numpy.typing import NDArray
import pytest

from st_memory.core.errors import ConfigError
from st_memory.vlm import cosine
from st_memory.vlm.cosine import closest_rows, closest_rows_usearch


def units(count: int, seed: int, dimension: int = 8) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_closest_rows_of_angles_come_in_order() -> None:
    degrees = np.radians([0.0, 90.0, 30.0, 180.0, 10.0])
    rows = np.column_stack((np.cos(degrees), np.sin(degrees))).astype(np.float32)

    found, cosines = closest_rows(rows, rows[0], 3)

    assert found.tolist() == [0, 4, 2]
    np.testing.assert_allclose(cosines, np.cos(np.radians([0.0, 10.0, 30.0])), atol=1e-6)


@given(st.integers(0, 60), st.integers(0, 70), st.integers(0, 9))
def test_closest_rows_are_those_of_a_whole_sort(count: int, wanted: int, seed: int) -> None:
    rows, row = units(count, seed), units(1, seed + 100)[0]

    found, cosines = closest_rows(rows, row, wanted)

    everything = rows @ row
    expected = np.argsort(-everything, kind='stable')[:wanted]
    assert found.tolist() == expected.tolist()
    assert cosines.tolist() == everything[expected].tolist()


def test_equal_rows_come_in_their_order() -> None:
    rows = np.tile(units(1, 3), (9, 1))

    assert closest_rows(rows, rows[0], 4)[0].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ('rows', 'row', 'count'),
    [
        (np.zeros(3, np.float32), np.zeros(3, np.float32), 1),
        (np.zeros((2, 3), np.float32), np.zeros(4, np.float32), 1),
        (np.zeros((2, 3), np.float32), np.zeros(3, np.float32), -1),
    ],
)
def test_shapes_that_do_not_fit_are_an_error(
    rows: NDArray[np.float32], row: NDArray[np.float32], count: int
) -> None:
    with pytest.raises(ValueError, match=r'expected \(N, D\) rows'):
        closest_rows(rows, row, count)


def test_usearch_gives_what_numpy_gives() -> None:
    pytest.importorskip('usearch.index', reason='needs the extra search')
    rows = units(500, 1, 32)
    rows[100] = rows[7]  # of equals the earlier comes first

    for row in (rows[7], units(1, 9, 32)[0]):
        by_numpy, by_usearch = closest_rows(rows, row, 12), closest_rows_usearch(rows, row, 12)
        assert by_usearch[0].tolist() == by_numpy[0].tolist()
        np.testing.assert_allclose(by_usearch[1], by_numpy[1], atol=1e-6)


def test_many_rows_are_searched_by_usearch_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def noted(rows: NDArray[np.float32], row: NDArray[np.float32], count: int):
        asked.append(len(rows))
        return np.arange(count), np.zeros(count, np.float32)

    monkeypatch.setattr(cosine, 'usearch_search', lambda: print)
    monkeypatch.setattr(cosine, 'closest_rows_usearch', noted)
    rows = np.zeros((cosine.MANY_ROWS, 2), np.float32)

    closest_rows(rows[1:], rows[0], 1)
    closest_rows(rows, rows[0], 1)

    assert asked == [cosine.MANY_ROWS]


def test_many_rows_are_searched_by_numpy_where_usearch_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cosine, 'usearch_search', lambda: None)
    rows = np.eye(2, dtype=np.float32)[np.arange(cosine.MANY_ROWS) % 2]

    assert closest_rows(rows, rows[1], 2)[0].tolist() == [1, 3]
    with pytest.raises(ConfigError, match='install the extra search'):
        closest_rows_usearch(rows, rows[1], 2)


def test_usearch_that_cannot_be_loaded_is_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, 'usearch.index', None)
    cosine.usearch_search.cache_clear()
    try:
        assert cosine.usearch_search() is None
    finally:
        cosine.usearch_search.cache_clear()
