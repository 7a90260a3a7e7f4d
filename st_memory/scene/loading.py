"""Scene files into scenes: axes, units, names, and an account of what was dropped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.records import Scene, ScenePart
from st_memory.scene.fixtures import (
    fixture_id_of,
    fixture_label,
    is_structure,
    make_fixtures,
)
from st_memory.scene.gltf import read_gltf
from st_memory.scene.mesh_files import read_obj, read_stl
from st_memory.scene.meshes import FaceCounts, FileMesh, SceneFileError, usable_faces
from st_memory.scene.ply import read_ply

__all__ = ['LoadedScene', 'SceneReport', 'UpAxis', 'load_scene', 'read_scene']

UpAxis = Literal['y', 'z']
Floats = NDArray[np.float64]

_READERS: dict[str, Callable[[Path], list[FileMesh]]] = {
    '.glb': read_gltf,
    '.gltf': read_gltf,
    '.obj': read_obj,
    '.ply': read_ply,
    '.stl': read_stl,
}
# glTF fixes y as up; the other formats leave it open, and robot maps have z up.
_UP_BY_SUFFIX: dict[str, UpAxis] = {'.glb': 'y', '.gltf': 'y'}
_WORLD_FROM_FILE = {
    'z': np.eye(3),
    'y': np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
}
# No indoor place is longer; a kitchen in millimetres is.
_MAX_EXTENT_M = 1000.0


@dataclass(frozen=True)
class SceneReport:
    """
    What a scene file held.

    Parameters
    ----------
    num_parts, num_fixtures : int
        Parts and fixtures made.
    faces : FaceCounts
        Faces kept, and dropped as not finite, out of range or without area.
    dropped_parts : tuple of str
        Names of meshes of which no face was left.
    extent_m : (3,) float
        Size of the box around all parts along the axes of the fixed frame, metres.

    """

    num_parts: int
    num_fixtures: int
    faces: FaceCounts
    dropped_parts: tuple[str, ...]
    extent_m: tuple[float, float, float]


class LoadedScene(NamedTuple):
    """A scene and the account of its reading."""

    scene: Scene
    report: SceneReport


class _PlacedMesh(NamedTuple):
    """A mesh in the fixed frame, with the axes of its node there."""

    name: str
    vertices: Floats
    triangles: NDArray[np.int32]
    linear: Floats


def load_scene(
    path: str | Path, *, up: UpAxis | None = None, unit_m: float | None = None
) -> Scene:
    """
    Read a scene file; see :func:`read_scene`, which also says what was dropped.

    Parameters
    ----------
    path, up, unit_m
        As in :func:`read_scene`.

    Returns
    -------
    Scene
        Parts in the fixed frame (none of them moves), and their fixtures.

    Raises
    ------
    SceneFileError
        As :func:`read_scene`.

    """
    return read_scene(path, up=up, unit_m=unit_m).scene


def read_scene(
    path: str | Path, *, up: UpAxis | None = None, unit_m: float | None = None
) -> LoadedScene:
    """
    Read a scene file and say what it held.

    Every named mesh becomes a part; ``a/b`` belongs to fixture ``a``. Walls, ceilings and the
    like are parts of no fixture.

    Parameters
    ----------
    path : path
        ``.glb``, ``.gltf``, ``.obj``, ``.ply`` or ``.stl``.
    up : 'y' or 'z', optional
        Axis of the file that points up; by default y for glTF (its specification) and z for the
        others. With y up, (x, y, z) of the file becomes (x, -z, y).
    unit_m : float, optional
        Length of the file's unit in metres. When it is not given, metres are assumed and a
        scene longer than 1 km is refused.

    Returns
    -------
    LoadedScene
        The scene, z up, metres, and its report.

    Raises
    ------
    SceneFileError
        If the file is missing, of another or a damaged format, without any usable face, or
        1000 times too large.
    ValueError
        If ``up`` or ``unit_m`` is not one of the above.

    """
    file = Path(path)
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        known = ', '.join(sorted(_READERS))
        raise SceneFileError(f'{file}: expected a scene file ({known}), found {file.suffix!r}')
    if not file.is_file():
        raise SceneFileError(f'{file}: expected a scene file, found none there')
    axis = _UP_BY_SUFFIX.get(file.suffix.lower(), 'z') if up is None else up
    if axis not in _WORLD_FROM_FILE:
        raise ValueError(f"up: expected 'y' or 'z', got {axis!r}")
    if unit_m is not None and not unit_m > 0.0:
        raise ValueError(f'unit_m: expected > 0, got {unit_m}')
    meshes = _named(reader(file), file.stem)
    world_from_file = _WORLD_FROM_FILE[axis] * (1.0 if unit_m is None else unit_m)
    placed, faces, dropped = _place(meshes, world_from_file)
    if not placed:
        raise SceneFileError(f'{file}: expected triangles, found none that can be used')
    extent = _extent(placed)
    if unit_m is None and max(extent) > _MAX_EXTENT_M:
        raise SceneFileError(
            f'{file}: expected metres, found a scene {max(extent):.0f} m long: if its unit is '
            'the millimetre, give unit_m 0.001'
        )
    scene = _assemble(placed)
    report = SceneReport(len(scene.parts), len(scene.fixtures), faces, dropped, extent)
    return LoadedScene(scene, report)


def _named(meshes: Sequence[FileMesh], fallback: str) -> list[FileMesh]:
    """Give every mesh a name of its own."""
    taken: dict[str, int] = {}
    out = []
    for mesh in meshes:
        name = mesh.name or fallback
        taken[name] = taken.get(name, 0) + 1
        while taken[name] > 1:
            name = f'{name}#{taken[name]}'
            taken[name] = taken.get(name, 0) + 1
        out.append(FileMesh(name, mesh.vertices, mesh.triangles, mesh.file_T_mesh))
    return out


def _place(
    meshes: Sequence[FileMesh], world_from_file: Floats
) -> tuple[list[_PlacedMesh], FaceCounts, tuple[str, ...]]:
    """Put meshes into the fixed frame and drop what cannot be used."""
    placed, dropped, total = [], [], FaceCounts()
    for mesh in meshes:
        linear = world_from_file @ mesh.file_T_mesh[:3, :3]
        offset = world_from_file @ mesh.file_T_mesh[:3, 3]
        with np.errstate(invalid='ignore'):  # vertices that are not finite are dropped below
            world = mesh.vertices @ linear.T + offset
        vertices, triangles, counts = usable_faces(world, mesh.triangles)
        total = total.plus(counts)
        if counts.kept:
            placed.append(_PlacedMesh(mesh.name, vertices, triangles, linear))
        else:
            dropped.append(mesh.name)
    return placed, total, tuple(dropped)


def _extent(placed: Sequence[_PlacedMesh]) -> tuple[float, float, float]:
    """Size of the box around everything."""
    low = np.min([m.vertices.min(axis=0) for m in placed], axis=0)
    high = np.max([m.vertices.max(axis=0) for m in placed], axis=0)
    size = high - low
    return float(size[0]), float(size[1]), float(size[2])


def _assemble(placed: Sequence[_PlacedMesh]) -> Scene:
    """Make parts, and fixtures from the parts of one name."""
    parts: list[ScenePart] = []
    vertices_of: dict[str, list[Floats]] = {}
    linear_of: dict[str, Floats] = {}
    for mesh in placed:
        name = fixture_id_of(mesh.name)
        fixture_id = '' if is_structure(fixture_label(name)) else name
        parts.append(ScenePart(mesh.name, fixture_id, '', mesh.vertices, mesh.triangles))
        vertices_of.setdefault(name, []).append(mesh.vertices)
        linear_of.setdefault(name, mesh.linear)
    return Scene(tuple(parts), make_fixtures(vertices_of, linear_of))
