"""The search among vectors measures two things that find the same."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import embedding_search
from benchmarks.figure import MeasuringError
from benchmarks.reference.cosine_search import most_alike


def test_search_measures_both_sides() -> None:
    measured = embedding_search.compare(200, 3)

    assert measured.value > 0.0
    assert measured.reference_value > 0.0


def test_reference_finds_what_a_whole_sort_finds() -> None:
    rows = np.random.default_rng(1).standard_normal((300, 8)).astype(np.float32)

    expected = np.argsort(-(rows @ rows[7]), kind='stable')[:10]
    assert most_alike(rows, rows[7], 10).tolist() == expected.tolist()


def test_search_that_finds_other_rows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        embedding_search,
        'closest_rows',
        lambda rows, row, count: (np.arange(count), np.zeros(count)),
    )
    with pytest.raises(MeasuringError, match='do not find the same rows'):
        embedding_search.compare(200, 1)
