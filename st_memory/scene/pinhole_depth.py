"""Depth images as a camera without distortion would give them."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import CameraModel, PinholeCamera

__all__ = ['pinhole_depth']


def pinhole_depth(
    depth_m: NDArray[np.float32], model: CameraModel
) -> tuple[NDArray[np.float32], PinholeCamera]:
    """
    Give a depth image without distortion.

    Parameters
    ----------
    depth_m : (H, W) float32
        Along the optical axis, metres.
    model : CameraModel
        The camera that took it.

    Returns
    -------
    depth_m : (H, W) float32
        The same for a pinhole camera: the nearest pixel's depth, never a mean of two surfaces;
        NaN where the camera does not look.
    model : PinholeCamera
        Of the same size and focal length, the optical axis in the middle where there was
        distortion.

    """
    if isinstance(model, PinholeCamera):
        return depth_m, model
    pinhole = PinholeCamera(
        model.width,
        model.height,
        model.focal_px,
        model.focal_px,
        (model.width - 1) / 2,
        (model.height - 1) / 2,
    )
    rows, columns, is_seen = _sources(model, pinhole)
    resampled = np.where(is_seen, depth_m[rows, columns], np.float32(np.nan))
    return resampled.astype(np.float32), pinhole


@functools.lru_cache(maxsize=8)
def _sources(
    model: CameraModel, pinhole: PinholeCamera
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
    """Pixel of the camera that each pixel of the pinhole camera comes from, and whether any."""
    height, width = model.height, model.width
    v, u = np.mgrid[0:height, 0:width]
    rays = pinhole.unproject(np.column_stack([u.ravel(), v.ravel()]).astype(np.float64))
    projection = model.project(rays)
    pixels = np.where(projection.projectable[:, None], projection.pixels, -1.0)
    nearest = np.rint(pixels).astype(np.intp)
    is_seen = ((nearest >= 0) & (nearest < [width, height])).all(axis=1)
    if model.valid_circle is not None:
        centre_u, centre_v, radius = model.valid_circle
        is_seen &= np.hypot(pixels[:, 0] - centre_u, pixels[:, 1] - centre_v) <= radius
    nearest[~is_seen] = 0
    shape = (height, width)
    return nearest[:, 1].reshape(shape), nearest[:, 0].reshape(shape), is_seen.reshape(shape)
