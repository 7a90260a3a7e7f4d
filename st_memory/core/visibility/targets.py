"""What goes into a classification, as arrays over objects."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ['Targets', 'radii_of']


@dataclass(frozen=True, eq=False)
class Targets:
    """
    Objects to classify.

    Parameters
    ----------
    centres : (N, 3) float64
        In the fixed frame, metres.
    sizes : (N, 3) float64
        Extents along the axes of each object's box, metres; zeros for a point.
    fixture_ids : tuple of str
        Fixture that each is in or on; '' for none.
    rotations : (N, 3, 3) float64, optional
        ``world_R_box`` of each; None when all boxes lie along the axes of the fixed frame.
    radii : (N,) float64, optional
        Half diagonals, metres; worked out when they are not given.

    """

    centres: NDArray[np.float64]
    sizes: NDArray[np.float64]
    fixture_ids: tuple[str, ...]
    rotations: NDArray[np.float64] | None = None

    radii: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        if len(self.radii) != len(self.sizes):
            object.__setattr__(self, 'radii', radii_of(self.sizes))

    def joined(self, others: Targets) -> Targets:
        """Give these targets and then others."""
        rotations = None
        if self.rotations is not None or others.rotations is not None:
            rotations = np.concatenate([_rotations_of(self), _rotations_of(others)])
        return Targets(
            np.concatenate([self.centres, others.centres]),
            np.concatenate([self.sizes, others.sizes]),
            self.fixture_ids + others.fixture_ids,
            rotations,
            np.concatenate([self.radii, others.radii]),
        )


def _rotations_of(targets: Targets) -> NDArray[np.float64]:
    if targets.rotations is not None:
        return targets.rotations
    return np.tile(np.eye(3), (len(targets.centres), 1, 1))


def radii_of(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the half diagonals (N,) of boxes with extents (N, 3): they lie inside such spheres."""
    radii: NDArray[np.float64] = 0.5 * np.sqrt(np.einsum('ij,ij->i', sizes, sizes))
    return radii
