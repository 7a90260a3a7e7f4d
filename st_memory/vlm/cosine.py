"""Rows most alike to one by their cosine: exact, by numpy, or by usearch where there are many."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from st_memory.core.errors import ConfigError

__all__ = ['MANY_ROWS', 'closest_rows', 'closest_rows_usearch', 'usearch_search']

# From so many rows on the extra ``search`` is used, where somebody chose to install it. Measured
# on two cores with AVX-512, one thread each: for 20,000 rows of 256 numpy needs 1.0 ms and usearch
# 7.3, for 200,000 numpy 44 and usearch 120. Install it only where your processor says otherwise.
MANY_ROWS = 20_000
# usearch sums in another order: of so many more the exact ones are chosen.
_SPARE = 8

Closest = tuple[NDArray[np.int64], NDArray[np.float32]]


def closest_rows(rows: NDArray[np.float32], row: NDArray[np.float32], count: int) -> Closest:
    """
    Find the rows with the greatest cosine to one.

    Parameters
    ----------
    rows : (N, D) float32
        Of length 1, or zero.
    row : (D,) float32
        Of length 1, or zero.
    count : int
        At most this many.

    Returns
    -------
    (K,) int64 and (K,) float32
        Indices, the most alike first (of equals the earlier first), and cosines.

    Raises
    ------
    ValueError
        If the shapes do not fit or the count is negative.

    """
    if rows.ndim != 2 or row.shape != rows.shape[1:] or count < 0:
        raise ValueError(
            f'expected (N, D) rows, a row (D,) and a count >= 0, got {rows.shape}, {row.shape} '
            f'and {count}'
        )
    wanted = min(count, len(rows))
    if not wanted:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    if len(rows) >= MANY_ROWS and usearch_search() is not None:
        return closest_rows_usearch(rows, row, wanted)
    cosines = rows @ row
    if wanted < len(rows):
        # Everything as good as the last one wanted, so that equals come in their order.
        least = np.partition(cosines, len(rows) - wanted)[len(rows) - wanted]
        chosen = np.flatnonzero(cosines >= least)
    else:
        chosen = np.arange(len(rows))
    best = chosen[np.argsort(-cosines[chosen], kind='stable')][:wanted]
    return best.astype(np.int64), cosines[best].astype(np.float32)


def closest_rows_usearch(
    rows: NDArray[np.float32], row: NDArray[np.float32], count: int
) -> Closest:
    """
    Find the same with usearch, exactly; see :func:`closest_rows`.

    Raises
    ------
    ConfigError
        If usearch is not installed.

    """
    search = usearch_search()
    if search is None:
        raise ConfigError('usearch cannot be imported: install the extra search')
    wanted = min(count + _SPARE, len(rows))
    matches = search(np.ascontiguousarray(rows), row, wanted, metric='ip', exact=True, threads=1)
    chosen = np.sort(np.asarray(matches.keys, dtype=np.int64))
    cosines = rows[chosen] @ row
    order = np.argsort(-cosines, kind='stable')[:count]
    return chosen[order], cosines[order].astype(np.float32)


@lru_cache(maxsize=1)
def usearch_search() -> Callable[..., Any] | None:
    """Give the search of usearch; None where it is not installed or cannot be loaded."""
    try:
        from usearch.index import search
    except ImportError:  # missing, or built for other versions of what it links to
        return None
    return search  # type: ignore[no-any-return]
