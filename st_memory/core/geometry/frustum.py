"""The part of space that a camera can have in its image, bounded by planes."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry.camera import CameraModel

__all__ = ['view_planes']

Array = NDArray[np.float64]

# Rays along each side of the image; between two of them the lens bends by less than the margin.
_RAYS_PER_SIDE = 65
_MARGIN = 0.01
# Wider than this a side cuts off next to nothing.
_MAX_TANGENT = 50.0


@lru_cache(maxsize=64)
def view_planes(model: CameraModel) -> Array:
    """
    Give planes through the camera that everything in its image lies inside of.

    A sphere of radius r around ``camera_p`` can be in the image only if
    ``planes @ camera_p >= -r`` in every row. The reverse does not hold: the planes enclose the
    image, with a margin for curved lenses.

    Parameters
    ----------
    model : CameraModel
        Any model; points at z <= 0 have no pixel in any of them.

    Returns
    -------
    (5, 3) float64
        Unit normals pointing inside, optical frame: left, right, top, bottom, and (last) the
        plane of the camera.

    Notes
    -----
    A lens maps the plane one-to-one, so the rays of the image's border enclose those of all its
    pixels. Where the border lies beyond the lens's limit, the limit is not known to be nearer
    than the plane of the camera, and that side is left open.

    """
    u = np.linspace(-0.5, model.width - 0.5, _RAYS_PER_SIDE)
    v = np.linspace(-0.5, model.height - 0.5, _RAYS_PER_SIDE)
    border = np.concatenate(
        [
            np.stack((u, np.full_like(u, v[0])), axis=1),
            np.stack((u, np.full_like(u, v[-1])), axis=1),
            np.stack((np.full_like(v, u[0]), v), axis=1),
            np.stack((np.full_like(v, u[-1]), v), axis=1),
        ]
    )
    rays = model.unproject(border)
    if np.isfinite(rays).all():
        low, high = rays[:, :2].min(axis=0), rays[:, :2].max(axis=0)
        low -= _MARGIN * (1.0 + np.abs(low))
        high += _MARGIN * (1.0 + np.abs(high))
    else:
        low, high = np.full(2, -_MAX_TANGENT), np.full(2, _MAX_TANGENT)
    left, top = np.maximum(low, -_MAX_TANGENT)
    right, bottom = np.minimum(high, _MAX_TANGENT)
    sides = np.array(
        [[1.0, 0.0, -left], [-1.0, 0.0, right], [0.0, 1.0, -top], [0.0, -1.0, bottom]]
    )
    sides /= np.sqrt((sides * sides).sum(axis=1, keepdims=True))
    planes = np.vstack((sides, [[0.0, 0.0, 1.0]]))
    open_sides = np.array([left, right, top, bottom])
    planes[:4][np.abs(open_sides) >= _MAX_TANGENT] = (0.0, 0.0, 1.0)
    planes.setflags(write=False)
    return planes
