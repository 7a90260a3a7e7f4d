"""What a whole look is off by: when all that rests seems to have moved, the camera has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association import Measurement
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track

__all__ = ['common_shifts']

Array = NDArray[np.float64]

# So many others must be off alike: one may have been moved along.
_MIN_OTHERS = 2


def common_shifts(
    pairs: Sequence[tuple[Track, Measurement]], settings: MemorySettings
) -> dict[Track, Array]:
    """
    Give for each match of a look how far the others at rest are off, where they agree.

    A pose that drifts shifts all that is seen by it. Nothing is said where fewer than two others
    rest in view, where they are off in different ways, or by more than a move: then they are
    carried together, as on a tray.

    Parameters
    ----------
    pairs : sequence of (Track, Measurement)
        Matches of one look.
    settings : MemorySettings
        How far apart one place may be measured, and from where on it is a move.

    Returns
    -------
    dict of Track to (3,) float64
        Metres in the fixed frame.

    """
    at_rest = {
        track: m.world_p - np.array(track.mean)
        for track, m in pairs
        if track.mean is not None and not (track.in_motion or track.trail or m.is_partial)
    }
    shifts = {}
    for track, _ in pairs:
        others = np.array([off for t, off in at_rest.items() if t is not track])
        if len(others) < _MIN_OTHERS:
            continue
        middle = np.median(others, axis=0)
        apart = others - middle
        is_alike = np.einsum('ij,ij->i', apart, apart) <= settings.same_object_m**2
        is_small = middle @ middle <= settings.move_distance_m**2
        if is_alike.sum() >= _MIN_OTHERS and 2 * is_alike.sum() > len(others) and is_small:
            shifts[track] = middle
    return shifts
