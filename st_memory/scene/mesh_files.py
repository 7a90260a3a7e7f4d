"""Meshes of OBJ and STL files."""

from __future__ import annotations

from pathlib import Path
import struct

import numpy as np
from numpy.typing import NDArray

from st_memory.scene.meshes import fan_triangles, FileMesh, SceneFileError

__all__ = ['read_obj', 'read_stl']

_STL_RECORD = np.dtype([('normal', '<f4', 3), ('corners', '<f4', (3, 3)), ('attribute', '<u2')])
_STL_HEADER_BYTES = 84


def read_obj(path: Path) -> list[FileMesh]:
    """
    Read a Wavefront OBJ file: one mesh per object or group name.

    Parameters
    ----------
    path : Path
        The file; materials, normals and texture coordinates are not read.

    Returns
    -------
    list of FileMesh
        In the order in which the names first get a face.

    Raises
    ------
    SceneFileError
        If a line cannot be read; its number is named.

    """
    vertices: list[list[float]] = []
    faces: dict[str, list[tuple[int, int, int]]] = {}
    name = ''
    for number, line in enumerate(path.read_text(errors='replace').splitlines(), start=1):
        words = line.split('#', 1)[0].split()
        if not words:
            continue
        try:
            if words[0] == 'v':
                vertices.append([float(w) for w in words[1:4]])
            elif words[0] == 'f':
                polygon = [_obj_index(w, len(vertices)) for w in words[1:]]
                faces.setdefault(name, []).extend(fan_triangles(polygon))
            elif words[0] in ('o', 'g'):
                name = ' '.join(words[1:])
        except ValueError as error:
            raise SceneFileError(f'{path}: line {number}: {error}') from error
    if any(len(v) != 3 for v in vertices):
        raise SceneFileError(f'{path}: expected three coordinates per vertex')
    points = np.array(vertices, dtype=np.float64).reshape(-1, 3)
    return [
        FileMesh(n, points, np.array(f, dtype=np.int64).reshape(-1, 3), np.eye(4))
        for n, f in faces.items()
    ]


def _obj_index(word: str, num_vertices: int) -> int:
    """Zero-based vertex index of ``7``, ``7/1``, ``7//3`` or the relative ``-1``."""
    index = int(word.split('/', 1)[0])
    return index - 1 if index > 0 else num_vertices + index


def read_stl(path: Path) -> list[FileMesh]:
    """
    Read an STL file, binary or text, as one mesh.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    list of FileMesh
        One mesh; its name is the file's stem.

    Raises
    ------
    SceneFileError
        If the file is neither binary STL of the length it says nor text STL.

    """
    data = path.read_bytes()
    corners = _binary_stl(data)
    if corners is None:
        corners = _text_stl(path, data)
    triangles = np.arange(3 * len(corners), dtype=np.int64).reshape(-1, 3)
    return [FileMesh(path.stem, corners.reshape(-1, 3), triangles, np.eye(4))]


def _binary_stl(data: bytes) -> NDArray[np.float64] | None:
    """Corners (T, 3, 3) when the length fits the count; a text file's never does."""
    if len(data) < _STL_HEADER_BYTES:
        return None
    (count,) = struct.unpack_from('<I', data, 80)
    if len(data) != _STL_HEADER_BYTES + count * _STL_RECORD.itemsize:
        return None
    records = np.frombuffer(data, dtype=_STL_RECORD, offset=_STL_HEADER_BYTES)
    return records['corners'].astype(np.float64)


def _text_stl(path: Path, data: bytes) -> NDArray[np.float64]:
    """Corners (T, 3, 3) of a text file."""
    if not data.lstrip().startswith(b'solid'):
        raise SceneFileError(f'{path}: expected STL, found neither a whole binary nor a text file')
    try:
        rows = [
            [float(w) for w in line.split()[1:4]]
            for line in data.decode('ascii').splitlines()
            if line.lstrip().startswith('vertex')
        ]
        return np.array(rows, dtype=np.float64).reshape(-1, 3, 3)
    except ValueError as error:
        clause = str(error).splitlines()[0]
        raise SceneFileError(f'{path}: expected text STL, found {clause}') from error
