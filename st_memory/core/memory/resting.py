"""Where things rest, as arrays: all detections are held against all of it at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association import Measurement, UNREACHABLE
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import LifeCycle

__all__ = ['Resting', 'rest_costs']

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_NEVER = -(2**63)
_RETIRED, _ABSENT = int(LifeCycle.RETIRED), int(LifeCycle.ABSENT)
_NOWHERE = (0.0, 0.0, 0.0)
# Far above rounding: whatever is passed over would fail at every measurement.
_SLACK = 1e-9


class Resting(NamedTuple):
    """
    What the matching asks of N tracks.

    Attributes
    ----------
    is_live, is_absent, is_moving : (N,) bool
        Not merged into another; shown to be gone; being moved.
    is_placed : (N,) bool
        Has a place of rest.
    places : (N, 3) float64
        That place in the fixed frame, metres; zeros where there is none.
    variances : (N,) float64
        Spread of its measurements, square metres.
    last_fix_ns : (N,) int64
        When it was measured last; the least int64 where it never was.

    """

    is_live: Mask
    is_absent: Mask
    is_moving: Mask
    is_placed: Mask
    places: Array
    variances: Array
    last_fix_ns: NDArray[np.int64]

    @classmethod
    def zeros(cls, count: int) -> Resting:
        """Make room for some tracks."""
        return cls(
            is_live=np.zeros(count, dtype=bool),
            is_absent=np.zeros(count, dtype=bool),
            is_moving=np.zeros(count, dtype=bool),
            is_placed=np.zeros(count, dtype=bool),
            places=np.zeros((count, 3)),
            variances=np.zeros(count),
            last_fix_ns=np.full(count, _NEVER, dtype=np.int64),
        )

    @classmethod
    def of(cls, tracks: Sequence[Track]) -> Resting:
        """Read some tracks."""
        fresh = cls.zeros(len(tracks))
        if tracks:
            fresh.write(np.arange(len(tracks)), tracks)
        return fresh

    def write(self, rows: NDArray[np.intp], tracks: Sequence[Track]) -> None:
        """Write the rows of some tracks anew."""
        self.is_live[rows] = [t.life_cycle != _RETIRED for t in tracks]
        self.is_absent[rows] = [t.life_cycle == _ABSENT for t in tracks]
        self.is_moving[rows] = [t.in_motion for t in tracks]
        self.is_placed[rows] = [t.mean is not None for t in tracks]
        self.places[rows] = [_NOWHERE if t.mean is None else t.mean for t in tracks]
        self.variances[rows] = [t.variance for t in tracks]
        self.last_fix_ns[rows] = [
            _NEVER if t.last_fix_ns is None else t.last_fix_ns for t in tracks
        ]

    def take(self, which: Mask) -> Resting:
        """Give some rows."""
        return Resting(
            self.is_live[which],
            self.is_absent[which],
            self.is_moving[which],
            self.is_placed[which],
            self.places[which],
            self.variances[which],
            self.last_fix_ns[which],
        )

    def fixed_since(self, stamp_ns: int) -> Mask:
        """Whether each was measured at a stamp or after it, (N,)."""
        since: Mask = (self.last_fix_ns >= stamp_ns) & (self.last_fix_ns != _NEVER)
        return since


def rest_costs(resting: Resting, seen: Sequence[Measurement], settings: MemorySettings) -> Array:
    """
    Hold measurements against the places of rest.

    Parameters
    ----------
    resting : Resting
        N tracks.
    seen : sequence of Measurement
        M of them, at least one.
    settings : MemorySettings
        Gates.

    Returns
    -------
    (N, M) float64
        Sigmas from where each track rests; unreachable outside the gate, and for what does not
        rest.

    """
    costs = np.full((len(resting.places), len(seen)), UNREACHABLE)
    targets, rays = np.array([m.world_p for m in seen]), np.array([m.world_ray for m in seen])
    ray_sigmas = np.square([m.ray_sigma_m for m in seen])
    lateral_sigmas = np.square([m.lateral_sigma_m for m in seen])
    resting_rows = np.flatnonzero(resting.is_placed & ~resting.is_moving)
    if not len(resting_rows):
        return costs
    places, variances = resting.places[resting_rows], resting.variances[resting_rows]
    widest = np.maximum(ray_sigmas, lateral_sigmas) + variances.max()
    reach = np.maximum(settings.same_object_m**2, settings.gate_sigmas**2 * widest)
    row, column = np.nonzero(_may_reach(places, targets, reach))
    gaps = targets[column] - places[row]
    squared = np.einsum('pk,pk->p', gaps, gaps)
    along = np.square(np.einsum('pk,pk->p', gaps, rays[column]))
    own = np.square(np.sqrt(variances[row]))
    sigmas = np.sqrt(
        along / (ray_sigmas[column] + own)
        + np.maximum(0.0, squared - along) / (lateral_sigmas[column] + own)
    )
    near = (squared <= settings.same_object_m**2) | (sigmas <= settings.gate_sigmas)
    costs[resting_rows[row[near]], column[near]] = sigmas[near]
    return costs


def _may_reach(places: Array, targets: Array, reach: Array) -> Mask:
    """
    Whether (M, 3) targets may be within reach of (N, 3) places, (N, M).

    ``reach`` is squared, (M,). Most pairs are far apart: a product of matrices leaves them out,
    and what is left is measured to the last bit.
    """
    own, other = np.einsum('ij,ij->i', places, places), np.einsum('ij,ij->i', targets, targets)
    squared = np.dot(places, -2.0 * targets.T)
    squared += other
    slack = _SLACK * (own.max() + other.max())
    within: Mask = squared <= (reach * (1.0 + _SLACK) + slack) - own[:, None]
    return within
