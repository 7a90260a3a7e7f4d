"""Boxes in space: corners, the nine test points, containment and distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from st_memory.core.geometry.se3 import RigidTransform

__all__ = ['Box3D', 'axis_aligned_contains', 'axis_aligned_distances', 'axis_aligned_nine_points']

Array = NDArray[np.float64]

# Eight corners, x slowest, then the centre; times the size gives offsets from the centre.
_SIGNS = np.array(
    [[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)] + [[0.0, 0.0, 0.0]]
)
_SIGNS.setflags(write=False)


@dataclass(frozen=True)
class Box3D:
    """
    An oriented box, closed: its faces belong to it.

    Parameters
    ----------
    world_T_box : RigidTransform
        Centre and axes of the box in the world.
    size : (3,) float64
        Full edge lengths along the axes of the box, metres; zero is allowed (plate, point).

    Raises
    ------
    ValueError
        If ``size`` has another shape, or a length is negative or not finite.

    """

    world_T_box: RigidTransform
    size: tuple[float, float, float]

    def __post_init__(self) -> None:
        size = np.asarray(self.size, dtype=np.float64)
        if size.shape != (3,):
            raise ValueError(f'size: expected shape (3,), got {size.shape}')
        if not (np.isfinite(size) & (size >= 0)).all():
            raise ValueError(f'size: expected finite lengths >= 0, got {size.tolist()}')
        object.__setattr__(self, 'size', tuple(size.tolist()))

    @property
    def corners(self) -> Array:
        """(8, 3) corners in the world, metres; the box's x sign varies slowest, z fastest."""
        return self.nine_points[:8]

    @property
    def nine_points(self) -> Array:
        """(9, 3) corners, then the centre, in the world, metres."""
        return self.world_T_box.apply(_SIGNS * np.asarray(self.size))

    @property
    def volume(self) -> float:
        """Cubic metres."""
        x, y, z = self.size
        return x * y * z

    def contains(self, world_p: ArrayLike, margin_m: float = 0.0) -> NDArray[np.bool_]:
        """
        Say which points lie in the box, grown by ``margin_m`` on every side.

        Parameters
        ----------
        world_p : (N, 3) array-like
            Points in the world, metres.
        margin_m : float
            May be negative.

        Returns
        -------
        (N,) bool
            False for NaN.

        """
        return _all_within(self._beyond(world_p), margin_m)

    def distances(self, world_p: ArrayLike) -> Array:
        """
        Give the distances of points to the box.

        Parameters
        ----------
        world_p : (N, 3) array-like
            Points in the world, metres.

        Returns
        -------
        (N,) float64
            Metres; 0 inside.

        """
        return _length_outside(self._beyond(world_p))

    def _beyond(self, world_p: ArrayLike) -> Array:
        """(N, 3) distances beyond the faces along each axis of the box, negative inside."""
        points = np.asarray(world_p, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 3:
            raise ValueError(f'world_p: expected shape (N, 3), got {points.shape}')
        box_p = self.world_T_box.inverse().apply(points)
        return np.abs(box_p) - 0.5 * np.asarray(self.size)


def axis_aligned_nine_points(world_centres: ArrayLike, sizes: ArrayLike) -> Array:
    """
    Give the nine test points of many axis-aligned boxes.

    Parameters
    ----------
    world_centres, sizes : (N, 3) array-like
        Centres and full edge lengths, metres.

    Returns
    -------
    (N, 9, 3) float64
        Eight corners (x slowest, z fastest), then the centre, in the world.

    Raises
    ------
    ValueError
        If the shapes are not both (N, 3).

    """
    centres, lengths = _centres_and_sizes(world_centres, sizes)
    points: Array = centres[:, None, :] + lengths[:, None, :] * _SIGNS
    return points


def axis_aligned_contains(
    world_centres: ArrayLike, sizes: ArrayLike, world_p: ArrayLike, margin_m: float = 0.0
) -> NDArray[np.bool_]:
    """
    Say which of many axis-aligned boxes, grown by ``margin_m``, contain one point.

    Parameters
    ----------
    world_centres, sizes : (N, 3) array-like
        Centres and full edge lengths, metres.
    world_p : (3,) array-like
        One point in the world, metres.
    margin_m : float
        Added on every side.

    Returns
    -------
    (N,) bool
        Whether each box contains the point.

    """
    return _all_within(_beyond_each(world_centres, sizes, world_p), margin_m)


def axis_aligned_distances(
    world_centres: ArrayLike, sizes: ArrayLike, world_p: ArrayLike
) -> Array:
    """
    Give the distances (N,) in metres of one point (3,) to many axis-aligned boxes; 0 inside.

    Parameters
    ----------
    world_centres, sizes : (N, 3) array-like
        Centres and full edge lengths, metres.
    world_p : (3,) array-like
        One point in the world, metres.

    """
    return _length_outside(_beyond_each(world_centres, sizes, world_p))


def _beyond_each(world_centres: ArrayLike, sizes: ArrayLike, world_p: ArrayLike) -> Array:
    """(N, 3) distances of one point beyond the faces of each box, negative inside."""
    centres, lengths = _centres_and_sizes(world_centres, sizes)
    point = np.asarray(world_p, dtype=np.float64)
    if point.shape != (3,):
        raise ValueError(f'world_p: expected shape (3,), got {point.shape}')
    return np.abs(point - centres) - 0.5 * lengths


def _centres_and_sizes(world_centres: ArrayLike, sizes: ArrayLike) -> tuple[Array, Array]:
    """Check two (N, 3) arrays."""
    centres = np.asarray(world_centres, dtype=np.float64)
    lengths = np.asarray(sizes, dtype=np.float64)
    if centres.ndim != 2 or centres.shape[1] != 3 or lengths.shape != centres.shape:
        raise ValueError(
            f'boxes: expected centres and sizes of shape (N, 3), got {centres.shape} and '
            f'{lengths.shape}'
        )
    return centres, lengths


def _all_within(beyond: Array, margin_m: float) -> NDArray[np.bool_]:
    """Whether no axis lies beyond its face by more than a margin."""
    within: NDArray[np.bool_] = beyond <= margin_m
    return within[:, 0] & within[:, 1] & within[:, 2]


def _length_outside(beyond: Array) -> Array:
    """Euclidean distance from per-axis distances beyond the faces."""
    outside = np.maximum(beyond, 0.0)
    x, y, z = outside[:, 0], outside[:, 1], outside[:, 2]
    distance: Array = np.sqrt(x * x + y * y + z * z)
    return distance
