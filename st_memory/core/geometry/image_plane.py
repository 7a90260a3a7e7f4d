"""What all camera models share: checked inputs, the perspective division, plane <-> pixels."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from st_memory.core.geometry.camera import Projection

__all__ = [
    'MIN_DEPTH_M',
    'ImagePlane',
    'check_image_size',
    'check_numbers',
    'check_valid_radius',
    'points_xyz',
    'project_in_chunks',
    'tangents',
    'uniform_scale',
]

Array = NDArray[np.float64]

# At or below this depth a point has no pixel, whatever the model says.
MIN_DEPTH_M = 1e-9
_CHUNK_POINTS = 16384


class ImagePlane(NamedTuple):
    """Affine map between the image plane (unitless) and pixels: ``u = fx x + cx``."""

    fx: float
    fy: float
    cx: float
    cy: float

    def to_pixels(
        self, x: Array, y: Array, projectable: NDArray[np.bool_], out: Array | None = None
    ) -> Projection:
        """
        Give (N, 2) pixels, NaN where not ``projectable``; into ``out`` if it is given.

        ``x`` and ``y`` are used up.
        """
        pixels = np.empty((x.shape[0], 2)) if out is None else out
        x *= self.fx
        y *= self.fy
        np.add(x, self.cx, out=pixels[:, 0])
        np.add(y, self.cy, out=pixels[:, 1])
        if not projectable.all():
            pixels[~projectable] = np.nan
        return Projection(pixels, projectable)

    def from_pixels(self, pixels: ArrayLike) -> tuple[Array, Array]:
        """Give the plane coordinates of (N, 2) pixels; ValueError for another shape."""
        p = np.asarray(pixels, dtype=np.float64)
        if p.ndim != 2 or p.shape[1] != 2:
            raise ValueError(f'pixels: expected shape (N, 2), got {p.shape}')
        return (p[:, 0] - self.cx) / self.fx, (p[:, 1] - self.cy) / self.fy

    def scaled(self, scale_u: float, scale_v: float) -> ImagePlane:
        """Give the map after resizing the image; pixel centres stay at integer coordinates."""
        return ImagePlane(
            self.fx * scale_u,
            self.fy * scale_v,
            (self.cx + 0.5) * scale_u - 0.5,
            (self.cy + 0.5) * scale_v - 0.5,
        )


def project_in_chunks(
    project: Callable[[Array, Array], Projection], camera_p: ArrayLike
) -> Projection:
    """
    Project (N, 3) points so many at a time that what is computed on the way stays in the cache.

    Parameters
    ----------
    project : callable
        Projects (n, 3) points, each by itself, and writes their pixels into (n, 2).
    camera_p : (N, 3) array-like
        Points in the optical frame, metres.

    Raises
    ------
    ValueError
        For another shape.

    """
    p = np.asarray(camera_p, dtype=np.float64)
    if p.ndim != 2 or p.shape[1] != 3:
        raise ValueError(f'camera_p: expected shape (N, 3), got {p.shape}')
    pixels, projectable = np.empty((len(p), 2)), np.empty(len(p), dtype=bool)
    for at in range(0, len(p), _CHUNK_POINTS):
        rows = slice(at, at + _CHUNK_POINTS)
        projectable[rows] = project(p[rows], pixels[rows]).projectable
    return Projection(pixels, projectable)


def points_xyz(camera_p: ArrayLike) -> tuple[Array, Array, Array]:
    """Split (N, 3) points into x, y, z; ValueError for another shape."""
    p = np.asarray(camera_p, dtype=np.float64)
    if p.ndim != 2 or p.shape[1] != 3:
        raise ValueError(f'camera_p: expected shape (N, 3), got {p.shape}')
    return p[:, 0], p[:, 1], p[:, 2]


def tangents(camera_p: ArrayLike, limit: float) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    """
    Divide (N, 3) points by their depth.

    Returns
    -------
    x, y, r2 : (N,) float64
        Tangents and squared radius; 0 where not valid, so that later powers stay finite.
    valid : (N,) bool
        In front of the camera and within ``limit``; False for NaN.

    """
    x, y, z = points_xyz(camera_p)
    in_front = z > MIN_DEPTH_M
    inverse = 1.0 / (z if in_front.all() else np.where(in_front, z, 1.0))
    x, y = x * inverse, y * inverse
    r2 = x * x
    r2 += y * y
    valid = r2 <= limit * limit
    valid &= in_front
    if not valid.all():
        x, y, r2 = np.where(valid, x, 0.0), np.where(valid, y, 0.0), np.where(valid, r2, 0.0)
    return x, y, r2, valid


def check_image_size(width: int, height: int) -> None:
    """Raise ValueError unless both are positive."""
    if width <= 0 or height <= 0:
        raise ValueError(f'image size: expected width, height > 0, got {width} x {height}')


def check_numbers(**numbers: float) -> None:
    """Raise ValueError unless every number is finite and every ``f*`` is positive."""
    for name, value in numbers.items():
        if not np.isfinite(value):
            raise ValueError(f'{name}: expected a finite number, got {value}')
        if name.startswith('f') and value <= 0:
            raise ValueError(f'{name}: expected a focal length > 0, got {value}')


def check_valid_radius(valid_radius_px: float | None) -> None:
    """Raise ValueError unless it is None or a finite positive number."""
    if valid_radius_px is not None and not 0 < valid_radius_px < np.inf:
        raise ValueError(f'valid_radius_px: expected a number > 0, got {valid_radius_px}')


def uniform_scale(scale_u: float, scale_v: float) -> float:
    """Give the common scale of both axes; ValueError if they differ by more than 1e-9."""
    if abs(scale_u - scale_v) > 1e-9 * scale_u:
        raise ValueError(
            f'resized: expected one scale for both axes, got {scale_u:.6g} and {scale_v:.6g}'
        )
    return scale_u
