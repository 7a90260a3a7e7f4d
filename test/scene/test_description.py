"""Scene descriptions: what is read, and one line with the key for what is wrong."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from st_memory.conversions.mesh_parts import MeshPart
from st_memory.core.geometry import JointKind
from st_memory.scene import SceneFileError
from st_memory.scene.description import FixtureEntry, read_description

WHOLE = """
scene: kitchen.urdf
geometry: collision
package_paths: [.., /opt/furniture]
root: {frame: /base_link, position_m: [1, 2, 0.5], rpy_rad: [0, 0, 1.5707963267948966]}
parts:
  - {match: 'door_*', fixture: fridge}
  - {match: wall, fixture: ''}
fixtures:
  fridge: {label: fridge freezer, is_container: true}
  table:
    box: {position_m: [0, 0, 0.4], size_m: [1, 2, 0.8], quat_xyzw: [0, 0, 1, 0]}
mesh_topics:
  /shelf/mesh: {part: shelf, frame: shelf_link, fixture: shelf, is_container: true}
  /floor/mesh: {part: floor}
"""


def _write(folder: Path, text: str) -> Path:
    path = folder / 'scene.yaml'
    path.write_text(text, encoding='utf-8')
    return path


def test_a_whole_description_is_read(tmp_path: Path) -> None:
    got = read_description(_write(tmp_path, WHOLE))

    assert got.base == tmp_path / 'kitchen.urdf'
    assert got.geometry == 'collision'
    assert got.package_paths == (tmp_path / '..', Path('/opt/furniture'))
    assert got.root_frame == 'base_link'
    np.testing.assert_allclose(got.frame_T_root.apply([1.0, 0.0, 0.0]), [1.0, 3.0, 0.5])
    assert [(r.pattern, r.fixture_id) for r in got.parts] == [('door_*', 'fridge'), ('wall', '')]
    assert got.fixtures['fridge'] == FixtureEntry('fridge freezer', True)
    table = got.fixtures['table']
    assert table.size_m == (1.0, 2.0, 0.8)
    assert table.world_T_box is not None
    np.testing.assert_allclose(table.world_T_box.apply([1.0, 0.0, 0.0]), [-1.0, 0.0, 0.4])
    assert got.mesh_topics == {
        '/shelf/mesh': MeshPart('shelf', 'shelf_link', 'shelf', True),
        '/floor/mesh': MeshPart('floor'),
    }


def test_joints_of_a_mesh_file_are_read(tmp_path: Path) -> None:
    text = """
scene: kitchen.glb
up: z
unit_m: 0.001
joints:
  hinge: {type: revolute, axis: [0, 0, 1], origin_m: [1, 0, 0], drawn_at: 0.5, frame: door_link}
  slide: {type: prismatic, axis: [0, -1, 0]}
parts:
  - {match: door, joint: hinge}
  - {match: lid, frame: lid_link, drawn_at: {position_m: [1, 2, 3]}}
"""
    got = read_description(_write(tmp_path, text))

    hinge, slide = got.joints
    assert (got.up, got.unit_m) == ('z', 0.001)
    assert (hinge.joint.kind, hinge.joint.child, hinge.drawn_at) == (
        JointKind.REVOLUTE,
        'door_link',
        0.5,
    )
    assert (slide.joint.child, slide.drawn_at) == ('slide', 0.0)
    turned = hinge.joint.parent_T_child(math.pi / 2).apply([1.0, 0.0, 0.0])
    np.testing.assert_allclose(turned, [1.0, 1.0, 0.0], atol=1e-12)
    door, lid = got.parts
    assert (door.joint, door.frame_id, door.fixture_id) == ('hinge', '', None)
    assert lid.frame_id == 'lid_link'
    assert lid.world_T_frame is not None
    np.testing.assert_array_equal(lid.world_T_frame.translation, [1.0, 2.0, 3.0])


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    got = read_description(_write(tmp_path, ''))

    assert (got.base, got.parts, got.fixtures) == (None, (), {})


@pytest.mark.parametrize(
    ('text', 'named'),
    [
        ('fixture: {}', r"unknown key 'fixture' \(did you mean 'fixtures'\?\)"),
        ('zzz: 1', r"unknown key 'zzz' \(known: scene, "),
        ('scene: kitchen.dae', r"\.scene: expected a file \(.*\), got 'kitchen\.dae'"),
        ('scene: 5', r'\.scene: expected a text, got 5'),
        ('up: y', r'\.up: expected only with a mesh file'),
        ('{scene: a.urdf, unit_m: 0.001}', r'\.unit_m: expected only with a mesh file'),
        ('{scene: a.glb, geometry: visual}', r'\.geometry: expected only with a URDF'),
        ('{scene: a.glb, root: {frame: a}}', r'\.root: expected only with a URDF'),
        ('{scene: a.glb, up: x}', r"\.up: expected one of y, z, got 'x'"),
        ('{scene: a.glb, unit_m: 0}', r'\.unit_m: expected > 0, got 0'),
        ('{scene: a.glb, unit_m: .nan}', r'\.unit_m: expected a finite number, got nan'),
        ('{scene: a.glb, unit_m: true}', r'\.unit_m: expected a number, got True'),
        ('{scene: a.urdf, geometry: both}', r'\.geometry: expected one of visual, collision'),
        ('{scene: a.urdf, package_paths: here}', r'\.package_paths: expected a list of texts'),
        ('{scene: a.urdf, package_paths: [1]}', r'\.package_paths: expected a list of texts'),
        ('{scene: a.urdf, joints: {h: {}}}', r'\.joints: a URDF has its own joints'),
        ('joints: {h: {axis: [0, 0, 1]}}', r"\.joints\.h: expected the key 'type'"),
        ('joints: {h: {type: fixed}}', r'\.joints\.h\.type: expected one of revolute'),
        ('joints: {h: {type: revolute}}', r"\.joints\.h: expected the key 'axis'"),
        ('joints: {h: {type: revolute, axis: [0, 0, 0]}}', r'\.joints\.h: joint h: .* an axis'),
        ('joints: {h: {type: revolute, axis: [0, 1]}}', r'axis: expected 3 numbers, got \[0, 1\]'),
        ('parts: {a: 1}', r'\.parts: expected a list of sections'),
        ('parts: [a]', r"\.parts\[0\]: expected a section with keys, got 'a'"),
        ('parts: [{fixture: a}]', r"\.parts\[0\]: expected the key 'match'"),
        ('parts: [{match: a, joint: h}]', r"\.parts\[0\]\.joint: expected one of joints, got 'h'"),
        ('parts: [{match: a, drawn_at: {}}]', r'\[0\]\.drawn_at: expected only with a frame'),
        (
            '{joints: {h: {type: revolute, axis: [0, 0, 1]}},'
            ' parts: [{match: a, joint: h, frame: b}]}',
            r'\.parts\[0\]: expected a joint or a frame, got both',
        ),
        ('fixtures: {a: {is_container: 1}}', r'is_container: expected true or false, got 1'),
        ('fixtures: {a: {box: {}}}', r"\.fixtures\.a\.box: expected the key 'size_m'"),
        ('fixtures: {a: {box: {size_m: [1, 0, 1]}}}', r'size_m: expected > 0, got \[1'),
        (
            'fixtures: {a: {box: {size_m: [1, 1, 1], quat_xyzw: [0, 0, 0, 2]}}}',
            r'\.fixtures\.a\.box: quat_xyzw: expected unit length',
        ),
        (
            'fixtures: {a: {box: {size_m: [1, 1, 1], quat_xyzw: [0, 0, 0, 1],'
            ' rpy_rad: [0, 0, 0]}}}',
            r'\.box: expected rpy_rad or quat_xyzw, got both',
        ),
        ('mesh_topics: {/a: {}}', r"\.mesh_topics\./a: expected the key 'part'"),
        ('mesh_topics: {/a: {part: x}, /b: {part: x}}', r'x comes from another topic too'),
        ('{scene: a.glb, scene: b.glb}', r"line 1: the key 'scene' is given twice"),
        ('scene: [', r'line 1: '),
        ('[1, 2]', r'expected a section with keys, got \[1, 2\]'),
        ('{1: 2}', r'expected a section with keys, got \{1: 2\}'),
        ('scene: !!python/object:os.system {}', r'could not determine a constructor'),
    ],
)
def test_a_broken_description_is_one_line_with_the_key(
    text: str, named: str, tmp_path: Path
) -> None:
    path = _write(tmp_path, text)

    with pytest.raises(SceneFileError, match=named) as caught:
        read_description(path)

    assert str(caught.value).startswith(str(path))
    assert '\n' not in str(caught.value)


def test_a_description_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / 'scene.yaml'
    path.write_bytes(b'\xff\xfe\x00')

    with pytest.raises(SceneFileError, match=r'scene\.yaml: expected UTF-8 text'):
        read_description(path)


def test_a_description_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SceneFileError, match='cannot be read'):
        read_description(tmp_path / 'gone.yaml')
