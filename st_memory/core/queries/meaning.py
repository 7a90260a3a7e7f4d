"""Which of the known names a free text means, by the likeness of their meaning."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.ports.text_encoder import TextEncoder

__all__ = ['ALIKE', 'CLEAR_MARGIN', 'SAME', 'WORTH_NAMING', 'Likeness', 'closest_names']

# Cosine from which on a name may be meant; words without a common meaning stay below 0.3.
ALIKE = 0.4
# From here on a text is a name but for words without a weight; below it, a name is a guess.
SAME = 0.95
# A closest name that is less alike than this says nothing.
WORTH_NAMING = 0.3
# A name this much less alike than the best one is not meant.
CLEAR_MARGIN = 0.1
_MAX_CANDIDATES = 50


class Likeness(NamedTuple):
    """A name and how alike it is, a cosine."""

    name: str
    cosine: float


def closest_names(encoder: TextEncoder, names: Sequence[str], text: str) -> list[Likeness]:
    """
    Give the names most alike to a text, the best first.

    Parameters
    ----------
    encoder : TextEncoder
        Gives texts as vectors.
    names : sequence of str
        Known names.
    text : str
        What was said.

    Returns
    -------
    list of Likeness
        Of at most some fifty; empty for a text without any meaning to the encoder.

    """
    row = encoder.encode([text])[0]
    if not names or not row.any():
        return []
    found, cosines = encoder.closest(_rows(encoder, tuple(names)), row, _MAX_CANDIDATES)
    pairs = zip(found.tolist(), cosines.tolist(), strict=True)
    return [Likeness(names[index], cosine) for index, cosine in pairs]


@lru_cache(maxsize=8)
def _rows(encoder: TextEncoder, names: tuple[str, ...]) -> NDArray[np.float32]:
    """Give the vectors of names; the same names are asked about again and again."""
    return encoder.encode(names)
