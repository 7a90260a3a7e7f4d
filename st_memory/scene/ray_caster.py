"""Rays against the scene with Embree."""

from __future__ import annotations

from collections.abc import Sequence

from embreex.mesh_construction import TriangleMesh
from embreex.rtcore_scene import EmbreeScene
import numpy as np
from numpy.typing import NDArray

from st_memory.core.ports import NO_PART
from st_memory.scene.split_ray_caster import SplitRayCaster, TriangleSet

__all__ = ['EmbreeRayCaster']

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]

# Batches whose rays and hits stay in the second-level cache run up to twice as fast.
_BATCH_RAYS = 2048


class _Triangles:
    """
    One committed Embree scene and the part that each of its triangles belongs to.

    Parameters
    ----------
    corners : sequence of (T, 3, 3) float64
        Triangles per part, metres, relative to the caster's centre.
    parts : sequence of int
        Index of the part of each entry of ``corners``.

    """

    def __init__(self, corners: Sequence[Floats], parts: Sequence[int]) -> None:
        self.part_of_triangle = np.repeat(
            np.asarray(parts, dtype=np.int32), [len(c) for c in corners]
        )
        self._scene = EmbreeScene()
        if len(self.part_of_triangle):
            TriangleMesh(self._scene, np.concatenate(corners).astype(np.float32))

    def nearest(
        self, origins: Floats32, directions: Floats32, reach: Floats32
    ) -> tuple[Floats, NDArray[np.int32]]:
        """Give distance (inf without a hit) and part of the first hit within the reach."""
        distance = np.full(len(origins), np.inf)
        part = np.full(len(origins), NO_PART, dtype=np.int32)
        if not len(self.part_of_triangle):
            return distance, part
        hits = self._scene.run(
            origins,
            directions,
            dists=reach,
            query='INTERSECT',
            output=True,
        )
        found = np.flatnonzero((hits['primID'] >= 0) & (reach > 0.0))
        distance[found] = hits['tfar'][found]
        part[found] = self.part_of_triangle[hits['primID'][found]]
        return distance, part

    def blocked(
        self, origins: Floats32, directions: Floats32, reach: Floats32
    ) -> NDArray[np.bool_]:
        """Tell which rays hit anything nearer than their reach."""
        if not len(self.part_of_triangle):
            return np.zeros(len(origins), dtype=bool)
        found = self._scene.run(origins, directions, dists=reach, query='OCCLUDED')
        blocked: NDArray[np.bool_] = (found >= 0) & (reach > 0.0)
        return blocked


class EmbreeRayCaster(SplitRayCaster):
    """
    The runtime :class:`~st_memory.core.ports.RayCaster`, on Embree 4.

    Parameters
    ----------
    scene : Scene
        Parts with ``frame_id`` '' never move; the others are absent until their frame is posed.

    """

    batch_rays = _BATCH_RAYS

    def _build(self, corners: Sequence[Floats], parts: Sequence[int]) -> TriangleSet:
        """Build an Embree scene."""
        return _Triangles(corners, parts)
