"""URDF files as scenes: parts, frames, fixtures, boxes, and rays through an open door."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.records import Scene
from st_memory.scene import EmbreeRayCaster, load_scene, read_scene, SceneFileError
from st_memory.scene.urdf_scene import read_urdf_scene, UrdfOptions
from test.scene.files import BOX, write_glb, write_obj
from test.scene.urdf_texts import box_link, CUPBOARD, joint, write_urdf

TURNED = RigidTransform(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0, 0.0]))


def _mesh_link(name: str, uri: str, scale: str = '1 1 1') -> str:
    return (
        f'<link name="{name}"><visual><geometry><mesh filename="{uri}" scale="{scale}"/>'
        '</geometry></visual></link>'
    )


def _extent(scene: Scene, name: str) -> list[float]:
    (part,) = (p for p in scene.parts if p.name == name)
    return (part.vertices.max(axis=0) - part.vertices.min(axis=0)).tolist()


def test_links_below_a_joint_are_parts_in_the_frame_of_their_name(tmp_path: Path) -> None:
    scene = load_scene(write_urdf(tmp_path, *CUPBOARD))

    frames = {p.name: p.frame_id for p in scene.parts}
    assert frames == {
        'cupboard_1': '',
        'cupboard_1_door': 'cupboard_1_door',
        'drawer_1': 'drawer_1',
    }
    back, door, _ = scene.parts
    np.testing.assert_allclose(back.vertices.mean(axis=0), [2.4, 0.0, 0.0])  # fixed frame
    np.testing.assert_allclose(door.vertices.mean(axis=0), [0.0, -0.5, 0.0], atol=1e-12)  # its own


def test_a_door_belongs_to_what_it_hangs_on_and_a_drawer_in_a_room_to_itself(
    tmp_path: Path,
) -> None:
    scene = load_scene(write_urdf(tmp_path, *CUPBOARD))

    assert [p.fixture_id for p in scene.parts] == ['cupboard_1', 'cupboard_1', 'drawer_1']
    cupboard, drawer = scene.fixtures
    assert (cupboard.label, cupboard.is_container) == ('cupboard', True)
    # Closed, from the front of the door at x = 1.99 to the back of the wall at x = 2.41.
    np.testing.assert_allclose(cupboard.world_T_box.translation, [2.2, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(cupboard.size_m, [0.42, 1.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(drawer.world_T_box.translation, [2.2, 1.0, 0.0], atol=1e-12)


def test_a_root_with_shapes_is_the_fixture_of_its_doors(tmp_path: Path) -> None:
    path = write_urdf(
        tmp_path,
        box_link('fridge'),
        box_link('upper_door'),
        box_link('lower_door'),
        joint('upper', 'fridge', 'upper_door'),
        joint('lower', 'fridge', 'lower_door'),
    )

    scene = load_scene(path)

    assert {p.fixture_id for p in scene.parts} == {'fridge'}
    assert [f.is_container for f in scene.fixtures] == [True]


def test_a_joint_state_alone_opens_the_door(tmp_path: Path) -> None:
    scene = load_scene(write_urdf(tmp_path, *CUPBOARD))
    caster = EmbreeRayCaster(scene)
    assert scene.articulation is not None
    inside = np.array([[2.2, 0.0, 0.0]])
    hits = []
    for angle in (0.0, math.pi / 2):
        caster.pose_parts(scene.articulation.frame_poses({'hinge': angle, 'slide': 0.0}))
        hits.append(caster.first_hits(np.zeros(3), inside, np.zeros(1)))

    closed, opened = hits
    assert caster.part_names[closed.part[0]] == 'cupboard_1_door'
    assert closed.distance_m[0] == pytest.approx(1.99, abs=1e-5)
    assert opened.part[0] == -1


def test_collision_shapes_can_be_chosen_and_stand_in_where_there_are_no_others(
    tmp_path: Path,
) -> None:
    both = (
        '<visual><geometry><box size="1 1 1"/></geometry></visual>'
        '<collision><geometry><box size="2 2 2"/></geometry></collision>'
    )
    path = write_urdf(
        tmp_path,
        f'<link name="a">{both}</link>',
        box_link('b', '3 3 3').replace('visual', 'collision'),
        joint('ab', 'a', 'b', 'fixed', more=''),
    )

    seen = read_urdf_scene(path, UrdfOptions()).scene
    felt = read_urdf_scene(path, UrdfOptions(geometry='collision')).scene

    assert (_extent(seen, 'a'), _extent(seen, 'b')) == ([1.0] * 3, [3.0] * 3)
    assert (_extent(felt, 'a'), _extent(felt, 'b')) == ([2.0] * 3, [3.0] * 3)


def test_the_root_is_where_it_is_said_to_be(tmp_path: Path) -> None:
    path = write_urdf(tmp_path, *CUPBOARD)

    scene = read_urdf_scene(path, UrdfOptions(frame_T_root=TURNED)).scene

    assert scene.articulation is not None
    np.testing.assert_allclose(scene.parts[0].vertices.mean(axis=0), [-2.4, 0.0, 1.0], atol=1e-12)
    door = scene.articulation.frame_poses({'hinge': 0.0})['cupboard_1_door']
    np.testing.assert_allclose(door.translation, [-2.0, -0.5, 1.0], atol=1e-12)
    np.testing.assert_allclose(
        scene.fixtures[0].world_T_box.translation, [-2.2, 0.0, 1.0], atol=1e-12
    )


def test_a_root_in_a_tf_frame_moves_all_of_it_and_has_no_boxes(tmp_path: Path) -> None:
    path = write_urdf(tmp_path, *CUPBOARD)

    loaded = read_urdf_scene(path, UrdfOptions(root_frame='cart'))

    assert [p.frame_id for p in loaded.scene.parts] == ['cart', 'cupboard_1_door', 'drawer_1']
    assert loaded.scene.fixtures == ()
    assert any('TF frame cart' in line for line in loaded.report.warnings)
    assert loaded.report.extent_m[2] == pytest.approx(1.0)


def test_meshes_of_a_link_are_scaled_and_joined(tmp_path: Path) -> None:
    write_obj(tmp_path / 'cube.obj', {'lid': BOX[0] * 1000, 'body': BOX[0] * 1000 + 500})
    path = write_urdf(tmp_path, _mesh_link('chest', 'cube.obj', '0.001 0.001 0.002'))

    loaded = read_scene(path)

    assert _extent(loaded.scene, 'chest') == [1.5, 1.5, 3.0]
    assert loaded.report.faces.kept == 24
    assert loaded.report.num_parts == 1


def test_cylinders_and_spheres_stand_where_their_origin_says(tmp_path: Path) -> None:
    shapes = (
        '<visual><origin xyz="1 0 0" rpy="0 1.5707963267948966 0"/>'
        '<geometry><cylinder radius="0.1" length="2"/></geometry></visual>'
        '<visual><origin xyz="0 0 5"/><geometry><sphere radius="0.5"/></geometry></visual>'
    )

    (part,) = load_scene(write_urdf(tmp_path, f'<link name="lamp">{shapes}</link>')).parts

    np.testing.assert_allclose(part.vertices.max(axis=0), [2.0, 0.5, 5.5], atol=1e-9)
    np.testing.assert_allclose(part.vertices.min(axis=0), [-0.5, -0.5, -0.1], atol=1e-9)


def test_gltf_meshes_of_a_link_keep_the_axes_of_their_file(tmp_path: Path) -> None:
    node = {'name': 'n', 'vertices': BOX[0] * np.array([1, 2, 3]), 'triangles': BOX[1]}
    write_glb(tmp_path / 'cube.glb', [node])

    scene = load_scene(write_urdf(tmp_path, _mesh_link('chest', 'cube.glb')))

    assert _extent(scene, 'chest') == [1.0, 2.0, 3.0]


def test_packages_are_looked_for_in_the_folders_given(tmp_path: Path) -> None:
    (tmp_path / 'packages' / 'meshes').mkdir(parents=True)
    write_obj(tmp_path / 'packages' / 'meshes' / 'cube.obj', {'a': BOX[0]})
    (tmp_path / 'robot').mkdir()
    path = write_urdf(tmp_path / 'robot', _mesh_link('chest', 'package://meshes/cube.obj'))

    with pytest.raises(SceneFileError, match=r'link chest: .*package://meshes/cube\.obj'):
        load_scene(path)

    assert len(load_scene(path, package_paths=[tmp_path / 'packages']).parts) == 1


@pytest.mark.parametrize(
    ('uri', 'named'),
    [
        ('gone.stl', r'link chest: .*mesh gone\.stl: expected a file, found none at'),
        ('body.dae', r"link chest: .*body\.dae: expected a mesh .*found '\.dae'"),
        ('broken.ply', r'link chest: .*broken\.ply: '),
        ('../../secret.stl', 'link chest: .*found it to lead elsewhere'),
    ],
)
def test_a_mesh_that_cannot_be_used_is_named_with_its_link(
    uri: str, named: str, tmp_path: Path
) -> None:
    (tmp_path / 'body.dae').write_text('<COLLADA/>')
    (tmp_path / 'broken.ply').write_text('ply\nformat ascii 1.0\nelement vertex 3\nend_header\n')

    with pytest.raises(SceneFileError, match=named):
        load_scene(write_urdf(tmp_path, _mesh_link('chest', uri)))


def test_unusable_faces_are_counted_and_a_link_without_others_is_named(tmp_path: Path) -> None:
    flat, holes = BOX[0] * np.array([1.0, 0.0, 0.0]), BOX[0].copy()
    holes[0] = np.nan
    write_obj(tmp_path / 'flat.obj', {'flat': flat})
    write_obj(tmp_path / 'holes.obj', {'holes': holes})
    path = write_urdf(
        tmp_path,
        _mesh_link('flat', 'flat.obj'),
        _mesh_link('holes', 'holes.obj'),
        joint('j', 'flat', 'holes', 'fixed', more=''),
    )

    loaded = read_scene(path)

    assert loaded.report.dropped_parts == ('flat',)
    assert [p.name for p in loaded.scene.parts] == ['holes']
    corner = sum(0 in face for face in BOX[1].tolist())
    assert loaded.report.faces == (12 - corner, corner, 0, 12)


def test_a_urdf_without_a_usable_face_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SceneFileError, match='expected links with triangles, found no face at'):
        load_scene(write_urdf(tmp_path, '<link name="a"/>'))
    write_obj(tmp_path / 'flat.obj', {'flat': BOX[0] * np.array([1.0, 0.0, 0.0])})
    with pytest.raises(SceneFileError, match=r'none that can be used \(12 without area\)$'):
        load_scene(write_urdf(tmp_path, _mesh_link('flat', 'flat.obj')))


def test_a_scene_a_thousand_times_too_large_is_refused_by_link(tmp_path: Path) -> None:
    write_obj(tmp_path / 'cube.obj', {'a': BOX[0] * 2500})
    path = write_urdf(
        tmp_path, box_link('b'), _mesh_link('chest', 'cube.obj'), joint('j', 'b', 'chest')
    )

    with pytest.raises(SceneFileError, match=r'a scene 2500 m long, of it link chest: .*0\.001'):
        load_scene(path)


def test_a_link_a_thousand_times_too_large_is_warned_of(tmp_path: Path) -> None:
    write_obj(tmp_path / 'cup.obj', {'a': BOX[0] * 90})
    path = write_urdf(
        tmp_path, box_link('b'), _mesh_link('cup', 'cup.obj'), joint('j', 'b', 'cup')
    )

    assert read_scene(path).report.warnings == ('part cup is 90 m long: is its unit the metre?',)


def test_a_joint_that_only_tf_can_place_is_warned_of(tmp_path: Path) -> None:
    path = write_urdf(tmp_path, box_link('b'), box_link('c'), joint('j', 'b', 'c', 'floating'))

    loaded = read_scene(path)

    assert loaded.report.warnings == (
        'joint j is floating: joint states do not place c, only TF does',
    )
    assert loaded.scene.articulation is not None
    assert loaded.scene.articulation.frame_poses({'j': 0.0}) == {}
    assert loaded.scene.parts[1].frame_id == 'c'


@pytest.mark.parametrize('given', [{'up': 'y'}, {'unit_m': 0.001}])
def test_axes_and_units_are_not_for_a_urdf(given: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r'a \.urdf file says its own'):
        read_scene(write_urdf(tmp_path, *CUPBOARD), **given)  # type: ignore[arg-type]
