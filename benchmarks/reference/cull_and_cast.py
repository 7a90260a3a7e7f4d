"""
The nine-point rule on bare arrays: cull by spheres, then by points, then Embree batches.

A struct of arrays, (3, N), in chunks that stay in the second-level cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.reference.bare_rays import BareScene

__all__ = ['BoxArrays', 'BoxCuller', 'Lens', 'Seen']

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_SIGNS = np.array(
    [[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)] + [[0.0, 0.0, 0.0]]
)
_MIN_POINTS = 5  # of nine in the image
_TOLERANCE_M, _TOLERANCE_SHARE = 0.03, 0.02  # hits this near to the point do not block it
_CHUNK_BOXES = 4096


class Lens(NamedTuple):
    """A pinhole camera, pixels."""

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float


class BoxArrays(NamedTuple):
    """Boxes along the axes of the fixed frame, one array a number: (3, N) metres and (N,)."""

    centres: Floats
    sizes: Floats
    radii: Floats

    @classmethod
    def of(cls, centres: Floats, sizes: Floats) -> BoxArrays:
        """Rearrange (N, 3) centres and sizes."""
        by_axis = np.ascontiguousarray(sizes.T)
        return cls(np.ascontiguousarray(centres.T), by_axis, np.sqrt((by_axis**2).sum(axis=0)) / 2)


class Seen(NamedTuple):
    """Rows of the boxes in view, ascending, and which of those are hidden."""

    in_view: NDArray[np.intp]
    hidden: Mask


class BoxCuller:
    """
    Boxes against one camera.

    Parameters
    ----------
    triangles : (T, 3, 3) float
        Of the whole scene in the fixed frame, metres.
    lens : Lens
        The camera.

    """

    def __init__(self, triangles: Floats, lens: Lens) -> None:
        self.scene, self.lens = BareScene(triangles), lens
        left, right = (-0.5 - lens.cx) / lens.fx, (lens.width - 0.5 - lens.cx) / lens.fx
        top, bottom = (-0.5 - lens.cy) / lens.fy, (lens.height - 0.5 - lens.cy) / lens.fy
        sides = np.array([[1, 0, -left], [-1, 0, right], [0, 1, -top], [0, -1, bottom]])
        # Inward normals in the camera's axes. What is inside all four is before the camera.
        self._planes = sides / np.sqrt((sides**2).sum(axis=1))[:, None]

    def look(self, boxes: BoxArrays, world_R_camera: Floats, eye: Floats) -> Seen:
        """
        Say which boxes are in view and which of those are hidden by the scene.

        Parameters
        ----------
        boxes : BoxArrays
            In the fixed frame.
        world_R_camera : (3, 3) float64
            Axes of the camera in the fixed frame, as columns.
        eye : (3,) float64
            The camera, fixed frame.

        """
        in_view, hidden = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=bool)]
        for rows, valid, rays in self.points_in_view(boxes, world_R_camera, eye):
            blocked = np.zeros(valid.shape, dtype=bool)
            blocked[valid] = self._blocked(rays, eye)
            in_view.append(rows)
            hidden.append(blocked.sum(axis=1) * 2 >= valid.sum(axis=1))
        return Seen(np.concatenate(in_view), np.concatenate(hidden))

    def rays_of(
        self, boxes: BoxArrays, world_R_camera: Floats, eye: Floats
    ) -> tuple[Floats, Floats]:
        """Give eye to point (N, 3) of every valid point in view, and the lengths (N,), metres."""
        seen = self.points_in_view(boxes, world_R_camera, eye)
        found = np.concatenate([np.zeros((0, 3)), *(rays.T for _, _, rays in seen)])
        return found, np.sqrt((found**2).sum(axis=1))

    def points_in_view(
        self, boxes: BoxArrays, world_R_camera: Floats, eye: Floats
    ) -> Iterator[tuple[NDArray[np.intp], Mask, Floats]]:
        """
        Go through the boxes in view, chunk by chunk.

        Gives their rows, which of their points (R, 9) are in the image, and the offsets (3, N)
        from the camera to those.
        """
        planes = self._planes @ world_R_camera.T
        for at in range(0, len(boxes.radii), _CHUNK_BOXES):
            chunk = slice(at, at + _CHUNK_BOXES)
            # Signed distances of the centres from the planes of the view, (4, chunk).
            margin = planes @ boxes.centres[:, chunk]
            margin -= (planes @ eye)[:, None]
            near = np.flatnonzero(_least(margin) > -boxes.radii[chunk])
            if not len(near):
                continue
            valid = _points_inside(
                margin.take(near, axis=1), planes, boxes.sizes[:, chunk].take(near, axis=1)
            )
            kept = valid.sum(axis=0) >= _MIN_POINTS
            rows, inside = near[kept] + at, np.ascontiguousarray(valid[:, kept].T)
            yield rows, inside, _rays(boxes, rows, inside, eye)

    def _blocked(self, rays: Floats, eye: Floats) -> Mask:
        """Say which of (3, N) rays end behind something."""
        x, y, z = rays
        length = np.sqrt(x * x + y * y + z * z)
        directions = np.empty((len(x), 3), dtype=np.float32)
        directions[:, 0], directions[:, 1], directions[:, 2] = x, y, z
        origins = np.empty_like(directions)
        origins[:] = eye
        reach = 1.0 - np.maximum(_TOLERANCE_M / length, _TOLERANCE_SHARE)
        return self.scene.blocked(origins, directions, reach.astype(np.float32))


def _points_inside(margin: Floats, planes: Floats, sizes: Floats) -> Mask:
    """
    Say which of the nine points of each box lie inside all planes, (9, R).

    A plane's distance of a corner is that of the centre, (4, R), plus or minus half an edge along
    each axis: sums of three terms instead of nine products with the planes.
    """
    halves = 0.5 * sizes
    x, y, z = (planes[:, i, None] * halves[i] for i in range(3))
    num = margin.shape[1]
    corners = np.empty((2, 2, 2, 4, num))
    along_x = np.empty((2, 1, 1, 4, num))
    np.subtract(margin, x, out=along_x[0, 0, 0])
    np.add(margin, x, out=along_x[1, 0, 0])
    np.subtract(along_x[:, 0], y, out=corners[:, 0, :1])
    np.add(along_x[:, 0], y, out=corners[:, 1, :1])
    np.add(corners[:, :, 0], z, out=corners[:, :, 1])
    corners[:, :, 0] -= z
    valid = np.empty((9, num), dtype=bool)
    np.greater(_least(np.moveaxis(corners.reshape(8, 4, num), 1, 0)), 0, out=valid[:8])
    np.greater(_least(margin), 0, out=valid[8])
    return valid


def _least(margin: Floats) -> Floats:
    """Give the least of the four distances, (4, ...): faster than a reduction."""
    a, b, c, d = margin
    return np.minimum(np.minimum(a, b), np.minimum(c, d))


def _rays(boxes: BoxArrays, rows: NDArray[np.intp], valid: Mask, eye: Floats) -> Floats:
    """
    Give eye to point (3, N) of the valid points (R, 9) of some boxes.

    Box by box: rays that go the same way one after the other find the same nodes in the cache.
    """
    rays = boxes.sizes.take(rows, axis=1)[:, :, None] * _SIGNS.T[:, None, :]
    rays += (boxes.centres.take(rows, axis=1) - eye[:, None])[:, :, None]
    return rays.reshape(3, -1).take(np.flatnonzero(valid), axis=1)
