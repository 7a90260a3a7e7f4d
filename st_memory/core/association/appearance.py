"""How things look: unit vectors that a detector gives, their running mean, and their likeness."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import lru_cache
import math

import numpy as np
from numpy.typing import NDArray

__all__ = ['averaged', 'likeness', 'unit_vector']

Unit = NDArray[np.float32]

_LEAST_GAIN = 0.05
"""Weight that a sight keeps, however many came before: things are turned, and light changes."""


def unit_vector(embedding: Sequence[float]) -> Unit | None:
    """
    Give an embedding (D,) the length 1.

    Returns
    -------
    (D,) float32 or None
        None when it says nothing: empty, zero, or with a number that is not finite.

    """
    vector = np.array(embedding, dtype=np.float64)
    largest = float(np.abs(vector).max(initial=0.0))
    if not math.isfinite(largest) or largest == 0.0:
        return None
    vector /= largest  # so that no square overflows or vanishes
    return (vector / np.sqrt(vector @ vector)).astype(np.float32)


def averaged(mean: str, count: float, seen: Unit, weight: float) -> str:
    """
    Average a sight into what a thing looks like.

    Parameters
    ----------
    mean : str
        Of the sights before; '' for none.
    count : float
        Their weight.
    seen : (D,) float32
        Of length 1, and of the length that ``mean`` has.
    weight : float
        Of this sight, in (0, 1].

    Returns
    -------
    str
        Text of a unit vector: float32, little endian, base64. It survives a restart to the bit.

    """
    if not mean:
        return _encoded(seen)
    gain = weight * max(1.0 / (count + weight), _LEAST_GAIN)
    before = _decoded(mean).astype(np.float64)
    unit = unit_vector((before + gain * (seen - before)).tolist())
    return mean if unit is None else _encoded(unit)


def likeness(mean: str, other: str | Unit | None) -> float | None:
    """
    Cosine of two appearances.

    Parameters
    ----------
    mean : str
        As :func:`averaged` gives it; '' for none.
    other : str or (D,) float32, optional
        The same, or one sight.

    Returns
    -------
    float or None
        In [-1, 1]; None when one is not known, or the two are from different models.

    """
    if not mean or other is None or (isinstance(other, str) and not other):
        return None
    a, b = _decoded(mean), _decoded(other) if isinstance(other, str) else other
    if a.shape != b.shape:
        return None
    cosine = float(a.astype(np.float64) @ b.astype(np.float64))
    return min(1.0, max(-1.0, cosine))


def _encoded(unit: Unit) -> str:
    return base64.b64encode(unit.astype('<f4').tobytes()).decode('ascii')


@lru_cache(maxsize=4096)
def _decoded(text: str) -> Unit:
    unit = np.frombuffer(base64.b64decode(text), dtype='<f4')
    return unit.astype(np.float32)
