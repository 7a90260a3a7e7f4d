"""Lines of sight to boxes: a lattice over each, and where they enter and leave it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import CameraModel
from st_memory.core.visibility.targets import Targets
from st_memory.core.visibility.view import Eye, Rows

__all__ = ['Lines', 'share_of']

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

# A point has no outline; a box of this half edge around it has.
_MIN_HALF_M = 0.005


class _Boxes(NamedTuple):
    """
    Boxes in the optical frame of a camera.

    Attributes
    ----------
    centres : (R, 3) float64
        Metres.
    axes : (R, 3, 3) float64
        Unit axes as columns.
    halves : (R, 3) float64
        Half edges, metres, all > 0.

    """

    centres: Array
    axes: Array
    halves: Array

    def depths_along(self, rays: Array) -> tuple[Array, Array]:
        """
        Give where lines of sight enter and leave the boxes.

        Parameters
        ----------
        rays : (R, L, 3) float64
            Lines from the camera, of z = 1, so that depth is the parameter along them.

        Returns
        -------
        near, far : (R, L) float64
            Depths, metres; near > far where a line misses its box.

        """
        along = rays @ self.axes  # (R, L, 3), in the axes of each box
        centre = np.einsum('ra,rab->rb', self.centres, self.axes)[:, None, :]
        with np.errstate(divide='ignore', invalid='ignore'):
            one = (centre - self.halves[:, None, :]) / along
            other = (centre + self.halves[:, None, :]) / along
        near = np.fmin(one, other).max(axis=2)
        far = np.fmax(one, other).min(axis=2)
        return near, far


class Lines(NamedTuple):
    """
    Lines of sight to R boxes, L to each.

    Attributes
    ----------
    u, v : (R, L) intp
        The pixels that they go through.
    rays : (R, L, 3) float64
        Optical frame, of z = 1; NaN where the lens has none.
    near, far : (R, L) float64
        Depths where they enter and leave their box, metres.
    met : (R, L) bool
        Which of them meet their box in front of the camera; at least one of each object's.

    """

    u: Rows
    v: Rows
    rays: Array
    near: Array
    far: Array
    met: Mask

    @classmethod
    def to(cls, offset: Array, targets: Targets, rows: Rows, eye: Eye) -> Lines:
        """
        Spread a lattice of lines over the rectangle around each object's projected corners.

        Parameters
        ----------
        offset : (3, P, R) float64
            The R objects' test points, from the camera, fixed frame, metres.
        targets, rows
            All objects, and which of them these are.
        eye : Eye
            The camera.

        """
        camera_p = eye.camera_p(offset)
        centres = camera_p[:, -1].T
        u, v = _lattice(eye.pixels(camera_p), eye.model, eye.preset.depth_lattice)
        pixels = np.stack((u, v), axis=-1).astype(np.float64)
        rays = eye.model.unproject(pixels.reshape(-1, 2)).reshape(*u.shape, 3)
        near, far = _boxes(centres, targets, rows, eye).depths_along(rays)
        met = (near <= far) & (far > 0.0)  # false where the lens has no ray
        _aim_at_centres(met, near, far, centres)
        return cls(u, v, rays, near, far, met)

    def through(self, own_body: Mask) -> tuple[Mask, Array]:
        """Give which lines (R, L) the own body (H, W) blocks, and which share (R,) that is."""
        blocked = self.met & own_body[self.v, self.u]
        return blocked, share_of(blocked, self.met)


def _lattice(corners: Array, model: CameraModel, side: int) -> tuple[Rows, Rows]:
    """Pixels (R, side * side) over the part of each object's rectangle that is in the image."""
    steps = (np.arange(side) + 0.5) / side
    columns = []
    for axis, size in ((0, model.width), (1, model.height)):
        at = corners[..., axis]  # (P, R)
        # A corner that cannot be projected may be anywhere beyond the border.
        is_open = np.isnan(at).any(axis=0)
        low = np.where(is_open, -0.5, np.fmin.reduce(at, axis=0))
        high = np.where(is_open, size - 0.5, np.fmax.reduce(at, axis=0))
        low, high = np.clip(low, -0.5, size - 0.5), np.clip(high, -0.5, size - 0.5)
        spread = low[:, None] + steps * (high - low)[:, None]
        columns.append(np.clip(np.rint(spread).astype(np.intp), 0, size - 1))
    u, v = columns
    count = len(u)
    return (
        np.broadcast_to(u[:, None, :], (count, side, side)).reshape(count, -1),
        np.broadcast_to(v[:, :, None], (count, side, side)).reshape(count, -1),
    )


def _boxes(centres: Array, targets: Targets, rows: Rows, eye: Eye) -> _Boxes:
    """Put the boxes of some targets into the optical frame."""
    camera_R_world = eye.world_R_camera.T
    if targets.rotations is None:
        axes = np.broadcast_to(camera_R_world, (len(rows), 3, 3))
    else:
        axes = camera_R_world @ targets.rotations[rows]
    return _Boxes(centres, axes, np.maximum(targets.sizes[rows] / 2, _MIN_HALF_M))


def _aim_at_centres(met: Mask, near: Array, far: Array, centres: Array) -> None:
    """Where a box slips through the lattice, let the line in its middle stand for it."""
    missed = np.flatnonzero(~met.any(axis=1))
    middle = met.shape[1] // 2
    depth = centres[missed, 2]
    met[missed, middle], near[missed, middle], far[missed, middle] = True, depth, depth


def share_of(some: Mask, of: Mask) -> Array:
    """Share (R,) of the lines; NaN where there are none."""
    share, count = np.full(len(of), np.nan), of.sum(axis=1)
    np.divide(some.sum(axis=1), count, out=share, where=count > 0)
    return share
