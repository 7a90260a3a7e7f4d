"""Writers of tiny scene files, independent of the readers under test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import json
from pathlib import Path
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ['BOX', 'gltf_document', 'gltf_node', 'write_glb', 'write_obj']

# A cube of 1 m about the origin: vertices and triangles.
BOX = (
    np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]),
    np.array(
        [
            *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
            *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
        ]
    ),
)


def gltf_node(
    name: str,
    *,
    vertices: NDArray[Any] = BOX[0],
    triangles: NDArray[Any] = BOX[1],
    **transform: Any,
) -> dict[str, Any]:
    """Give a node (a cube unless told) for :func:`gltf_document`."""
    return {'name': name, 'vertices': vertices, 'triangles': triangles, **transform}


def gltf_document(nodes: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], bytes]:
    """Give a glTF document and its binary chunk."""
    document: dict[str, Any] = {
        'asset': {'version': '2.0'},
        'scene': 0,
        'scenes': [{'nodes': list(range(len(nodes)))}],
        'nodes': [],
        'meshes': [],
        'accessors': [],
        'bufferViews': [],
    }
    binary = b''
    for index, node in enumerate(nodes):
        vertices = np.asarray(node['vertices'], dtype='<f4')
        indices = np.asarray(node['triangles'], dtype='<u2').ravel()
        for array, component, kind in ((vertices, 5126, 'VEC3'), (indices, 5123, 'SCALAR')):
            data = array.tobytes()
            document['bufferViews'].append(
                {'buffer': 0, 'byteOffset': len(binary), 'byteLength': len(data)}
            )
            document['accessors'].append(
                {
                    'bufferView': len(document['bufferViews']) - 1,
                    'componentType': component,
                    'count': len(array),
                    'type': kind,
                }
            )
            binary += data + b'\0' * (-len(data) % 4)
        primitive = {'attributes': {'POSITION': 2 * index}, 'indices': 2 * index + 1}
        document['meshes'].append({'primitives': [primitive]})
        rest = {k: v for k, v in node.items() if k not in ('name', 'vertices', 'triangles')}
        named = {'name': node['name']} if node['name'] else {}
        document['nodes'].append({'mesh': index, **named, **rest})
    document['buffers'] = [{'byteLength': len(binary)}]
    return document, binary


def write_glb(path: Path, nodes: Sequence[Mapping[str, Any]]) -> Path:
    """Write a GLB file."""
    document, binary = gltf_document(nodes)
    text = json.dumps(document).encode()
    text += b' ' * (-len(text) % 4)
    chunks = struct.pack('<II', len(text), 0x4E4F534A) + text
    chunks += struct.pack('<II', len(binary), 0x004E4942) + binary
    path.write_bytes(struct.pack('<4sII', b'glTF', 2, 12 + len(chunks)) + chunks)
    return path


def write_obj(path: Path, boxes: Mapping[str, NDArray[Any]]) -> Path:
    """Write an OBJ file of one cube (its eight vertices) per name."""
    lines: list[str] = ['# cubes', 'mtllib none.mtl']
    for number, (name, vertices) in enumerate(boxes.items()):
        lines.append(f'o {name}')
        lines += ['v ' + ' '.join(str(c) for c in vertex) for vertex in vertices]
        lines += ['f ' + ' '.join(str(i + 1 + 8 * number) for i in face) for face in BOX[1]]
    path.write_text('\n'.join(lines) + '\n')
    return path
