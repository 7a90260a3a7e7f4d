"""How surprising it is to find a thing so far from where it was so long ago."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from st_memory.core.memory.track import Track
from st_memory.core.records.objects import PLACED_BY_LOSS
from st_memory.core.stamps import NS_PER_S

__all__ = ['LONG_CARRY_S', 'surprises']

Array = NDArray[np.float64]

# How fast a carried thing gets away from where it was, on average, and how long it is carried.
_WANDER_MPS, _CARRY_S = 0.7, 8.0
LONG_CARRY_S = 2 * _CARRY_S
"""Few things are carried for longer."""

# How long a thing rests that is used.
_REST_S = 60.0
# Noise lifts few things by more.
_RISE_M = 0.075


def surprises(distance_m: Array, tracks: Sequence[Track], stamp_ns: int, unit_m: float) -> Array:
    """
    Weigh distances from where things were by how long ago they were there.

    Whoever carries a thing wanders off: where it is by now is normal in the plane, with a spread
    that grows with the time, and it may have been put down as well. What rested must have been
    taken since. So what was carried a moment ago is likelier than what was lost long ago, or than
    what was seen at rest a moment ago.

    Parameters
    ----------
    distance_m : (N, M) float64
        From where each of N things was seen last to each of M places; inf where it cannot be.
    tracks : sequence of Track
        The N things.
    stamp_ns : int
        Now.
    unit_m : float
        What a unit of surprise (negative log-likelihood) is worth, metres; the spread at once.

    Returns
    -------
    (N, M) float64
        Comparable with distances; inf where these are.

    """
    last_ns = np.array([t.last_fix_ns or 0 for t in tracks], dtype=np.int64)
    # A rebase after the clock was set back leaves sights of a later time.
    elapsed_s = np.maximum(0, stamp_ns - last_ns) / NS_PER_S
    spread_m = _WANDER_MPS * elapsed_s + unit_m
    taken = np.log1p(_REST_S / np.maximum(elapsed_s, 1e-3))
    is_at_rest = np.array([_is_at_rest(t) for t in tracks], dtype=bool)
    age = 2.0 * np.log(spread_m / unit_m) + np.where(is_at_rest, taken, elapsed_s / _CARRY_S)
    surprise: Array = age[:, None] + 0.5 * np.square(distance_m / spread_m[:, None])
    return unit_m * surprise


def _is_at_rest(track: Track) -> bool:
    """Whether nothing tells that a thing was taken."""
    return not (
        track.in_motion or track.trail or track.placed_by == PLACED_BY_LOSS or _has_risen(track)
    )


def _has_risen(track: Track) -> bool:
    """Whether it was measured higher at last than where it rests: it was being lifted."""
    if track.mean is None or track.last_fix is None:
        return False
    return track.last_fix[2] - track.mean[2] > _RISE_M
