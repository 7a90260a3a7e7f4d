"""Depth that was measured from another place, as the colour camera would have measured it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import CameraModel, RigidTransform

__all__ = ['depth_of_points', 'register_depth']

# A depth pixel covers at most so many pixels of the colour image in each direction.
_MAX_FOOTPRINT = 8


def register_depth(
    depth_m: NDArray[np.float32],
    depth_model: CameraModel,
    camera_T_depth: RigidTransform,
    model: CameraModel,
) -> NDArray[np.float32]:
    """
    Give a depth image as seen from another camera.

    Parameters
    ----------
    depth_m : (H, W) float32
        Metres along the axis of the depth camera; NaN where not measured.
    depth_model : CameraModel
        Of the depth camera, for images of that size.
    camera_T_depth : RigidTransform
        From the optical frame of the depth camera to that of the other one.
    model : CameraModel
        The other camera.

    Returns
    -------
    (model.height, model.width) float32
        The nearest of what falls on a pixel; NaN where nothing does, which is no free space.

    """
    rows, columns = np.nonzero(~np.isnan(depth_m))
    rays = depth_model.unproject(np.stack([columns, rows], axis=1).astype(np.float64))
    points = rays * depth_m[rows, columns, None]
    footprint = math.ceil(model.focal_px / depth_model.focal_px - 1e-3)
    moved = camera_T_depth.apply(points[~np.isnan(points).any(axis=1)])
    return depth_of_points(moved, model, min(max(footprint, 1), _MAX_FOOTPRINT))


def depth_of_points(
    camera_p: NDArray[np.float64], model: CameraModel, footprint: int = 1
) -> NDArray[np.float32]:
    """
    Give the depth image of points.

    Parameters
    ----------
    camera_p : (N, 3) float64
        In the optical frame, metres.
    model : CameraModel
        Gives size and pixels.
    footprint : int
        Each point fills a square of so many pixels, so that what is near has no holes through
        which what is behind it shows.

    Returns
    -------
    (model.height, model.width) float32
        The nearest point of each pixel, metres along the axis; NaN where there is none.

    """
    height, width = model.height, model.width
    nearest = np.full((height, width), np.nan, dtype=np.float32)
    if not len(camera_p):
        return nearest
    pixels, projectable = model.project(camera_p)
    ahead = np.flatnonzero(projectable & (camera_p[:, 2] > 0))
    centres = np.rint(pixels[ahead])
    inside = (centres >= 0).all(axis=1) & (centres < (width, height)).all(axis=1)
    ahead, (columns, rows) = ahead[inside], centres[inside].astype(np.intp).T
    # Of the points on a pixel the last one written stays: the nearest.
    order = np.argsort(-camera_p[ahead, 2], kind='stable')
    nearest[rows[order], columns[order]] = camera_p[ahead[order], 2]
    return nearest if footprint == 1 else _spread(nearest, footprint)


def _spread(depth_m: NDArray[np.float32], footprint: int) -> NDArray[np.float32]:
    """Let each measurement fill a square around its pixel; the nearest counts."""
    before = (footprint - 1) // 2
    for axis in (0, 1):
        padding = [(0, 0), (0, 0)]
        padding[axis] = (footprint - 1 - before, before)
        padded = np.pad(depth_m, padding, constant_values=np.nan)
        length = depth_m.shape[axis]
        shifted = [padded.take(range(i, i + length), axis=axis) for i in range(footprint)]
        depth_m = np.fmin.reduce(shifted)
    return depth_m
