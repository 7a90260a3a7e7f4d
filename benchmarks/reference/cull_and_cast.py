"""The nine-point rule on bare arrays: cull by spheres, then by points, then one Embree batch."""

from __future__ import annotations

from typing import NamedTuple

from embreex.mesh_construction import TriangleMesh
from embreex.rtcore_scene import EmbreeScene
import numpy as np
from numpy.typing import NDArray

__all__ = ['BoxCuller', 'Lens', 'Seen']

Floats = NDArray[np.float64]

_SIGNS = np.array(
    [[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)] + [[0.0, 0.0, 0.0]]
)
_MIN_POINTS = 5  # of nine in the image
_TOLERANCE_M, _TOLERANCE_SHARE = 0.03, 0.02  # hits this near to the point do not block it


class Lens(NamedTuple):
    """A pinhole camera, pixels."""

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float


class Seen(NamedTuple):
    """Rows of the boxes in view, ascending, and which of those are hidden."""

    in_view: NDArray[np.intp]
    hidden: NDArray[np.bool_]


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
        self._scene = EmbreeScene()
        TriangleMesh(self._scene, np.ascontiguousarray(triangles, dtype=np.float32))
        self._lens = lens
        left, right = (-0.5 - lens.cx) / lens.fx, (lens.width - 0.5 - lens.cx) / lens.fx
        top, bottom = (-0.5 - lens.cy) / lens.fy, (lens.height - 0.5 - lens.cy) / lens.fy
        sides = np.array([[1, 0, -left], [-1, 0, right], [0, 1, -top], [0, -1, bottom]])
        # Inward normals of the four sides of the view, and of the plane of the camera.
        self._planes = np.vstack(
            [sides / np.linalg.norm(sides, axis=1, keepdims=True), [[0, 0, 1]]]
        )

    def look(
        self, centres: Floats, sizes: Floats, radii: Floats, world_R_camera: Floats, eye: Floats
    ) -> Seen:
        """
        Say which boxes are in view and which of those are hidden by the scene.

        Parameters
        ----------
        centres, sizes : (N, 3) float64
            Boxes along the axes of the fixed frame, metres.
        radii : (N,) float64
            Half diagonals.
        world_R_camera : (3, 3) float64
            Axes of the camera in the fixed frame, as columns.
        eye : (3,) float64
            The camera, fixed frame.

        """
        offset = centres - eye
        planes = self._planes @ world_R_camera.T
        near = ((offset @ planes.T) > -radii[:, None]).all(axis=1)
        rows = np.flatnonzero(near)
        points = offset[rows][:, None, :] + sizes[rows][:, None, :] * _SIGNS
        camera_p = points @ world_R_camera
        lens, z = self._lens, camera_p[..., 2]
        with np.errstate(divide='ignore', invalid='ignore'):
            u = camera_p[..., 0] / z * lens.fx + lens.cx
            v = camera_p[..., 1] / z * lens.fy + lens.cy
        valid = z > 0
        valid &= (u >= -0.5) & (u < lens.width - 0.5) & (v >= -0.5) & (v < lens.height - 0.5)
        count = valid.sum(axis=1)
        kept = count >= _MIN_POINTS
        valid, count = valid[kept], count[kept]
        return Seen(rows[kept], self._blocked(points[kept], valid, eye) * 2 >= count)

    def _blocked(self, points: Floats, valid: NDArray[np.bool_], eye: Floats) -> NDArray[np.intp]:
        """Count the blocked points of each box."""
        rays = points[valid]
        length = np.sqrt(np.einsum('ij,ij->i', rays, rays))
        reach = length - np.maximum(_TOLERANCE_M, _TOLERANCE_SHARE * length)
        origins = np.empty((len(rays), 3), dtype=np.float32)
        origins[:] = eye
        blocked = np.zeros(valid.shape, dtype=bool)
        if len(rays):
            blocked[valid] = (
                self._scene.run(
                    origins,
                    (rays / length[:, None]).astype(np.float32),
                    dists=reach.astype(np.float32),
                    query='OCCLUDED',
                )
                >= 0
            )
        return np.asarray(blocked.sum(axis=1))
