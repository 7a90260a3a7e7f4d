"""What one look says of one object, as plain numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.visibility import Verdicts

__all__ = ['Judgement', 'judgements']


class Judgement(NamedTuple):
    """
    One row of :class:`st_memory.core.visibility.Verdicts`.

    The fields are those of the same names there; ``is_expected`` says whether a working detector
    should have found the object.
    """

    geometry: int
    cause: int
    occluder: int
    blocked_share: float
    visible_share: float
    surface_share: float
    seen_through: bool
    is_expected: bool


def judgements(
    verdicts: Verdicts, expected: NDArray[np.bool_], which: NDArray[np.intp]
) -> list[Judgement]:
    """Give some rows of verdicts, of which (N,) bool says where something was expected."""
    columns = (
        verdicts.geometry,
        verdicts.cause,
        verdicts.occluder,
        verdicts.blocked_share,
        verdicts.visible_share,
        verdicts.surface_share,
        verdicts.seen_through,
        expected,
    )
    rows = zip(*(column[which].tolist() for column in columns), strict=True)
    return [Judgement(*row) for row in rows]
