"""The glTF reader: transforms, buffers, primitives, and damaged files."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from st_memory.scene.gltf import read_gltf
from st_memory.scene.meshes import FileMesh, SceneFileError
from test.scene.files import BOX, gltf_document, gltf_node, write_glb


def write_gltf(path: Path, document: dict[str, Any], binary: bytes) -> Path:
    """Write a text file with its buffer as a data URI."""
    uri = 'data:application/octet-stream;base64,' + base64.b64encode(binary).decode()
    document['buffers'][0]['uri'] = uri
    path.write_text(json.dumps(document))
    return path


def placed(mesh: FileMesh) -> np.ndarray:
    """Vertices in the file's axes."""
    return mesh.vertices @ mesh.file_T_mesh[:3, :3].T + mesh.file_T_mesh[:3, 3]


def test_read_gltf_gives_vertices_and_triangles(tmp_path: Path) -> None:
    mesh = read_gltf(write_glb(tmp_path / 'a.glb', [gltf_node('box')]))[0]

    assert mesh.name == 'box'
    np.testing.assert_array_equal(mesh.vertices, BOX[0])
    np.testing.assert_array_equal(mesh.triangles, BOX[1])


def test_read_gltf_applies_scale_then_rotation_then_translation(tmp_path: Path) -> None:
    half = np.sqrt(0.5)
    node = gltf_node(
        'a',
        vertices=np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        triangles=np.array([[0, 1, 2]]),
        scale=[2, 3, 4],
        rotation=[0, 0, half, half],  # a quarter turn about z: x -> y, y -> -x
        translation=[10, 0, 0],
    )

    mesh = read_gltf(write_glb(tmp_path / 'a.glb', [node]))[0]

    np.testing.assert_allclose(placed(mesh), [[10, 2, 0], [7, 0, 0], [10, 0, 4]], atol=1e-12)


def test_read_gltf_matrix_is_column_major(tmp_path: Path) -> None:
    matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]

    mesh = read_gltf(write_glb(tmp_path / 'a.glb', [gltf_node('a', matrix=matrix)]))[0]

    np.testing.assert_array_equal(mesh.file_T_mesh[:3, 3], [5, 6, 7])


def test_read_gltf_children_follow_their_parents(tmp_path: Path) -> None:
    document, binary = gltf_document(
        [gltf_node('parent', translation=[1, 0, 0]), gltf_node('child', translation=[0, 2, 0])]
    )
    document['nodes'][0]['children'] = [1]
    document['scenes'][0]['nodes'] = [0]

    parent, child = read_gltf(write_gltf(tmp_path / 'a.gltf', document, binary))

    assert (parent.name, child.name) == ('parent', 'child')
    np.testing.assert_array_equal(child.file_T_mesh[:3, 3], [1, 2, 0])


def test_read_gltf_nodes_outside_the_scene_are_not_read(tmp_path: Path) -> None:
    document, binary = gltf_document([gltf_node('in'), gltf_node('out')])
    document['scenes'][0]['nodes'] = [0]

    meshes = read_gltf(write_gltf(tmp_path / 'a.gltf', document, binary))

    assert [m.name for m in meshes] == ['in']


def test_read_gltf_without_scenes_starts_at_the_roots(tmp_path: Path) -> None:
    document, binary = gltf_document([gltf_node('parent'), gltf_node('child')])
    document['nodes'][0]['children'] = [1]
    del document['scenes'], document['scene']

    meshes = read_gltf(write_gltf(tmp_path / 'a.gltf', document, binary))

    assert [m.name for m in meshes] == ['parent', 'child']


def test_read_gltf_buffer_beside_the_file(tmp_path: Path) -> None:
    document, binary = gltf_document([gltf_node('box')])
    document['buffers'][0]['uri'] = 'my%20data.bin'
    (tmp_path / 'my data.bin').write_bytes(binary)
    (tmp_path / 'a.gltf').write_text(json.dumps(document))

    assert len(read_gltf(tmp_path / 'a.gltf')[0].triangles) == 12


def test_read_gltf_primitives_of_a_mesh_are_one_part(tmp_path: Path) -> None:
    document, binary = gltf_document([gltf_node('box')])
    primitives = document['meshes'][0]['primitives']
    primitives += [dict(primitives[0]), {**primitives[0], 'mode': 1}]

    mesh = read_gltf(write_gltf(tmp_path / 'a.gltf', document, binary))[0]

    assert mesh.vertices.shape == (16, 3)
    np.testing.assert_array_equal(mesh.triangles[12:], BOX[1] + 8)


@pytest.mark.parametrize(
    ('mode', 'triangles'),
    [(5, [[0, 1, 2], [1, 2, 3]]), (6, [[0, 1, 2], [0, 2, 3]])],
)
def test_read_gltf_strips_and_fans_become_triangles(
    tmp_path: Path, mode: int, triangles: list[list[int]]
) -> None:
    node = gltf_node('a', triangles=np.array([[0, 1, 2, 3]]))
    document, binary = gltf_document([node])
    document['meshes'][0]['primitives'][0]['mode'] = mode

    mesh = read_gltf(write_gltf(tmp_path / 'a.gltf', document, binary))[0]

    np.testing.assert_array_equal(mesh.triangles, triangles)


def test_read_gltf_without_indices_takes_vertices_in_threes(tmp_path: Path) -> None:
    document, binary = gltf_document([gltf_node('a')])
    del document['meshes'][0]['primitives'][0]['indices']

    mesh = read_gltf(write_gltf(tmp_path / 'a.gltf', document, binary))[0]

    np.testing.assert_array_equal(mesh.triangles, [[0, 1, 2], [3, 4, 5]])


def test_read_gltf_interleaved_vertices_use_the_stride(tmp_path: Path) -> None:
    document, _ = gltf_document([gltf_node('a')])
    padded = np.full((8, 5), 99, dtype='<f4')
    padded[:, 1:4] = BOX[0]
    document['bufferViews'][0] |= {'byteLength': 160, 'byteStride': 20}
    document['bufferViews'][1]['byteOffset'] = 160
    document['accessors'][0]['byteOffset'] = 4
    binary = padded.tobytes() + BOX[1].astype('<u2').tobytes()

    mesh = read_gltf(write_gltf(tmp_path / 'a.gltf', document, binary))[0]

    np.testing.assert_array_equal(mesh.vertices, BOX[0])


def test_read_gltf_normalized_integers_span_minus_one_to_one(tmp_path: Path) -> None:
    document, binary = gltf_document([gltf_node('a')])
    document['accessors'][0] |= {'componentType': 5122, 'normalized': True, 'count': 3}
    corners = np.array([[-32768, 0, 32767]] * 3, dtype='<i2').tobytes()

    mesh = read_gltf(write_gltf(tmp_path / 'a.gltf', document, corners + binary[18:]))[0]

    np.testing.assert_allclose(mesh.vertices[0], [-1, 0, 1], atol=1e-12)


def test_read_gltf_accessor_without_a_view_is_zeros(tmp_path: Path) -> None:
    document, binary = gltf_document([gltf_node('a')])
    del document['accessors'][0]['bufferView']

    mesh = read_gltf(write_gltf(tmp_path / 'a.gltf', document, binary))[0]

    assert not mesh.vertices.any()


def test_read_gltf_nodes_without_triangles_are_no_parts(tmp_path: Path) -> None:
    document, binary = gltf_document([gltf_node('lines'), gltf_node('box')])
    document['meshes'][0]['primitives'][0]['mode'] = 0
    document['nodes'].append({'name': 'lamp'})
    document['scenes'][0]['nodes'].append(2)

    meshes = read_gltf(write_gltf(tmp_path / 'a.gltf', document, binary))

    assert [m.name for m in meshes] == ['box']


@pytest.mark.parametrize('keep', [4, 11, 15, 40, 0.5, -3])
def test_read_gltf_truncated_glb_is_named(tmp_path: Path, keep: float) -> None:
    path = write_glb(tmp_path / 'a.glb', [gltf_node('box')])
    data = path.read_bytes()
    end = int(len(data) * keep) if isinstance(keep, float) else keep
    path.write_bytes(data[:end])

    with pytest.raises(SceneFileError, match=r'a\.glb: expected'):
        read_gltf(path)


@pytest.mark.parametrize(
    'content',
    [b'', b'not json', b'\xff\xfe', b'[]', b'{}', b'{"asset": {"version": "1.0"}}', b'null'],
)
def test_read_gltf_other_content_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / 'a.gltf'
    path.write_bytes(content)

    with pytest.raises(SceneFileError, match=r'a\.gltf: expected'):
        read_gltf(path)


def test_read_gltf_version_1_glb_is_named(tmp_path: Path) -> None:
    path = write_glb(tmp_path / 'a.glb', [gltf_node('box')])
    path.write_bytes(b'glTF\x01' + path.read_bytes()[5:])

    with pytest.raises(SceneFileError, match='expected glTF version 2, found 1'):
        read_gltf(path)


@pytest.mark.parametrize(
    ('change', 'named'),
    [
        ({'extensionsRequired': ['KHR_draco_mesh_compression']}, 'KHR_draco'),
        ({'accessors': []}, r'a\.gltf: expected glTF 2\.0, found an index that nothing is at$'),
        ({'meshes': [{}]}, r"a\.gltf: expected glTF 2\.0, found no entry 'primitives'$"),
        ({'nodes': [{'mesh': 0, 'rotation': [0, 1]}]}, 'found not enough values to unpack'),
        ({'nodes': [{'children': [0]}]}, 'two parents'),
        ({'nodes': [7]}, r'found a value of another type than the format has$'),
        ({'buffers': [{'uri': 'gone.bin'}]}, r'gone\.bin'),
        ({'buffers': [{'uri': 'data:;base64,!!'}]}, 'not base64'),
        ({'bufferViews': [{'buffer': 0, 'byteOffset': 9999}] * 2}, r'expected glTF 2\.0, found '),
        ({'accessors': [{'sparse': {}, 'count': 1}] * 2}, 'sparse'),
    ],
)
def test_read_gltf_damaged_documents_are_named(
    tmp_path: Path, change: dict[str, Any], named: str
) -> None:
    document, binary = gltf_document([gltf_node('box')])
    path = write_gltf(tmp_path / 'a.gltf', document, binary)
    path.write_text(json.dumps({**document, **change}))

    with pytest.raises(SceneFileError, match=named) as caught:
        read_gltf(path)
    assert 'Error' not in str(caught.value)  # no name of a Python class


@pytest.mark.parametrize('name', ['a.glb', 'a.gltf'])
@pytest.mark.parametrize(
    ('content', 'found'),
    [
        (b'', 'an empty file'),
        (b'not json', 'no JSON (Expecting value, line 1, column 1)'),
        (b'{"asset": \n', 'no JSON (Expecting value, line 2, column 1)'),
        (b'{"a\xff"}', 'text that is not utf-8, at byte 3'),
        (b'{}', "no entry 'asset'"),
        (b'null', 'a value of another type than the format has'),
        (b'glTF\x02', 'a file that is cut off'),
    ],
)
def test_read_gltf_says_in_one_line_what_it_found(
    tmp_path: Path, name: str, content: bytes, found: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(SceneFileError) as caught:
        read_gltf(path)
    assert str(caught.value) == f'{path}: expected glTF 2.0, found {found}'
