"""Resampling whole clusters: cases whose distribution is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from st_memory.core.evaluation import cluster_bootstrap, Estimate


def mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def pooled(clusters: Sequence[tuple[int, int]]) -> float | None:
    """Share of right ones over all items of all clusters."""
    total = sum(n for _, n in clusters)
    return sum(right for right, _ in clusters) / total if total else None


def test_two_clusters_have_four_equally_likely_resamples() -> None:
    # Means 0 (1 in 4), 0.5 (2 in 4) and 1 (1 in 4): the middle half of them is 0.5.
    estimate = cluster_bootstrap([0.0, 1.0], mean, confidence=0.4)

    assert estimate == Estimate(0.5, 0.5, 0.5)
    assert cluster_bootstrap([0.0, 1.0], mean) == Estimate(0.5, 0.0, 1.0)


def test_clusters_are_drawn_whole() -> None:
    # All 100 items of a cluster are right or all are wrong: no share but 0, 1/2 and 1 exists.
    seen: set[float | None] = set()

    def figure(clusters: Sequence[tuple[int, int]]) -> float | None:
        seen.add(pooled(clusters))
        return pooled(clusters)

    cluster_bootstrap([(100, 100), (0, 100)], figure, num_resamples=200)

    assert seen == {0.0, 0.5, 1.0}


def test_interval_of_a_mean_is_that_of_the_normal_law() -> None:
    values = np.random.default_rng(3).normal(size=400).tolist()

    estimate = cluster_bootstrap(values, mean, num_resamples=4000)

    half = 1.96 * float(np.std(values)) / 20
    assert estimate.low == pytest.approx(estimate.value - half, abs=0.01)
    assert estimate.high == pytest.approx(estimate.value + half, abs=0.01)


def test_equal_clusters_leave_no_doubt() -> None:
    estimate = cluster_bootstrap([(3, 4)] * 5, pooled, num_resamples=50)

    assert estimate == Estimate(0.75, 0.75, 0.75)


def test_same_seed_gives_the_same_interval_and_another_one_another() -> None:
    values = [float(v) for v in range(12)]

    def interval(seed: int) -> Estimate:
        return cluster_bootstrap(values, mean, num_resamples=300, seed=seed)

    assert interval(7) == interval(7)
    assert interval(7) != interval(8)


@pytest.mark.parametrize(('clusters', 'value'), [([], None), ([0.25], 0.25)])
def test_fewer_than_two_clusters_have_no_interval(
    clusters: list[float], value: float | None
) -> None:
    assert cluster_bootstrap(clusters, mean) == Estimate(value, None, None)


def test_resamples_without_a_figure_are_counted_and_left_out() -> None:
    # One of the two clusters is empty: a quarter of the resamples has nothing in it.
    estimate = cluster_bootstrap([(1, 2), (0, 0)], pooled, num_resamples=4000)

    assert (estimate.value, estimate.low, estimate.high) == (0.5, 0.5, 0.5)
    assert estimate.num_undefined == pytest.approx(1000, abs=120)


def test_figure_that_is_never_defined_has_no_interval() -> None:
    estimate = cluster_bootstrap([(0, 0), (0, 0)], pooled, num_resamples=20)

    assert estimate == Estimate(None, None, None, 20)


@pytest.mark.parametrize(
    ('num_resamples', 'confidence'), [(0, 0.95), (-1, 0.95), (10, 0.0), (10, 1.0), (10, np.nan)]
)
def test_numbers_out_of_range_are_refused(num_resamples: int, confidence: float) -> None:
    with pytest.raises(ValueError, match='expected num_resamples >= 1'):
        cluster_bootstrap([1.0, 2.0], mean, num_resamples=num_resamples, confidence=confidence)
