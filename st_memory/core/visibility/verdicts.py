"""What comes out of a classification, as arrays over objects."""

from __future__ import annotations

from dataclasses import dataclass
import enum
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from st_memory.core.records import Visibility

__all__ = [
    'DEPTH_OCCLUDER',
    'NO_OCCLUDER',
    'SELF_OCCLUDER',
    'Cause',
    'Looked',
    'Verdicts',
]

_T = TypeVar('_T', bound=np.generic)

NO_OCCLUDER = -1
DEPTH_OCCLUDER = -2
SELF_OCCLUDER = -3


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
        word = _WORDS[self]
        return f'{word}:{occluder}' if self is Cause.OCCLUDED_BY else word


_WORDS = {cause: cause.name.lower() for cause in Cause}


class Looked(NamedTuple):
    """
    What is known of the M targets that may reach into the image, arrays of length M.

    The fields are those of :class:`Verdicts`; ``rows`` (M,) are their rows there, ascending.
    """

    rows: NDArray[np.intp]
    in_view_points: NDArray[np.int32]
    occluder: NDArray[np.int32]
    blocked_share: NDArray[np.float64]
    visible_share: NDArray[np.float64]
    surface_share: NDArray[np.float64]
    seen_through: NDArray[np.bool_]
    range_m: NDArray[np.float64]
    pixel_size: NDArray[np.float64]

    @classmethod
    def blank(cls, rows: NDArray[np.intp]) -> Looked:
        """Give room for what will be found out."""
        count = len(rows)
        shares = np.full((3, count), np.nan)
        return cls(
            rows=rows,
            in_view_points=np.zeros(count, dtype=np.int32),
            occluder=np.full(count, NO_OCCLUDER, dtype=np.int32),
            blocked_share=shares[0],
            visible_share=shares[1],
            surface_share=shares[2],
            seen_through=np.zeros(count, dtype=bool),
            range_m=np.empty(count),
            pixel_size=np.zeros(count),
        )


@dataclass(frozen=True, eq=False)
class Verdicts:
    """
    One verdict per target, all arrays of length N.

    Most targets are far outside the image; what can be known only of the others is spread over
    all N when it is asked for.

    Attributes
    ----------
    geometry : int8
        ``Visibility`` values VISIBLE, OUT_OF_VIEW, OCCLUDED, AMBIGUOUS_FIXTURE or UNKNOWN.
    cause : int8
        ``Cause`` values.
    looked : Looked
        The rest, of those that may reach into the image.
    occluder : int32
        Index of the part that blocks most; ``DEPTH_OCCLUDER`` when measured depth does and no
        part explains it; ``SELF_OCCLUDER`` when the own body does; ``NO_OCCLUDER`` when not
        hidden or when names were not asked for.
    in_view_points : int32
        Valid points of those tested.
    blocked_share : float64
        Blocked share, in [0, 1], of the lines of sight that anything was learnt about; NaN when
        there are none.
    visible_share : float64
        Share of the measured lines of sight to the object's box that nothing is in front of,
        those that the own body blocks among them; NaN without a depth image or without any.
    surface_share : float64
        Share of those free lines of sight that end inside the object's own box; NaN without any.
    seen_through : bool
        Depth measures free space to behind the object where most of it should be.
    range_m : float64
        Distance from the camera to the centre; NaN without a pose and far outside the image.
    pixel_size : float64
        Larger side of the projected extent, pixels; 0 when not in view.

    """

    geometry: NDArray[np.int8]
    cause: NDArray[np.int8]
    looked: Looked

    @classmethod
    def unknown(cls, count: int, cause: Cause) -> Verdicts:
        """Give verdicts of a look that could not judge anything."""
        return cls(
            geometry=np.full(count, Visibility.UNKNOWN, dtype=np.int8),
            cause=np.full(count, cause, dtype=np.int8),
            looked=Looked.blank(np.zeros(0, dtype=np.intp)),
        )

    def split(self, count: int) -> tuple[Verdicts, Verdicts]:
        """Give the verdicts of the first ``count`` targets, and those of the others."""
        at = int(np.searchsorted(self.looked.rows, count))
        first = Looked._make(column[:at] for column in self.looked)
        others = Looked._make(column[at:] for column in self.looked)
        return (
            Verdicts(self.geometry[:count], self.cause[:count], first),
            Verdicts(
                self.geometry[count:],
                self.cause[count:],
                others._replace(rows=others.rows - count),
            ),
        )

    @cached_property
    def occluder(self) -> NDArray[np.int32]:
        """(N,) int32: what hides each."""
        return self._spread(self.looked.occluder, NO_OCCLUDER)

    @cached_property
    def in_view_points(self) -> NDArray[np.int32]:
        """(N,) int32: how many test points are valid."""
        return self._spread(self.looked.in_view_points, 0)

    @cached_property
    def blocked_share(self) -> NDArray[np.float64]:
        """(N,) float64: blocked share of the lines of sight."""
        return self._spread(self.looked.blocked_share, np.nan)

    @cached_property
    def visible_share(self) -> NDArray[np.float64]:
        """(N,) float64: free share of the measured lines of sight."""
        return self._spread(self.looked.visible_share, np.nan)

    @cached_property
    def surface_share(self) -> NDArray[np.float64]:
        """(N,) float64: share of the free ones that end in the box."""
        return self._spread(self.looked.surface_share, np.nan)

    @cached_property
    def seen_through(self) -> NDArray[np.bool_]:
        """(N,) bool: depth lies behind all of it."""
        return self._spread(self.looked.seen_through, False)

    @cached_property
    def range_m(self) -> NDArray[np.float64]:
        """(N,) float64: distance from the camera."""
        return self._spread(self.looked.range_m, np.nan)

    @cached_property
    def pixel_size(self) -> NDArray[np.float64]:
        """(N,) float64: larger side of the projection."""
        return self._spread(self.looked.pixel_size, 0.0)

    @property
    def surface_seen(self) -> NDArray[np.bool_]:
        """Whether depth was measured inside the object's own box: some of it can be seen."""
        seen: NDArray[np.bool_] = self.surface_share > 0.0
        return seen

    def _spread(self, known: NDArray[_T], rest: float) -> NDArray[_T]:
        """Give what is known of some for all."""
        out = np.full(len(self.geometry), rest, dtype=known.dtype)
        out[self.looked.rows] = known
        return out
