"""OBJ, STL and PLY readers."""

from __future__ import annotations

from pathlib import Path
import struct

import numpy as np
import pytest

from st_memory.scene.mesh_files import read_obj, read_stl
from st_memory.scene.meshes import SceneFileError
from st_memory.scene.ply import read_ply
from test.scene.files import BOX, write_obj

SOUP = BOX[0][BOX[1]]


def test_read_obj_objects_are_meshes(tmp_path: Path) -> None:
    path = write_obj(tmp_path / 'a.obj', {'hob': BOX[0], 'sink 1': BOX[0] + 5})

    hob, sink = read_obj(path)

    assert (hob.name, sink.name) == ('hob', 'sink 1')
    np.testing.assert_array_equal(sink.vertices[sink.triangles], SOUP + 5)


def test_read_obj_reads_every_way_to_write_an_index(tmp_path: Path) -> None:
    path = tmp_path / 'a.obj'
    path.write_text(
        'v 0 0 0 # first\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nvt 0 0\ns off\n\n'
        'f 1 2 3\nf 1/1 2/1 3/1\nf 1/1/1 2/1/1 3/1/1\nf 1//1 2//1 3//1\nf -3 -2 -1\n'
    )

    mesh = read_obj(path)[0]

    assert mesh.triangles.tolist() == [[0, 1, 2]] * 5


def test_read_obj_polygons_become_fans(tmp_path: Path) -> None:
    path = tmp_path / 'a.obj'
    path.write_text('v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nf 1 2\n')

    assert read_obj(path)[0].triangles.tolist() == [[0, 1, 2], [0, 2, 3]]


@pytest.mark.parametrize('line', ['v 0 zero 0', 'f 1 two 3', 'f 1 /2 3'])
def test_read_obj_unreadable_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / 'a.obj'
    path.write_text(f'v 0 0 0\n{line}\n')

    with pytest.raises(SceneFileError, match=r'a\.obj: line 2: '):
        read_obj(path)


def test_read_obj_vertex_of_two_numbers_is_named(tmp_path: Path) -> None:
    path = tmp_path / 'a.obj'
    path.write_text('v 0 0\n')

    with pytest.raises(SceneFileError, match='three coordinates'):
        read_obj(path)


def binary_stl(header: bytes = b'made by a test') -> bytes:
    """Give the cube as binary STL."""
    out = header.ljust(80, b'\0') + struct.pack('<I', len(SOUP))
    for corners in SOUP:
        out += struct.pack('<12fH', 0, 0, 0, *corners.ravel(), 0)
    return out


def text_stl() -> str:
    """Give the cube as text STL."""
    lines = ['solid cube']
    for corners in SOUP:
        lines += ['facet normal 0 0 0', ' outer loop']
        lines += ['  vertex ' + ' '.join(f'{v:e}' for v in corner) for corner in corners]
        lines += [' endloop', 'endfacet']
    return '\n'.join([*lines, 'endsolid cube'])


@pytest.mark.parametrize(
    'content', [binary_stl(), binary_stl(b'solid but binary'), text_stl().encode()]
)
def test_read_stl_reads_binary_and_text(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / 'cube.stl'
    path.write_bytes(content)

    mesh = read_stl(path)[0]

    assert mesh.name == 'cube'
    np.testing.assert_array_equal(mesh.vertices[mesh.triangles], SOUP)


@pytest.mark.parametrize(
    'content',
    [
        b'',
        b'hello',
        binary_stl()[:-1],
        b'solid x\nvertex 0 0 zero\n',
        b'solid x\nvertex 0 0 0\n',
        b'solid \xff\n',
    ],
)
def test_read_stl_damaged_files_are_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / 'a.stl'
    path.write_bytes(content)

    with pytest.raises(SceneFileError, match=r'a\.stl: expected'):
        read_stl(path)


HEADER = (
    'ply\nformat {form} 1.0\ncomment by a test\nelement vertex 8\nproperty float x\n'
    'property float y\nproperty float z\nproperty uchar red\nelement face 12\n'
    'property uchar flags\nproperty list uchar int {name}\nelement camera 1\n'
    'property double f\nend_header\n'
)


def ply(form: str, name: str = 'vertex_indices') -> bytes:
    """Give the cube as PLY, with colours and an element that nobody asked for."""
    head = HEADER.format(form=form, name=name).encode()
    if form == 'ascii':
        rows = [f'{v[0]} {v[1]} {v[2]} 7' for v in BOX[0]]
        rows += [f'0 3 {a} {b} {c}' for a, b, c in BOX[1]]
        return head + '\n'.join([*rows, '1.5']).encode() + b'\n'
    order = '<' if form == 'binary_little_endian' else '>'
    body = b''.join(struct.pack(order + '3fB', *v, 7) for v in BOX[0])
    body += b''.join(struct.pack(order + 'BB3i', 0, 3, *t) for t in BOX[1].tolist())
    return head + body + struct.pack(order + 'd', 1.5)


@pytest.mark.parametrize('form', ['ascii', 'binary_little_endian', 'binary_big_endian'])
@pytest.mark.parametrize('name', ['vertex_indices', 'vertex_index'])
def test_read_ply_reads_every_format(tmp_path: Path, form: str, name: str) -> None:
    path = tmp_path / 'cube.ply'
    path.write_bytes(ply(form, name))

    mesh = read_ply(path)[0]

    assert mesh.name == 'cube'
    np.testing.assert_array_equal(mesh.vertices, BOX[0])
    np.testing.assert_array_equal(mesh.triangles, BOX[1])


def test_read_ply_polygons_become_fans(tmp_path: Path) -> None:
    path = tmp_path / 'a.ply'
    path.write_text(
        'ply\nformat ascii 1.0\nelement vertex 4\nproperty double z\nproperty double y\n'
        'property double x\nelement face 1\nproperty list uchar uint vertex_index\nend_header\n'
        '0 0 1\n0 1 1\n0 1 0\n0 0 0\n4 0 1 2 3\n'
    )

    mesh = read_ply(path)[0]

    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert mesh.vertices[0].tolist() == [1, 0, 0]


def test_read_ply_a_point_cloud_has_no_triangles(tmp_path: Path) -> None:
    path = tmp_path / 'a.ply'
    path.write_text(
        'ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n'
        'property float z\nend_header\n0 0 0\n'
    )

    assert read_ply(path)[0].triangles.shape == (0, 3)


@pytest.mark.parametrize('form', ['ascii', 'binary_little_endian'])
@pytest.mark.parametrize('cut', [10, 60])
def test_read_ply_truncated_body_is_named(tmp_path: Path, form: str, cut: int) -> None:
    path = tmp_path / 'a.ply'
    path.write_bytes(ply(form)[:-cut])

    with pytest.raises(SceneFileError, match='truncated'):
        read_ply(path)


@pytest.mark.parametrize(
    'content',
    [
        b'',
        b'ply\nformat ascii 1.0\n',
        b'plx\nend_header\n',
        b'ply\nelement vertex 0\nproperty float x\nend_header\n',
        b'ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n',
        b'ply\nformat ascii 1.0\nelement vertex 1\nproperty half x\nend_header\n0\n',
        b'ply\nformat ascii 1.0\nend_header\n',
        b'ply\nformat ascii 1.0\nend_header',
        b'ply\nformat gzip 1.0\nend_header\n',
    ],
)
def test_read_ply_other_content_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / 'a.ply'
    path.write_bytes(content)

    with pytest.raises(SceneFileError, match=r'a\.ply: expected'):
        read_ply(path)


@pytest.mark.parametrize(
    ('body', 'found'),
    [
        (b'format odd 1.0\nend_header\n', "no entry 'odd'"),
        (b'format ascii\nelement vertex\nend_header\n', 'an index that nothing is at'),
        (b'format ascii \xff\nend_header\n', 'text that is not ascii, at byte 17'),
    ],
)
def test_read_ply_says_in_one_line_what_it_found(tmp_path: Path, body: bytes, found: str) -> None:
    path = tmp_path / 'a.ply'
    path.write_bytes(b'ply\n' + body)

    with pytest.raises(SceneFileError) as caught:
        read_ply(path)
    assert str(caught.value) == f'{path}: expected PLY as its header says, found {found}'
