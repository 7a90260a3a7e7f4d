"""Meshes of glTF 2.0 files (``.glb``, ``.gltf``): geometry and node names, nothing else."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
import json
from pathlib import Path
import struct
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from st_memory.scene.meshes import FileMesh, Floats, SceneFileError, what_is_wrong

__all__ = ['read_gltf']

_MAGIC, _JSON_CHUNK, _BINARY_CHUNK = b'glTF', 0x4E4F534A, 0x004E4942
_COMPONENTS = {5120: 'i1', 5121: 'u1', 5122: '<i2', 5123: '<u2', 5125: '<u4', 5126: '<f4'}
_WIDTHS = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4}
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_UNSUPPORTED = (
    'KHR_draco_mesh_compression',
    'EXT_meshopt_compression',
    'KHR_meshopt_compression',
)
# What indexing a document of the wrong shape raises.
_MALFORMED = (KeyError, IndexError, TypeError, ValueError, AttributeError, struct.error)


def read_gltf(path: Path) -> list[FileMesh]:
    """
    Read the triangles of every node of the default scene.

    Parameters
    ----------
    path : Path
        A ``.glb`` or ``.gltf`` file; buffers may be inside it, in data URIs or beside it.

    Returns
    -------
    list of FileMesh
        One per node with triangles, in the order of the node tree; y is up by the format.

    Raises
    ------
    SceneFileError
        If the file is not glTF 2.0, is damaged, or needs a compression that is not read here.

    References
    ----------
    Khronos Group, glTF 2.0 Specification, sections 3.5 (nodes), 3.6 (accessors), 3.7 (meshes)
    and 4.4 (GLB).

    """
    try:
        document, binary = _split(path, path.read_bytes())
        return _Document(path, document, binary).meshes()
    except _MALFORMED as error:
        raise SceneFileError(f'{path}: expected glTF 2.0, found {what_is_wrong(error)}') from error


def _split(path: Path, data: bytes) -> tuple[dict[str, Any], bytes]:
    """Give the JSON document and the binary chunk of a file."""
    if not data:
        raise SceneFileError(f'{path}: expected glTF 2.0, found an empty file')
    if not data.startswith(_MAGIC):
        return json.loads(data.decode('utf-8')), b''
    _, version, length = struct.unpack_from('<4sII', data)
    if version != 2:
        raise SceneFileError(f'{path}: expected glTF version 2, found {version}')
    if length > len(data):
        raise SceneFileError(f'{path}: expected {length} bytes, found {len(data)}: truncated')
    chunks: dict[int, bytes] = {}
    at = 12
    while at < length:
        size, kind = struct.unpack_from('<II', data, at)
        if at + 8 + size > length:
            raise SceneFileError(f'{path}: a chunk of {size} bytes is cut off: truncated')
        chunks.setdefault(kind, data[at + 8 : at + 8 + size])
        at += 8 + size
    return json.loads(chunks[_JSON_CHUNK].decode('utf-8')), chunks.get(_BINARY_CHUNK, b'')


class _Document:
    """A parsed glTF document and its buffers."""

    def __init__(self, path: Path, document: dict[str, Any], binary: bytes) -> None:
        self._path = path
        self._json = document
        self._binary = binary
        self._buffers: dict[int, bytes] = {}
        version = str(document['asset']['version'])
        if not version.startswith('2.'):
            raise SceneFileError(f'{path}: expected glTF version 2, found {version}')
        for extension in document.get('extensionsRequired', ()):
            if extension in _UNSUPPORTED:
                raise SceneFileError(
                    f'{path}: needs {extension}, which is not read here: '
                    'export without mesh compression'
                )

    def meshes(self) -> list[FileMesh]:
        """Give the triangles of every node."""
        found = []
        for node, file_T_node in self._nodes():
            if 'mesh' not in node:
                continue
            mesh = self._json['meshes'][node['mesh']]
            pieces = [p for p in map(self._primitive, mesh['primitives']) if p is not None]
            if not pieces:
                continue
            offsets = np.cumsum([0, *(len(v) for v, _ in pieces[:-1])])
            found.append(
                FileMesh(
                    name=str(node.get('name') or mesh.get('name') or ''),
                    vertices=np.concatenate([v for v, _ in pieces]),
                    triangles=np.concatenate(
                        [t + o for (_, t), o in zip(pieces, offsets, strict=True)]
                    ),
                    file_T_mesh=file_T_node,
                )
            )
        return found

    def _nodes(self) -> Iterator[tuple[dict[str, Any], Floats]]:
        """Walk the default scene depth first; give each node with its map to the file's axes."""
        nodes = self._json.get('nodes', [])
        scenes = self._json.get('scenes')
        if scenes:
            roots = scenes[self._json.get('scene', 0)].get('nodes', [])
        else:
            children = {c for node in nodes for c in node.get('children', ())}
            roots = [i for i in range(len(nodes)) if i not in children]
        pending = [(i, np.eye(4)) for i in reversed(roots)]
        seen: set[int] = set()
        while pending:
            index, file_T_parent = pending.pop()
            if index in seen:
                raise SceneFileError(f'{self._path}: node {index} has two parents')
            seen.add(index)
            node = nodes[index]
            file_T_node = file_T_parent @ _local_matrix(node)
            yield node, file_T_node
            pending += [(c, file_T_node) for c in reversed(node.get('children', ()))]

    def _primitive(self, primitive: dict[str, Any]) -> tuple[Floats, NDArray[np.int64]] | None:
        """Vertices and triangles; None for points and lines."""
        mode = primitive.get('mode', _TRIANGLES)
        if mode not in (_TRIANGLES, _STRIP, _FAN) or 'POSITION' not in primitive['attributes']:
            return None
        vertices = self._accessor(primitive['attributes']['POSITION']).astype(np.float64)
        if 'indices' in primitive:
            order = self._accessor(primitive['indices']).astype(np.int64).ravel()
        else:
            order = np.arange(len(vertices), dtype=np.int64)
        if mode == _TRIANGLES:
            return vertices, order[: len(order) // 3 * 3].reshape(-1, 3)
        first = order[:-2] if mode == _STRIP else np.full(max(len(order) - 2, 0), order[0])
        return vertices, np.column_stack([first, order[1:-1], order[2:]])

    def _accessor(self, index: int) -> NDArray[Any]:
        """Values of an accessor, (count, width)."""
        accessor = self._json['accessors'][index]
        if 'sparse' in accessor:
            raise SceneFileError(f'{self._path}: accessor {index} is sparse, not read here')
        dtype = np.dtype(_COMPONENTS[accessor['componentType']])
        width = _WIDTHS[accessor['type']]
        count = int(accessor['count'])
        if 'bufferView' not in accessor:  # by the specification such values are zeros
            return np.zeros((count, width), dtype=dtype)
        view = self._json['bufferViews'][accessor['bufferView']]
        stride = view.get('byteStride', dtype.itemsize * width)
        values = np.ndarray(
            (count, width),
            dtype=dtype,
            buffer=self._buffer(view['buffer']),
            offset=view.get('byteOffset', 0) + accessor.get('byteOffset', 0),
            strides=(stride, dtype.itemsize),
        )
        if accessor.get('normalized'):
            return np.maximum(values / np.float64(np.iinfo(dtype).max), -1.0)
        return values

    def _buffer(self, index: int) -> bytes:
        """Bytes of a buffer: the binary chunk, a data URI or a file beside the document."""
        if index not in self._buffers:
            uri = self._json['buffers'][index].get('uri')
            self._buffers[index] = self._binary if uri is None else self._fetch(str(uri))
        return self._buffers[index]

    def _fetch(self, uri: str) -> bytes:
        """Bytes behind a URI."""
        if uri.startswith('data:'):
            try:
                return base64.b64decode(uri.partition(',')[2], validate=True)
            except binascii.Error as error:
                raise SceneFileError(f'{self._path}: a data URI is not base64') from error
        path = self._path.parent / unquote(uri)
        if not path.is_file():
            raise SceneFileError(f'{self._path}: expected its buffer {uri} beside it, found none')
        return path.read_bytes()


def _local_matrix(node: dict[str, Any]) -> Floats:
    """Map from a node's axes to its parent's."""
    if 'matrix' in node:
        columns = np.array(node['matrix'], dtype=np.float64).reshape(4, 4)
        return np.ascontiguousarray(columns.T)
    x, y, z, w = node.get('rotation', (0.0, 0.0, 0.0, 1.0))
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    out = np.eye(4)
    out[:3, :3] = rotation * np.asarray(node.get('scale', (1.0, 1.0, 1.0)), dtype=np.float64)
    out[:3, 3] = node.get('translation', (0.0, 0.0, 0.0))
    return out
