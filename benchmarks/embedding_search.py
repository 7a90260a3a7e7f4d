"""How long the names most alike to a text are looked for, beside bare numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.figure import Figure, Measured, MeasuringError
from benchmarks.reference.cosine_search import most_alike
from benchmarks.sampling import alternate, seconds_of
from st_memory.vlm.cosine import closest_rows

__all__ = ['EMBEDDING_SEARCH_10K', 'compare']

# As many as the word encoder gives for a name.
_DIMENSION, _WANTED, _SEED = 256, 10, 4
_ROWS, _ROUNDS, _WARM_UPS = 10_000, 300, 10


def compare(count: int, rounds: int) -> Measured:
    """Look for ten of so many unit vectors; milliseconds."""
    rows = _units(count)
    asked = _units(1, _SEED + 1)[0]
    if closest_rows(rows, asked, _WANTED)[0].tolist() != _expected(rows, asked):
        raise MeasuringError('the two do not find the same rows')
    return alternate(
        lambda: seconds_of(lambda: closest_rows(rows, asked, _WANTED)) * 1e3,
        lambda: seconds_of(lambda: most_alike(rows, asked, _WANTED)) * 1e3,
        rounds,
        _WARM_UPS,
    )


def _expected(rows: NDArray[np.float32], asked: NDArray[np.float32]) -> list[int]:
    found: list[int] = most_alike(rows, asked, _WANTED).tolist()
    return found


def _units(count: int, seed: int = _SEED) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).standard_normal((count, _DIMENSION)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


EMBEDDING_SEARCH_10K = Figure(
    name='embedding_search_10k',
    unit='ms',
    reference='bare numpy: a product, argpartition, and ten sorted',
    measure=lambda: compare(_ROWS, _ROUNDS),
)
