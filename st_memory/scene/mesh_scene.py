"""Mesh files into scenes: axes, units, names, and an account of what was dropped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import FaceCounts, usable_faces
from st_memory.core.records import Scene, ScenePart
from st_memory.scene.fixtures import (
    fixture_id_of,
    fixture_label,
    is_structure,
    make_fixtures,
)
from st_memory.scene.gltf import read_gltf
from st_memory.scene.mesh_files import read_obj, read_stl
from st_memory.scene.meshes import FileMesh, SceneFileError
from st_memory.scene.ply import read_ply
from st_memory.scene.report import (
    extent_of,
    LoadedScene,
    MAX_EXTENT_M,
    none_usable,
    SceneReport,
    size_warnings,
)

__all__ = ['MESH_SUFFIXES', 'UpAxis', 'read_mesh_file', 'read_mesh_scene']

UpAxis = Literal['y', 'z']
Floats = NDArray[np.float64]

_READERS: dict[str, Callable[[Path], list[FileMesh]]] = {
    '.glb': read_gltf,
    '.gltf': read_gltf,
    '.obj': read_obj,
    '.ply': read_ply,
    '.stl': read_stl,
}
MESH_SUFFIXES = tuple(_READERS)
# glTF fixes y as up; the other formats leave it open, and robot maps have z up.
_UP_BY_SUFFIX: dict[str, UpAxis] = {'.glb': 'y', '.gltf': 'y'}
_WORLD_FROM_FILE = {
    'z': np.eye(3),
    'y': np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
}


class _PlacedMesh(NamedTuple):
    """A mesh in the fixed frame, with the axes of its node there."""

    name: str
    vertices: Floats
    triangles: NDArray[np.int32]
    linear: Floats


def read_mesh_file(file: Path) -> list[FileMesh]:
    """
    Read the meshes of a file, in the file's own axes and unit.

    Parameters
    ----------
    file : Path
        ``.glb``, ``.gltf``, ``.obj``, ``.ply`` or ``.stl``.

    Raises
    ------
    SceneFileError
        If the file is missing, cannot be read, or is of another or a damaged format.

    """
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        known = ', '.join(sorted(_READERS))
        raise SceneFileError(f'{file}: expected a mesh ({known}), found {file.suffix!r}')
    if not file.is_file():
        raise SceneFileError(f'{file}: expected a mesh file, found none there')
    try:
        return reader(file)
    except OSError as error:
        raise SceneFileError(f'{file}: cannot be read ({error.strerror})') from error


def read_mesh_scene(
    file: Path, *, up: UpAxis | None = None, unit_m: float | None = None
) -> LoadedScene:
    """
    Read a mesh file as a scene in which nothing moves.

    Parameters
    ----------
    file, up, unit_m
        As for :func:`st_memory.scene.read_scene`.

    Raises
    ------
    SceneFileError, ValueError
        As :func:`st_memory.scene.read_scene`.

    """
    axis = _UP_BY_SUFFIX.get(file.suffix.lower(), 'z') if up is None else up
    if axis not in _WORLD_FROM_FILE:
        raise ValueError(f"up: expected 'y' or 'z', got {axis!r}")
    if unit_m is not None and not unit_m > 0.0:
        raise ValueError(f'unit_m: expected > 0, got {unit_m}')
    meshes = _named(read_mesh_file(file), file.stem)
    world_from_file = _WORLD_FROM_FILE[axis] * (1.0 if unit_m is None else unit_m)
    placed, faces, dropped = _place(meshes, world_from_file)
    if not placed:
        raise SceneFileError(f'{file}: expected triangles, found {none_usable(faces)}')
    vertices = {m.name: m.vertices for m in placed}
    extent = extent_of(vertices)
    if unit_m is None and max(extent) > MAX_EXTENT_M:
        raise SceneFileError(
            f'{file}: expected metres, found a scene {max(extent):.0f} m long: if its unit is '
            'the millimetre, say unit_m: 0.001 in a scene description'
        )
    scene = _assemble(placed)
    report = SceneReport(
        len(scene.parts), len(scene.fixtures), faces, dropped, extent, size_warnings(vertices)
    )
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
