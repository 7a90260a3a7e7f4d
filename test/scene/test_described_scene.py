"""Descriptions laid over mesh files and URDFs: fixtures, containers, frames and joints."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from st_memory.core.records import Fixture, Scene
from st_memory.scene import EmbreeRayCaster, load_scene, read_scene, SceneFileError
from test.scene.files import BOX, write_obj
from test.scene.urdf_texts import CUPBOARD, write_urdf

CARCASS = BOX[0] * np.array([0.02, 1.0, 1.0]) + np.array([2.4, 0.0, 0.0])
DOOR = BOX[0] * np.array([0.02, 1.0, 1.0]) + np.array([2.0, 0.0, 0.0])
WALL = BOX[0] * np.array([0.1, 6.0, 3.0]) + np.array([5.0, 0.0, 0.0])


def _described(folder: Path, text: str) -> Path:
    write_obj(folder / 'k.obj', {'carcass': CARCASS, 'door': DOOR, 'wall': WALL})
    path = folder / 'scene.yaml'
    path.write_text(f'scene: k.obj\n{text}', encoding='utf-8')
    return path


def _fixture(scene: Scene, name: str) -> Fixture:
    (found,) = (f for f in scene.fixtures if f.fixture_id == name)
    return found


HUNG = """
joints:
  hinge: {type: revolute, axis: [0, 0, 1], origin_m: [2, 0.5, 0]}
parts:
  - {match: door, joint: hinge, fixture: cupboard}
  - {match: carcass, fixture: cupboard}
fixtures:
  cupboard: {is_container: true}
"""


def test_parts_on_a_joint_follow_it(tmp_path: Path) -> None:
    scene = load_scene(_described(tmp_path, HUNG))
    caster = EmbreeRayCaster(scene)
    assert scene.articulation is not None
    inside, parts = np.array([[2.2, 0.0, 0.0]]), []
    for angle in (0.0, math.pi / 2):
        caster.pose_parts(scene.articulation.frame_poses({'hinge': angle}))
        parts.append(caster.first_hits(np.zeros(3), inside, np.zeros(1)).part[0])

    assert [p.frame_id for p in scene.parts] == ['', 'hinge', '']
    assert caster.part_names[parts[0]] == 'door'
    assert parts[1] == -1


def test_a_fixture_is_the_box_around_the_parts_given_to_it(tmp_path: Path) -> None:
    scene = load_scene(_described(tmp_path, HUNG))

    cupboard = _fixture(scene, 'cupboard')
    assert [f.fixture_id for f in scene.fixtures] == ['cupboard']  # door and carcass are gone
    assert cupboard.is_container
    np.testing.assert_allclose(cupboard.world_T_box.translation, [2.2, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(cupboard.size_m, [0.42, 1.0, 1.0], atol=1e-12)


def test_a_part_drawn_open_is_where_it_was_drawn(tmp_path: Path) -> None:
    text = HUNG.replace('origin_m: [2, 0.5, 0]', 'origin_m: [2, 0.5, 0], drawn_at: 0.7')
    scene = load_scene(_described(tmp_path, text))

    assert scene.articulation is not None
    door = scene.parts[1]
    pose = scene.articulation.frame_poses({'hinge': 0.7})['hinge']
    np.testing.assert_allclose(pose.apply(door.vertices), DOOR, atol=1e-12)


def test_parts_on_a_tf_frame_are_given_in_it(tmp_path: Path) -> None:
    text = """
parts:
  - {match: door, frame: door_link, drawn_at: {position_m: [2, 0.5, 0], rpy_rad: [0, 0, 1.0]}}
  - {match: carcass, frame: cart}
"""
    scene = load_scene(_described(tmp_path, text))

    carcass, door, wall = scene.parts
    assert [p.frame_id for p in scene.parts] == ['cart', 'door_link', '']
    np.testing.assert_array_equal(carcass.vertices, CARCASS)  # no pose: in that frame already
    turn = np.array([[math.cos(1), -math.sin(1), 0], [math.sin(1), math.cos(1), 0], [0, 0, 1]])
    np.testing.assert_allclose(door.vertices @ turn.T + [2, 0.5, 0], DOOR, atol=1e-12)
    np.testing.assert_array_equal(wall.vertices, WALL)
    assert scene.articulation is None


def test_the_first_rule_that_matches_holds(tmp_path: Path) -> None:
    text = "parts: [{match: 'd*', fixture: first}, {match: '*', fixture: second}]\n"

    scene = load_scene(_described(tmp_path, text))

    assert [p.fixture_id for p in scene.parts] == ['second', 'first', 'second']


def test_a_fixture_may_be_a_box_without_parts(tmp_path: Path) -> None:
    path = tmp_path / 'boxes.yaml'
    path.write_text(
        'fixtures: {table_2: {box: {position_m: [1, 2, 3], size_m: [1, 1, 0.5]}}}\n', 'utf-8'
    )

    loaded = read_scene(path)

    table = _fixture(loaded.scene, 'table_2')
    assert loaded.scene.parts == ()
    assert (table.label, table.size_m, table.is_container) == ('table', (1.0, 1.0, 0.5), False)
    np.testing.assert_array_equal(table.world_T_box.translation, [1.0, 2.0, 3.0])
    assert loaded.report.num_fixtures == 1


def test_what_is_said_of_a_known_fixture_replaces_only_that(tmp_path: Path) -> None:
    scene = load_scene(_described(tmp_path, 'fixtures: {carcass: {label: tall cupboard}}\n'))
    plain = load_scene(tmp_path / 'k.obj')

    got, was = _fixture(scene, 'carcass'), _fixture(plain, 'carcass')
    assert got.label == 'tall cupboard'
    assert (got.size_m, got.world_T_box) == (was.size_m, was.world_T_box)


def test_a_urdf_gets_its_fixtures_described_and_keeps_its_joints(tmp_path: Path) -> None:
    write_urdf(tmp_path, *CUPBOARD)
    path = tmp_path / 'scene.yaml'
    path.write_text(
        'scene: kitchen.urdf\n'
        'root: {position_m: [10, 0, 0]}\n'
        'parts: [{match: drawer_1, fixture: cupboard_1}]\n'
        'fixtures: {cupboard_1: {label: sideboard, is_container: true}}\n'
        'mesh_topics: {/bowl: {part: bowl}}\n',
        'utf-8',
    )

    loaded = read_scene(path)

    (sideboard,) = loaded.scene.fixtures
    assert (sideboard.label, sideboard.is_container) == ('sideboard', True)
    # From the closed door's front, x = 11.99, to the wall's back; from y = -0.5 to the drawer's.
    np.testing.assert_allclose(sideboard.world_T_box.translation, [12.2, 0.35, 0.0], atol=1e-12)
    np.testing.assert_allclose(sideboard.size_m, [0.42, 1.7, 1.0], atol=1e-12)
    assert loaded.scene.articulation is not None
    door = loaded.scene.articulation.frame_poses({'hinge': 0.0})['cupboard_1_door']
    np.testing.assert_allclose(door.translation, [12.0, 0.5, 0.0])
    assert loaded.mesh_topics['/bowl'].name == 'bowl'


@pytest.mark.parametrize(
    ('text', 'named'),
    [
        (
            'parts: [{match: dor}]',
            r"parts\[0\]\.match: 'dor' matches no part \(did you mean 'door'",
        ),
        ("parts: [{match: '*zzz'}]", r'matches no part \(the scene has 3 parts\)'),
        ('fixtures: {table: {}}', r'fixtures\.table: expected a box, found neither'),
        (
            'joints: {a: {type: prismatic, axis: [1, 0, 0], frame: x},'
            ' b: {type: prismatic, axis: [1, 0, 0], frame: x}}',
            r'joints: link x: expected one parent',
        ),
    ],
)
def test_a_description_that_does_not_fit_is_refused(text: str, named: str, tmp_path: Path) -> None:
    with pytest.raises(SceneFileError, match=named):
        load_scene(_described(tmp_path, text))


def test_a_link_is_not_hung_on_something_else(tmp_path: Path) -> None:
    write_urdf(tmp_path, *CUPBOARD)
    path = tmp_path / 'scene.yaml'
    path.write_text('scene: kitchen.urdf\nparts: [{match: drawer_1, frame: cart}]\n', 'utf-8')

    with pytest.raises(SceneFileError, match='drawer_1 hangs on drawer_1 already'):
        load_scene(path)


def test_a_description_of_nothing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / 'scene.yaml'
    path.write_text('', 'utf-8')

    with pytest.raises(SceneFileError, match='expected a scene, fixtures or mesh_topics'):
        load_scene(path)


@pytest.mark.parametrize(
    ('base', 'named'),
    [
        ('gone.glb', r'gone\.glb: expected a mesh file, found none'),
        ('gone.urdf', 'cannot be read'),
    ],
)
def test_a_description_of_a_file_that_is_not_there_names_it(
    base: str, named: str, tmp_path: Path
) -> None:
    path = tmp_path / 'scene.yaml'
    path.write_text(f'scene: {base}\n', 'utf-8')

    with pytest.raises(SceneFileError, match=named):
        load_scene(path)


def test_a_known_fixture_without_parts_any_more_is_gone(tmp_path: Path) -> None:
    scene = load_scene(_described(tmp_path, "parts: [{match: door, fixture: ''}]\n"))

    assert [f.fixture_id for f in scene.fixtures] == ['carcass']
    assert [p.fixture_id for p in scene.parts] == ['carcass', '', '']
