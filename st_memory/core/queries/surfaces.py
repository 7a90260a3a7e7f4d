"""The surfaces of a scene as triangles, and points on them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from st_memory.core.records import Fixture, Scene

__all__ = ['box_triangles', 'scene_meshes', 'surface_samples']

Array = NDArray[np.float64]

# Samples across a large triangle; beyond it a coarser grid is no finer than the samples.
_MAX_SPLIT = 400


def scene_meshes(scene: Scene) -> Iterator[tuple[str, Array]]:
    """Give the triangles (T, 3, 3) of each part whose place is known, by fixture."""
    rest = {} if scene.articulation is None else scene.articulation.rest_poses()
    for part in scene.parts:
        if not len(part.triangles) or (part.frame_id and part.frame_id not in rest):
            continue
        vertices = part.vertices
        if part.frame_id:
            vertices = rest[part.frame_id].apply(vertices)
        yield part.fixture_id, vertices[part.triangles]


def box_triangles(fixture: Fixture) -> Array:
    """Give the faces of a fixture's box as triangles (12, 3, 3)."""
    half = np.array(fixture.size_m) / 2
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = fixture.world_T_box.apply(signs * half)
    faces = [(0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5)]
    triangles = [t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]
    return np.asarray(corners[np.array(triangles)])


def surface_samples(corners: Array, spacing_m: float) -> Iterator[Array]:
    """Give points (N, 3) on triangles no further apart than a spacing."""
    edges = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    splits = np.clip(np.ceil(edges / spacing_m), 1, _MAX_SPLIT).astype(int)
    for split in np.unique(splits).tolist():
        a, b = np.mgrid[0 : split + 1, 0 : split + 1]
        inside = a + b <= split
        u, v = a[inside] / split, b[inside] / split
        weights = np.column_stack((1 - u - v, u, v))
        group = corners[splits == split]
        step = max(1, 2_000_000 // len(weights))
        for at in range(0, len(group), step):
            yield (weights @ group[at : at + step]).reshape(-1, 3)
