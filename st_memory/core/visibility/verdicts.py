"""What goes into and comes out of a classification, as arrays over objects."""

from __future__ import annotations

from dataclasses import dataclass
import enum

import numpy as np
from numpy.typing import NDArray

__all__ = ['DEPTH_OCCLUDER', 'NO_OCCLUDER', 'Cause', 'Targets', 'Verdicts']

NO_OCCLUDER = -1
DEPTH_OCCLUDER = -2


@enum.unique
class Cause(enum.IntEnum):
    """Why a verdict is what it is; :meth:`text` is the word that leaves the core."""

    IN_VIEW = 0
    BEHIND_CAMERA = 1
    OUTSIDE_IMAGE = 2
    OUTSIDE_VALID_CIRCLE = 3
    BEYOND_RANGE = 4
    OCCLUDED_BY = 5
    NO_POSE = 6
    INVALID_DEPTH = 7
    DETECTOR_SILENT = 8
    NOT_DETECTED = 9
    SEEN_THROUGH = 10
    IN_MOTION = 11
    DETECTED = 12
    NOT_YET_LOCATED = 13

    def text(self, occluder: str = '') -> str:
        """Give the cause string of the interfaces; with the occluder's name where it has one."""
        word = self.name.lower()
        return f'{word}:{occluder}' if self is Cause.OCCLUDED_BY else word


@dataclass(frozen=True, eq=False)
class Targets:
    """
    Objects to classify.

    Parameters
    ----------
    centres : (N, 3) float64
        In the fixed frame, metres.
    sizes : (N, 3) float64
        Extents along the fixed frame's axes, metres; zeros for a point.
    fixture_ids : tuple of str
        Fixture that each is in or on; '' for none.

    """

    centres: NDArray[np.float64]
    sizes: NDArray[np.float64]
    fixture_ids: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Verdicts:
    """
    One verdict per target, all arrays of length N.

    Attributes
    ----------
    geometry : int8
        ``Visibility`` values VISIBLE, OUT_OF_VIEW, OCCLUDED, AMBIGUOUS_FIXTURE or UNKNOWN.
    cause : int8
        ``Cause`` values.
    occluder : int32
        Index of the blocking part; ``DEPTH_OCCLUDER`` or ``NO_OCCLUDER``.
    in_view_points : int32
        Valid points of those tested.
    blocked_share : float64
        Blocked share, in [0, 1], of the in-view points that anything was learnt about: all with
        a scene to cast rays into, else those with a measured depth; NaN when there are none.
    seen_through : bool
        Depth measures free space to behind the object where most of it should be.
    range_m : float64
        Distance from the camera to the centre.
    pixel_size : float64
        Larger side of the projected extent, pixels; 0 when not in view.
    pixels : (N, 2) float64
        Projection of the centre; NaN when it cannot be projected.

    """

    geometry: NDArray[np.int8]
    cause: NDArray[np.int8]
    occluder: NDArray[np.int32]
    in_view_points: NDArray[np.int32]
    blocked_share: NDArray[np.float64]
    seen_through: NDArray[np.bool_]
    range_m: NDArray[np.float64]
    pixel_size: NDArray[np.float64]
    pixels: NDArray[np.float64]
