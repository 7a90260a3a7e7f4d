"""Meshes written, and read back by the readers here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from st_memory.core.errors import StMemoryError
from st_memory.core.records import ScenePart
from st_memory.scene import load_scene, write_mesh
from test.contracts.ray_caster import box_part

PARTS = (
    box_part('cupboard/door', (1.0, 2.0, 3.0), (0.5, 0.25, 0.125)),
    box_part('room', (0.0, 0.0, 0.0), (4.0, 3.0, 2.0)),
)


def _corners(part: ScenePart) -> np.ndarray:
    return part.vertices[part.triangles]


def test_a_glb_file_gives_the_same_parts_back(tmp_path: Path) -> None:
    write_mesh(tmp_path / 'a.glb', PARTS)

    scene = load_scene(tmp_path / 'a.glb')

    assert [p.name for p in scene.parts] == ['cupboard/door', 'room']
    assert [p.fixture_id for p in scene.parts] == ['cupboard', '']
    for got, want in zip(scene.parts, PARTS, strict=True):
        np.testing.assert_allclose(_corners(got), _corners(want), atol=1e-6)


def test_a_ply_file_gives_all_triangles_back(tmp_path: Path) -> None:
    write_mesh(tmp_path / 'a.PLY', PARTS)

    (part,) = load_scene(tmp_path / 'a.PLY').parts

    want = np.concatenate([_corners(p) for p in PARTS])
    np.testing.assert_allclose(_corners(part), want, atol=1e-6)


@pytest.mark.parametrize('name', ['a.glb', 'a.ply'])
def test_a_file_is_replaced_as_a_whole(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text('old')

    write_mesh(path, PARTS)

    assert path.read_bytes()[:3] in (b'glT', b'ply')
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_other_names_and_moving_parts_are_refused(tmp_path: Path) -> None:
    moving = box_part('door', (0, 0, 0), (1, 1, 1), frame_id='hinge')

    with pytest.raises(StMemoryError, match=r"ends in \.ply, \.glb, got '\.obj'"):
        write_mesh(tmp_path / 'a.obj', PARTS)
    with pytest.raises(StMemoryError, match='expected parts of the fixed frame, got door'):
        write_mesh(tmp_path / 'a.glb', [moving])
    with pytest.raises(StMemoryError, match='cannot be written'):
        write_mesh(tmp_path / 'nowhere' / 'a.glb', PARTS)
    assert list(tmp_path.iterdir()) == []
