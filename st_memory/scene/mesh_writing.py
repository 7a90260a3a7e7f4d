"""Meshes into PLY and GLB files, which the readers here read back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import json
from pathlib import Path
import struct
from typing import Any

import numpy as np

from st_memory.core.errors import StMemoryError
from st_memory.core.records import ScenePart

__all__ = ['WRITTEN_SUFFIXES', 'write_mesh']

_FLOAT, _UINT = 5126, 5125


def write_mesh(path: Path, parts: Sequence[ScenePart]) -> None:
    """
    Write parts of the fixed frame to a file, whole or not at all.

    Parameters
    ----------
    path : Path
        ``.ply`` (all parts as one mesh) or ``.glb`` (a node for each, y up as the format has it).
    parts : sequence of ScenePart
        Coordinates are kept as 32-bit floats, metres.

    Raises
    ------
    StMemoryError
        If the name is of another kind, a part moves, or the medium refuses.

    """
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        known = ', '.join(_WRITERS)
        raise StMemoryError(f'{path}: expected a name that ends in {known}, got {path.suffix!r}')
    moving = [part.name for part in parts if part.frame_id]
    if moving:
        raise StMemoryError(f'{path}: expected parts of the fixed frame, got {moving[0]}')
    draft = path.with_name(f'{path.name}.part')
    try:
        draft.write_bytes(writer(parts))
        draft.replace(path)
    except OSError as error:
        raise StMemoryError(f'{path}: cannot be written ({error.strerror})') from error


def _ply(parts: Sequence[ScenePart]) -> bytes:
    starts = np.cumsum([0, *(len(p.vertices) for p in parts)])
    num_faces = sum(len(p.triangles) for p in parts)
    header = (
        'ply\nformat binary_little_endian 1.0\ncomment metres, z up\n'
        f'element vertex {starts[-1]}\nproperty float x\nproperty float y\nproperty float z\n'
        f'element face {num_faces}\nproperty list uchar int vertex_indices\nend_header\n'
    )
    rows = np.zeros(num_faces, dtype=[('count', 'u1'), ('corners', '<i4', 3)])
    rows['count'] = 3
    if num_faces:
        rows['corners'] = np.concatenate(
            [p.triangles + start for p, start in zip(parts, starts[:-1], strict=True)]
        )
    vertices = b''.join(p.vertices.astype('<f4').tobytes() for p in parts)
    return header.encode('ascii') + vertices + rows.tobytes()


def _glb(parts: Sequence[ScenePart]) -> bytes:
    document: dict[str, Any] = {
        'asset': {'version': '2.0', 'generator': 'st_memory'},
        'scene': 0,
        'scenes': [{'nodes': list(range(len(parts)))}],
        'nodes': [],
        'meshes': [],
        'accessors': [],
        'bufferViews': [],
    }
    binary = b''
    for index, part in enumerate(parts):
        # (x, y, z) with z up is (x, z, -y) with y up.
        vertices = (part.vertices[:, [0, 2, 1]] * [1.0, 1.0, -1.0]).astype('<f4')
        bounds = {}
        if len(vertices):
            bounds = {'min': vertices.min(axis=0).tolist(), 'max': vertices.max(axis=0).tolist()}
        binary += _accessor(
            document, len(binary), vertices.tobytes(), _FLOAT, 'VEC3', len(vertices)
        )
        document['accessors'][-1].update(bounds)
        corners = part.triangles.astype('<u4').ravel()
        binary += _accessor(
            document, len(binary), corners.tobytes(), _UINT, 'SCALAR', len(corners)
        )
        primitive = {'attributes': {'POSITION': 2 * index}, 'indices': 2 * index + 1}
        document['meshes'].append({'name': part.name, 'primitives': [primitive]})
        document['nodes'].append({'name': part.name, 'mesh': index})
    document['buffers'] = [{'byteLength': len(binary)}]
    text = json.dumps(document).encode('utf-8')
    text += b' ' * (-len(text) % 4)
    chunks = struct.pack('<II', len(text), 0x4E4F534A) + text
    chunks += struct.pack('<II', len(binary), 0x004E4942) + binary
    return struct.pack('<4sII', b'glTF', 2, 12 + len(chunks)) + chunks


def _accessor(
    document: dict[str, Any], offset: int, data: bytes, component: int, kind: str, count: int
) -> bytes:
    """Announce numbers and give their bytes; all are 4 bytes long, so nothing needs padding."""
    view = len(document['bufferViews'])
    document['bufferViews'].append({'buffer': 0, 'byteOffset': offset, 'byteLength': len(data)})
    document['accessors'].append(
        {'bufferView': view, 'componentType': component, 'count': count, 'type': kind}
    )
    return data


_WRITERS: dict[str, Callable[[Sequence[ScenePart]], bytes]] = {'.ply': _ply, '.glb': _glb}
WRITTEN_SUFFIXES = tuple(_WRITERS)
