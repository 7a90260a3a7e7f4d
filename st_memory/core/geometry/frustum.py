"""The part of space that a camera has in its image, bounded by planes from outside and inside."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry.camera import CameraModel
from st_memory.core.geometry.perspective import PinholeCamera

__all__ = ['ViewPlanes', 'view_planes']

Array = NDArray[np.float64]

# Rays along each side of the image; between two of them the lens bends by less than the margin.
_RAYS_PER_SIDE = 65
_MARGIN = 0.01
# Wider than this a side cuts off next to nothing.
_MAX_TANGENT = 50.0
_CAMERA_PLANE = (0.0, 0.0, 1.0)


class ViewPlanes(NamedTuple):
    """
    Planes through the camera around what it can have in its image.

    A sphere of radius r around ``camera_p`` can be in the image only if
    ``outer @ camera_p >= -r`` in every row; all of it is in the image if
    ``inner @ camera_p >= r`` in every row. Between the two it has to be looked at point by point.

    Attributes
    ----------
    outer : (5, 3) float64
        Unit normals pointing inside, optical frame: left, right, top, bottom, and (last) the
        plane of the camera.
    inner : (5, 3) float64, optional
        The same; None where the lens has no rays for some of the image, or hardly ends.

    """

    outer: Array
    inner: Array | None


@lru_cache(maxsize=64)
def view_planes(model: CameraModel) -> ViewPlanes:
    """
    Give the planes of a camera.

    Parameters
    ----------
    model : CameraModel
        Any model; points at z <= 0 have no pixel in any of them.

    Notes
    -----
    A lens maps the plane one-to-one, so the rays of the image's border enclose those of all its
    pixels. Where the border lies beyond the lens's limit, the limit is not known to be nearer
    than the plane of the camera, and the sides are left open.

    """
    u = np.linspace(-0.5, model.width - 0.5, _RAYS_PER_SIDE)
    v = np.linspace(-0.5, model.height - 0.5, _RAYS_PER_SIDE)
    sides = [
        model.unproject(np.stack(np.broadcast_arrays(*pixels), axis=1))[:, :2]
        for pixels in ((u[0], v), (u[-1], v), (u, v[0]), (u, v[-1]))
    ]
    rays = np.concatenate(sides)
    if not np.isfinite(rays).all():
        return ViewPlanes(_planes(*[-np.inf, np.inf] * 2), None)
    low, high = rays.min(axis=0), rays.max(axis=0)
    # Without distortion the sides are straight, and the planes exact.
    is_straight = isinstance(model, PinholeCamera)
    margin = 0.0 if is_straight else _MARGIN * (1.0 + float(np.abs(rays).max()))
    outer = _planes(low[0] - margin, high[0] + margin, low[1] - margin, high[1] + margin)
    if np.abs(rays).max() + margin >= _MAX_TANGENT:
        return ViewPlanes(outer, None)  # an open side has no inside
    if is_straight:
        return ViewPlanes(outer, outer)
    left, right, top, bottom = sides
    inner = _planes(
        left[:, 0].max() + margin,
        right[:, 0].min() - margin,
        top[:, 1].max() + margin,
        bottom[:, 1].min() - margin,
    )
    return ViewPlanes(outer, inner)


def _planes(left: float, right: float, top: float, bottom: float) -> Array:
    """Planes of a rectangle of tangents and the plane of the camera."""
    sides = [
        (sign, 0.0, -sign * limit) if along == 0 else (0.0, sign, -sign * limit)
        for along, sign, limit in ((0, 1, left), (0, -1, right), (1, 1, top), (1, -1, bottom))
    ]
    limits = (left, right, top, bottom)
    planes = np.array(
        [
            side if abs(limit) < _MAX_TANGENT else _CAMERA_PLANE
            for side, limit in zip(sides, limits, strict=True)
        ]
        + [_CAMERA_PLANE]
    )
    planes /= np.sqrt((planes * planes).sum(axis=1, keepdims=True))
    planes.setflags(write=False)
    return planes
