"""Rays against the scene with Open3D, the second opinion on what hides what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from st_memory.core.ports import NO_PART
from st_memory.scene.open3d_library import import_open3d
from st_memory.scene.split_ray_caster import SplitRayCaster, TriangleSet

if TYPE_CHECKING:
    from types import ModuleType

    from st_memory.core.records import Scene

__all__ = ['Open3dRayCaster']

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]


class _Triangles:
    """
    One Open3D ray casting scene and the part that each of its triangles belongs to.

    Parameters
    ----------
    open3d : module
        The library.
    corners : sequence of (T, 3, 3) float64
        Triangles per part, metres, relative to the caster's centre.
    parts : sequence of int
        Index of the part of each entry of ``corners``.

    """

    def __init__(
        self, open3d: ModuleType, corners: Sequence[Floats], parts: Sequence[int]
    ) -> None:
        self.part_of_triangle = np.repeat(
            np.asarray(parts, dtype=np.int32), [len(c) for c in corners]
        )
        self._open3d = open3d
        self._scene = open3d.t.geometry.RaycastingScene()
        if len(self.part_of_triangle):
            vertices = np.concatenate(corners).astype(np.float32).reshape(-1, 3)
            triangles = np.arange(len(vertices), dtype=np.uint32).reshape(-1, 3)
            self._scene.add_triangles(open3d.core.Tensor(vertices), open3d.core.Tensor(triangles))

    def nearest(
        self, origins: Floats32, directions: Floats32, reach: Floats32
    ) -> tuple[Floats, NDArray[np.int32]]:
        """Give distance (inf without a hit) and part of the first hit within the reach."""
        distance = np.full(len(origins), np.inf)
        part = np.full(len(origins), NO_PART, dtype=np.int32)
        if not len(self.part_of_triangle):
            return distance, part
        rays = np.concatenate([origins, directions], axis=1)
        hits = self._scene.cast_rays(self._open3d.core.Tensor(rays))
        # Open3D's rays have no end of their own: a first hit beyond the reach is no hit.
        reached = hits['t_hit'].numpy().astype(np.float64)
        rows = np.flatnonzero(reached < reach)
        distance[rows] = reached[rows]
        part[rows] = self.part_of_triangle[hits['primitive_ids'].numpy()[rows]]
        return distance, part

    def blocked(
        self, origins: Floats32, directions: Floats32, reach: Floats32
    ) -> NDArray[np.bool_]:
        """Tell which rays hit anything nearer than their reach."""
        _, part = self.nearest(origins, directions, reach)
        blocked: NDArray[np.bool_] = part != NO_PART
        return blocked


class Open3dRayCaster(SplitRayCaster):
    """
    A :class:`~st_memory.core.ports.RayCaster` on Open3D's ``RaycastingScene``.

    It answers as :class:`~st_memory.scene.ray_caster.EmbreeRayCaster` does. Open3D casts large
    batches on all cores and builds large meshes faster; it is a large optional dependency.

    Parameters
    ----------
    scene : Scene
        Parts with ``frame_id`` '' never move; the others are absent until their frame is posed.

    Raises
    ------
    MissingExtraError
        If open3d is not installed.
    StMemoryError
        If it is installed and cannot be loaded (a system library is missing).

    """

    def __init__(self, scene: Scene) -> None:
        self._open3d = import_open3d('casting rays')
        super().__init__(scene)

    def _build(self, corners: Sequence[Floats], parts: Sequence[int]) -> TriangleSet:
        """Build an Open3D scene."""
        return _Triangles(self._open3d, corners, parts)
