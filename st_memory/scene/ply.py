"""Meshes of PLY files, text and binary."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from st_memory.scene.meshes import fan_triangles, FileMesh, SceneFileError, what_is_wrong

__all__ = ['read_ply']

_TYPES = {
    'char': 'i1',
    'uchar': 'u1',
    'short': 'i2',
    'ushort': 'u2',
    'int': 'i4',
    'uint': 'u4',
    'int8': 'i1',
    'uint8': 'u1',
    'int16': 'i2',
    'uint16': 'u2',
    'int32': 'i4',
    'uint32': 'u4',
    'float': 'f4',
    'float32': 'f4',
    'double': 'f8',
    'float64': 'f8',
}
_ORDERS = {'binary_little_endian': '<', 'binary_big_endian': '>', 'ascii': ''}
_INDEX_NAMES = ('vertex_indices', 'vertex_index')
# What reading a body that does not fit its header raises.
_MALFORMED = (KeyError, IndexError, ValueError, struct.error)


@dataclass
class _Element:
    """One element of the header: its properties as (name, count type or '', value type)."""

    name: str
    count: int
    properties: list[tuple[str, str, str]] = field(default_factory=list)


def read_ply(path: Path) -> list[FileMesh]:
    """
    Read vertices and faces of a PLY file as one mesh.

    Parameters
    ----------
    path : Path
        The file: ``ascii``, ``binary_little_endian`` or ``binary_big_endian``.

    Returns
    -------
    list of FileMesh
        One mesh; its name is the file's stem.

    Raises
    ------
    SceneFileError
        If the file is not PLY, is cut off, or has no vertex coordinates.

    """
    data = path.read_bytes()
    head, mark, body = data.partition(b'end_header')
    if not data.startswith(b'ply') or not mark:
        raise SceneFileError(f'{path}: expected a PLY file, found no PLY header')
    try:
        order, elements = _parse_header(head.decode('ascii'))
        body = body[body.index(b'\n') + 1 :]
        reader = _TextBody(body) if not order else _BinaryBody(body, order)
        vertices, triangles = _read_body(reader, elements)
    except _MALFORMED as error:
        raise SceneFileError(
            f'{path}: expected PLY as its header says, found {what_is_wrong(error)}'
        ) from error
    return [FileMesh(path.stem, vertices, triangles, np.eye(4))]


def _parse_header(text: str) -> tuple[str, list[_Element]]:
    """Byte order ('' for text) and elements."""
    order: str | None = None
    elements: list[_Element] = []
    for line in text.splitlines():
        words = line.split()
        if not words or words[0] in ('ply', 'comment', 'obj_info'):
            continue
        if words[0] == 'format':
            order = _ORDERS[words[1]]
        elif words[0] == 'element':
            elements.append(_Element(words[1], int(words[2])))
        elif words[0] == 'property':
            is_list = words[1] == 'list'
            count_type = _TYPES[words[2]] if is_list else ''
            elements[-1].properties.append((words[-1], count_type, _TYPES[words[-2]]))
    if order is None:
        raise ValueError('no format line')
    return order, elements


class _TextBody:
    """Numbers of a text body, one after the other."""

    def __init__(self, body: bytes) -> None:
        self._words = body.split()
        self._at = 0

    def table(self, element: _Element) -> NDArray[np.float64]:
        """Read an element without lists as (count, properties)."""
        width = len(element.properties)
        words = self._take(element.count * width)
        return np.array(words, dtype=np.float64).reshape(-1, width)

    def rows(self, element: _Element) -> list[dict[str, list[int]]]:
        """Read an element with lists, row by row; only the lists are kept."""
        out = []
        for _ in range(element.count):
            row = {}
            for name, count_type, _ in element.properties:
                count = int(self._take(1)[0]) if count_type else 1
                values = self._take(count)
                if count_type:
                    row[name] = [int(v) for v in values]
            out.append(row)
        return out

    def _take(self, count: int) -> list[bytes]:
        words = self._words[self._at : self._at + count]
        if len(words) != count:
            raise ValueError('fewer numbers than announced: truncated')
        self._at += count
        return words


class _BinaryBody:
    """Numbers of a binary body, one after the other."""

    def __init__(self, body: bytes, order: str) -> None:
        self._body = body
        self._order = order
        self._at = 0

    def table(self, element: _Element) -> NDArray[np.float64]:
        """Read an element without lists as (count, properties)."""
        kinds = [
            (f'p{i}', self._order + kind) for i, (_, _, kind) in enumerate(element.properties)
        ]
        records = self._records(np.dtype(kinds), element.count)
        columns = [records[name].astype(np.float64) for name, _ in kinds]
        return np.column_stack(columns) if columns else np.zeros((element.count, 0))

    def rows(self, element: _Element) -> list[dict[str, list[int]]]:
        """Read an element with lists, row by row; only the lists are kept."""
        out = []
        for _ in range(element.count):
            row = {}
            for name, count_type, kind in element.properties:
                count = self._numbers(count_type, 1)[0] if count_type else 1
                values = self._numbers(kind, int(count))
                if count_type:
                    row[name] = [int(v) for v in values]
            out.append(row)
        return out

    def _numbers(self, kind: str, count: int) -> NDArray[Any]:
        return self._records(np.dtype(self._order + kind), count)

    def _records(self, dtype: np.dtype[Any], count: int) -> NDArray[Any]:
        if self._at + count * dtype.itemsize > len(self._body):
            raise ValueError('fewer bytes than announced: truncated')
        records = np.frombuffer(self._body, dtype=dtype, count=count, offset=self._at)
        self._at += count * dtype.itemsize
        return records


def _read_body(
    reader: _TextBody | _BinaryBody, elements: list[_Element]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Vertices (V, 3) and triangles (T, 3)."""
    vertices: NDArray[np.float64] | None = None
    triangles: list[tuple[int, int, int]] = []
    for element in elements:
        names = [name for name, _, _ in element.properties]
        if any(count_type for _, count_type, _ in element.properties):
            rows = reader.rows(element)
            key = next((n for n in _INDEX_NAMES if n in names), '')
            if element.name == 'face' and key:
                triangles += [t for row in rows for t in fan_triangles(row[key])]
        else:
            table = reader.table(element)
            if element.name == 'vertex':
                vertices = table[:, [names.index(axis) for axis in 'xyz']]
    if vertices is None:
        raise ValueError('no vertex element')
    return vertices, np.array(triangles, dtype=np.int64).reshape(-1, 3)
