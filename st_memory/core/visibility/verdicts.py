"""What goes into and comes out of a classification, as arrays over objects."""

from __future__ import annotations

from dataclasses import dataclass
import enum
from functools import cached_property

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
        Extents along the axes of each object's box, metres; zeros for a point.
    fixture_ids : tuple of str
        Fixture that each is in or on; '' for none.
    rotations : (N, 3, 3) float64, optional
        ``world_R_box`` of each; None when all boxes lie along the axes of the fixed frame.

    """

    centres: NDArray[np.float64]
    sizes: NDArray[np.float64]
    fixture_ids: tuple[str, ...]
    rotations: NDArray[np.float64] | None = None

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """(N, 3, 3): the three edges of each box as vectors in the fixed frame, row by row."""
        if self.rotations is None:
            return np.asarray(self.sizes[:, :, None] * np.eye(3))
        return np.asarray(self.sizes[:, :, None] * self.rotations.transpose(0, 2, 1))

    @cached_property
    def radii(self) -> NDArray[np.float64]:
        """(N,) half diagonals: the boxes lie inside these spheres; metres."""
        radii: NDArray[np.float64] = 0.5 * np.sqrt(np.einsum('ij,ij->i', self.sizes, self.sizes))
        return radii


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
        Index of the part that blocks most; ``DEPTH_OCCLUDER`` when measured depth does and no
        part explains it; ``NO_OCCLUDER`` when not hidden or when names were not asked for.
    in_view_points : int32
        Valid points of those tested.
    blocked_share : float64
        Blocked share, in [0, 1], of the lines of sight that anything was learnt about; NaN when
        there are none.
    visible_share : float64
        Share of the measured lines of sight to the object's box that nothing is in front of;
        NaN without a measured depth on them.
    surface_share : float64
        Share of those free lines of sight that end inside the object's own box; NaN without any.
    seen_through : bool
        Depth measures free space to behind the object where most of it should be.
    range_m : float64
        Distance from the camera to the centre; NaN without a pose.
    pixel_size : float64
        Larger side of the projected extent, pixels; 0 when not in view.
    pixels : (N, 2) float64
        Projection of the centre; NaN when it cannot be projected or the whole box lies outside
        the image.

    """

    geometry: NDArray[np.int8]
    cause: NDArray[np.int8]
    occluder: NDArray[np.int32]
    in_view_points: NDArray[np.int32]
    blocked_share: NDArray[np.float64]
    visible_share: NDArray[np.float64]
    surface_share: NDArray[np.float64]
    seen_through: NDArray[np.bool_]
    range_m: NDArray[np.float64]
    pixel_size: NDArray[np.float64]
    pixels: NDArray[np.float64]

    def head(self, count: int) -> Verdicts:
        """Give the verdicts on the first targets."""
        return Verdicts(**{name: array[:count] for name, array in vars(self).items()})

    @property
    def surface_seen(self) -> NDArray[np.bool_]:
        """Whether depth was measured inside the object's own box: some of it can be seen."""
        seen: NDArray[np.bool_] = self.surface_share > 0.0
        return seen

    @classmethod
    def blank(cls, count: int, geometry: int, cause: int) -> Verdicts:
        """Give verdicts that say nothing but a state and a cause, to be written into."""
        return cls(
            geometry=np.full(count, geometry, dtype=np.int8),
            cause=np.full(count, cause, dtype=np.int8),
            occluder=np.full(count, NO_OCCLUDER, dtype=np.int32),
            in_view_points=np.zeros(count, dtype=np.int32),
            blocked_share=np.full(count, np.nan),
            visible_share=np.full(count, np.nan),
            surface_share=np.full(count, np.nan),
            seen_through=np.zeros(count, dtype=bool),
            range_m=np.full(count, np.nan),
            pixel_size=np.zeros(count),
            pixels=np.full((count, 2), np.nan),
        )
