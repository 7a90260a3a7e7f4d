"""The ten rows most alike to one, as bare numpy finds them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ['most_alike']


def most_alike(
    rows: NDArray[np.float32], row: NDArray[np.float32], count: int
) -> NDArray[np.intp]:
    """Give the indices, the most alike first; equals in any order."""
    cosines = rows @ row
    chosen = np.argpartition(cosines, len(rows) - count)[len(rows) - count :]
    return chosen[np.argsort(-cosines[chosen])]
