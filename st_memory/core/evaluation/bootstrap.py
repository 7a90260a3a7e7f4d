"""How much a figure rests on which videos happened to be taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

__all__ = ['Estimate', 'cluster_bootstrap']

Cluster = TypeVar('Cluster')


class Estimate(NamedTuple):
    """
    A figure with the interval that resampling gives it.

    Attributes
    ----------
    value : float or None
        Of the clusters as they are; None where it is not defined.
    low, high : float or None
        Percentiles over the resamples; None where fewer than two clusters were drawn from, or no
        resample has a figure.
    num_undefined : int
        Resamples without a figure; they count for nothing.

    """

    value: float | None
    low: float | None
    high: float | None
    num_undefined: int = 0


def cluster_bootstrap(
    clusters: Sequence[Cluster],
    figure: Callable[[Sequence[Cluster]], float | None],
    *,
    num_resamples: int = 10_000,
    seed: int = 21,
    confidence: float = 0.95,
) -> Estimate:
    """
    Resample whole clusters with replacement, for things that depend on each other inside one.

    Parameters
    ----------
    clusters : sequence
        What is drawn: all items of one video, say, or their counts. Their order decides which
        resamples a seed gives.
    figure : callable
        Of a list of clusters; None where it is not defined.
    num_resamples : int
        How many, >= 1.
    seed : int
        Of the generator (PCG64).
    confidence : float
        Of the two-sided percentile interval, in (0, 1).

    Raises
    ------
    ValueError
        If a number is out of its range.

    """
    if num_resamples < 1 or not 0.0 < confidence < 1.0:
        raise ValueError(
            f'expected num_resamples >= 1 and 0 < confidence < 1, '
            f'got {num_resamples} and {confidence}'
        )
    value = figure(clusters)
    if len(clusters) < 2:
        return Estimate(value, None, None)
    draws = np.random.default_rng(seed).integers(
        len(clusters), size=(num_resamples, len(clusters))
    )
    drawn = [figure([clusters[i] for i in row]) for row in draws.tolist()]
    defined = [f for f in drawn if f is not None]
    if not defined:
        return Estimate(value, None, None, len(drawn))
    tail = (1.0 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1.0 - tail])
    return Estimate(value, float(low), float(high), len(drawn) - len(defined))
