"""Embree with nothing around it: triangles in, arrays of rays in, hits out."""

from __future__ import annotations

from embreex.mesh_construction import TriangleMesh
from embreex.rtcore_scene import EmbreeScene
import numpy as np
from numpy.typing import NDArray

__all__ = ['BareScene']

Floats32 = NDArray[np.float32]

# Batches whose rays stay in the second-level cache run up to twice as fast.
_CHUNK_RAYS = 1024


class BareScene:
    """
    Triangles built once.

    Parameters
    ----------
    triangles : (T, 3, 3) float
        Corners, metres.

    """

    def __init__(self, triangles: NDArray[np.float64]) -> None:
        self._scene = EmbreeScene()
        TriangleMesh(self._scene, np.ascontiguousarray(triangles, dtype=np.float32))

    def run(
        self, origins: Floats32, directions: Floats32, reach: Floats32, query: str
    ) -> list[NDArray[np.int32]]:
        """
        Cast (N, 3) rays in batches; gives what Embree says of each, batch by batch.

        ``reach`` is in lengths of the directions. ``OCCLUDED`` and ``INTERSECT`` both give -1
        for a ray that is free.
        """
        return [
            self._scene.run(
                origins[at : at + _CHUNK_RAYS],
                directions[at : at + _CHUNK_RAYS],
                dists=reach[at : at + _CHUNK_RAYS],
                query=query,
            )
            for at in range(0, len(origins), _CHUNK_RAYS)
        ]

    def blocked(
        self, origins: Floats32, directions: Floats32, reach: Floats32
    ) -> NDArray[np.bool_]:
        """Say which of (N, 3) rays hit anything."""
        hits = self.run(origins, directions, reach, 'OCCLUDED')
        return np.concatenate(hits) >= 0 if hits else np.zeros(0, dtype=bool)

    def run_at_once(
        self, origins: Floats32, directions: Floats32, reach: Floats32, query: str = 'OCCLUDED'
    ) -> NDArray[np.int32]:
        """Cast all rays in one call: Embree alone."""
        return np.asarray(self._scene.run(origins, directions, dists=reach, query=query))
