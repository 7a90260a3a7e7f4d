"""A kitchen of a million triangles, drawn from a seed: noisy walls, cabinets, blobs, doors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import PinholeCamera, RigidTransform
from st_memory.core.records import Scene, ScenePart

__all__ = ['CAMERA', 'HIGH', 'LOW', 'POSE', 'Mesh', 'door_frames', 'kitchen', 'with_doors']

Floats = NDArray[np.float64]

LOW, HIGH = np.zeros(3), np.array([6.0, 5.0, 2.7])
_SEED = 11
_NOISE_M = 0.004
_WALL_CELLS, _CABINET_CELLS = 200, 20
_BLOB_RINGS, _BLOB_SPOKES = 32, 31
_NUM_CABINETS, _NUM_BLOBS, _NUM_DOORS = 20, 200, 20

CAMERA = PinholeCamera(640, 480, 525.0, 525.0, 319.5, 239.5)
# At eye height in a corner, looking across the room and a little down.
POSE = RigidTransform.from_matrix(
    np.column_stack(
        (
            np.column_stack(
                (
                    [0.6, -0.8, 0.0],
                    [-0.8 * 0.28, -0.6 * 0.28, -0.96],
                    [0.8 * 0.96, 0.6 * 0.96, -0.28],
                )
            ),
            [0.5, 0.6, 1.6],
        )
    )
)


class Mesh(NamedTuple):
    """Vertices (V, 3), metres, and triangles (T, 3)."""

    vertices: Floats
    triangles: NDArray[np.int32]


def kitchen(fineness: float = 1.0) -> Scene:
    """
    Give the room, its cabinets and its blobs; nothing moves.

    Parameters
    ----------
    fineness : float
        1 gives some 970 thousand triangles, less gives fewer in their square.

    """
    # Two sources: what stands where does not depend on the fineness.
    rng, noise = np.random.default_rng(_SEED), np.random.default_rng(_SEED + 1)
    walls, fronts, rings, spokes = (
        max(2, round(fineness * cells))
        for cells in (_WALL_CELLS, _CABINET_CELLS, _BLOB_RINGS, _BLOB_SPOKES)
    )
    meshes = {'room': _rough_box(noise, LOW, HIGH, walls)}
    for i in range(_NUM_CABINETS):
        size = rng.uniform([0.4, 0.3, 0.4], [0.8, 0.6, 0.9])
        low = _place_at_wall(rng, size)
        meshes[f'cabinet_{i}'] = _rough_box(noise, low, low + size, fronts)
    for i in range(_NUM_BLOBS):
        centre = rng.uniform(LOW + 0.2, HIGH - 0.2)
        meshes[f'blob_{i}'] = _blob(rng, centre, float(rng.uniform(0.04, 0.15)), rings, spokes)
    return Scene(tuple(_part(name, mesh) for name, mesh in meshes.items()))


def with_doors(scene: Scene) -> Scene:
    """Give a scene with twenty doors, each a box of twelve triangles in a frame of its own."""
    door = _rough_box(np.random.default_rng(_SEED), np.zeros(3), np.array([0.4, 0.02, 0.6]), 1)
    doors = [_part(name, door, name) for name in door_frames()]
    return Scene((*scene.parts, *doors))


def door_frames() -> list[str]:
    """Give the frames of the doors."""
    return [f'door_{i}' for i in range(_NUM_DOORS)]


def _part(name: str, mesh: Mesh, frame_id: str = '') -> ScenePart:
    return ScenePart(name, '' if name == 'room' else name, frame_id, *mesh)


def _place_at_wall(rng: np.random.Generator, size: Floats) -> Floats:
    """Give the low corner of a cabinet that stands or hangs at one of the walls."""
    low = rng.uniform(LOW, HIGH - size)
    axis = int(rng.integers(0, 2))
    low[axis] = LOW[axis] if rng.integers(0, 2) else HIGH[axis] - size[axis]
    return low


def _rough_box(rng: np.random.Generator, low: Floats, high: Floats, cells: int) -> Mesh:
    """Give six faces of ``2 cells^2`` triangles each, as noisy as a depth camera makes them."""
    grid = np.linspace(0.0, 1.0, cells + 1)
    a, b = (g.ravel() for g in np.meshgrid(grid, grid, indexing='ij'))
    corner = np.arange((cells + 1) ** 2, dtype=np.int32).reshape(cells + 1, cells + 1)
    vertices, triangles = [], []
    for axis in range(3):
        for end in (0.0, 1.0):
            face = np.empty((len(a), 3))
            face[:, axis] = end
            face[:, (axis + 1) % 3], face[:, (axis + 2) % 3] = a, b
            face = low + face * (high - low)
            face[:, axis] += rng.normal(scale=_NOISE_M, size=len(a))
            triangles.append(_two_a_cell(corner) + np.int32(len(vertices) * len(a)))
            vertices.append(face)
    return Mesh(np.concatenate(vertices), np.concatenate(triangles))


def _blob(
    rng: np.random.Generator, centre: Floats, radius: float, rings: int, spokes: int
) -> Mesh:
    """Give a bumpy ball."""
    polar = np.linspace(0.0, np.pi, rings + 1)
    around = np.linspace(0.0, 2 * np.pi, spokes + 1)
    p, q = (g.ravel() for g in np.meshgrid(polar, around, indexing='ij'))
    waves, phase = rng.integers(2, 6, 2), rng.uniform(0, 2 * np.pi)
    reach = radius * (1 + 0.2 * np.sin(waves[0] * p) * np.sin(waves[1] * q + phase))
    directions = np.column_stack((np.sin(p) * np.cos(q), np.sin(p) * np.sin(q), np.cos(p)))
    corner = np.arange(len(p), dtype=np.int32).reshape(len(polar), len(around))
    return Mesh(centre + directions * reach[:, None], _two_a_cell(corner))


def _two_a_cell(corner: NDArray[np.int32]) -> NDArray[np.int32]:
    """Give the two triangles of each cell of a grid of vertex numbers."""
    a, b, c, d = corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]
    halves = [np.stack((a, b, c), axis=-1), np.stack((a, c, d), axis=-1)]
    return np.concatenate([half.reshape(-1, 3) for half in halves])
