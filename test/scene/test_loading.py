"""Scene files into scenes: axes, units, names, fixtures and dropped faces."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from st_memory.core.errors import StMemoryError
from st_memory.scene import EmbreeRayCaster, load_scene, read_scene, SceneFileError
from test.scene.files import BOX, gltf_node, write_glb, write_obj


def test_load_scene_glb_turns_y_up_into_z_up(tmp_path: Path) -> None:
    path = write_glb(tmp_path / 'a.glb', [gltf_node('shelf.001', translation=[1, 2, 3])])

    part = load_scene(path).parts[0]

    np.testing.assert_allclose(part.vertices.mean(axis=0), [1, -3, 2], atol=1e-12)


def test_load_scene_up_z_leaves_the_axes_alone(tmp_path: Path) -> None:
    path = write_glb(tmp_path / 'a.glb', [gltf_node('shelf.001', translation=[1, 2, 3])])

    part = load_scene(path, up='z').parts[0]

    np.testing.assert_allclose(part.vertices.mean(axis=0), [1, 2, 3], atol=1e-12)


def test_load_scene_obj_is_z_up_unless_said_otherwise(tmp_path: Path) -> None:
    path = write_obj(tmp_path / 'a.obj', {'box': BOX[0] + np.array([1, 2, 3])})

    plain, turned = load_scene(path), load_scene(path, up='y')

    np.testing.assert_allclose(plain.parts[0].vertices.mean(axis=0), [1, 2, 3], atol=1e-6)
    np.testing.assert_allclose(turned.parts[0].vertices.mean(axis=0), [1, -3, 2], atol=1e-6)


def test_load_scene_parts_are_named_after_nodes_and_never_move(tmp_path: Path) -> None:
    path = write_glb(tmp_path / 'a.glb', [gltf_node('sink.001'), gltf_node('drawer.004')])

    scene = load_scene(path)

    assert [p.name for p in scene.parts] == ['sink.001', 'drawer.004']
    assert {p.frame_id for p in scene.parts} == {''}
    assert [p.fixture_id for p in scene.parts] == [f.fixture_id for f in scene.fixtures]


def test_load_scene_names_that_come_twice_are_told_apart(tmp_path: Path) -> None:
    nodes = [gltf_node('cup'), gltf_node('cup'), gltf_node('cup#2'), gltf_node('')]

    names = [p.name for p in load_scene(write_glb(tmp_path / 'room.glb', nodes)).parts]

    assert names[0] == 'cup'
    assert len(set(names)) == 4


def test_load_scene_parts_of_one_fixture_share_its_box(tmp_path: Path) -> None:
    nodes = [
        gltf_node('cupboard_1/body', scale=[2, 1, 1]),
        gltf_node('cupboard_1/door', translation=[0, 0, 1]),
    ]

    scene = load_scene(write_glb(tmp_path / 'a.glb', nodes))

    assert [p.fixture_id for p in scene.parts] == ['cupboard_1', 'cupboard_1']
    assert [f.fixture_id for f in scene.fixtures] == ['cupboard_1']
    np.testing.assert_allclose(scene.fixtures[0].size_m, [2, 2, 1], atol=1e-12)


def test_load_scene_walls_block_rays_and_are_no_fixture(tmp_path: Path) -> None:
    path = write_glb(tmp_path / 'a.glb', [gltf_node('kitchen_wall.002'), gltf_node('hob')])

    scene = load_scene(path)

    assert [p.fixture_id for p in scene.parts] == ['', 'hob']
    assert [f.fixture_id for f in scene.fixtures] == ['hob']


def test_read_scene_counts_what_was_dropped(tmp_path: Path) -> None:
    vertices = np.vstack([BOX[0], [[np.nan, 0, 0]]])
    bad_faces = [[0, 1, 8], [0, 0, 1], [0, 1, 1]]
    nodes = [
        gltf_node('good', vertices=vertices, triangles=np.vstack([BOX[1], bad_faces])),
        gltf_node('flat', triangles=np.array([[0, 0, 0]])),
    ]

    scene, report, _ = read_scene(write_glb(tmp_path / 'a.glb', nodes))

    assert report.faces == (12, 1, 0, 3)
    assert report.dropped_parts == ('flat',)
    assert [p.name for p in scene.parts] == ['good']
    assert scene.parts[0].vertices.shape == (8, 3)


def test_read_scene_counts_indices_out_of_range(tmp_path: Path) -> None:
    node = gltf_node('good', triangles=np.vstack([BOX[1], [[0, 1, 99]]]))

    report = read_scene(write_glb(tmp_path / 'a.glb', [node])).report

    assert report.faces.bad_index == 1


def test_read_scene_reports_size_and_numbers(tmp_path: Path) -> None:
    path = write_glb(tmp_path / 'a.glb', [gltf_node('hob', scale=[2, 3, 4]), gltf_node('wall')])

    report = read_scene(path).report

    assert (report.num_parts, report.num_fixtures) == (2, 1)
    np.testing.assert_allclose(report.extent_m, [2, 4, 3], atol=1e-12)


def test_load_scene_a_scene_in_millimetres_is_named(tmp_path: Path) -> None:
    path = write_glb(tmp_path / 'a.glb', [gltf_node('hob', scale=[4000, 2000, 3000])])

    with pytest.raises(SceneFileError, match=r'4000 m long.*millimetre.*0\.001'):
        load_scene(path)


def test_load_scene_unit_scales_and_is_believed(tmp_path: Path) -> None:
    path = write_glb(tmp_path / 'a.glb', [gltf_node('hob', scale=[4000, 2000, 3000])])

    scaled, huge = read_scene(path, unit_m=0.001), read_scene(path, unit_m=1.0)

    np.testing.assert_allclose(scaled.report.extent_m, [4, 3, 2], atol=1e-12)
    np.testing.assert_allclose(scaled.scene.fixtures[0].size_m, [4, 3, 2], atol=1e-12)
    assert max(huge.report.extent_m) == pytest.approx(4000)


@pytest.mark.parametrize('options', [{'up': 'x'}, {'unit_m': 0.0}, {'unit_m': -1.0}])
def test_load_scene_misuse_names_the_argument(tmp_path: Path, options: dict[str, object]) -> None:
    path = write_glb(tmp_path / 'a.glb', [gltf_node('hob')])

    with pytest.raises(ValueError, match=next(iter(options))):
        load_scene(path, **options)  # type: ignore[arg-type]


def test_load_scene_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SceneFileError, match=r'^.*b\.glb: expected a scene file, found none'):
        load_scene(tmp_path / 'b.glb')


def test_load_scene_unknown_format_lists_the_known_ones(tmp_path: Path) -> None:
    path = tmp_path / 'a.fbx'
    path.write_text('x')

    with pytest.raises(SceneFileError, match=r'\.glb.*\.stl.*found .*fbx'):
        load_scene(path)


def test_load_scene_without_a_triangle_is_named(tmp_path: Path) -> None:
    path = write_obj(tmp_path / 'a.obj', {})

    with pytest.raises(SceneFileError, match=r'expected triangles, found no face at all$'):
        load_scene(path)


def test_load_scene_of_unusable_triangles_alone_counts_them_by_reason(tmp_path: Path) -> None:
    vertices = np.vstack([BOX[0], [[np.nan, 0, 0], [np.inf, 0, 0]]])
    nodes = [
        gltf_node('a', vertices=vertices, triangles=np.array([[0, 1, 8], [0, 9, 1], [0, 0, 1]])),
        gltf_node('b', triangles=np.array([[0, 1, 99], [0, 8, 1], [2, 9, 3]])),
        gltf_node('c', triangles=np.array([[2, 2, 2], [0, 1, 1], [3, 3, 3]])),
    ]
    path = write_glb(tmp_path / 'a.glb', nodes)

    with pytest.raises(SceneFileError) as caught:
        load_scene(path)

    assert str(caught.value) == (
        f'{path}: expected triangles, found none that can be used '
        '(2 not finite, 3 out of range, 4 without area)'
    )


def test_scene_file_error_is_one_of_ours() -> None:
    assert issubclass(SceneFileError, StMemoryError)


@pytest.mark.data
def test_load_scene_kitchen_twin_equals_its_published_boxes(shared_data: Path) -> None:
    folder = shared_data / 'beyond3d_p01'

    scene, report, _ = read_scene(folder / 'P01_final.glb')

    boxes = json.loads((folder / 'fixtures_P01_aabb.json').read_text())
    assert len(scene.parts) == len(scene.fixtures) == len(boxes) == 41
    assert report.faces == (620, 0, 0, 0)
    for part in scene.parts:
        box = boxes[f'P01_{part.name}']
        assert len(part.triangles) == box['triangles']
        np.testing.assert_allclose(part.vertices.min(axis=0), box['aabb_min'], atol=1e-6)
        np.testing.assert_allclose(part.vertices.max(axis=0), box['aabb_max'], atol=1e-6)


@pytest.mark.data
def test_kitchen_twin_rays_equal_the_published_occlusions(shared_data: Path) -> None:
    folder = shared_data / 'beyond3d_p01'
    caster = EmbreeRayCaster(load_scene(folder / 'P01_final.glb'))
    poses = [
        np.array(json.loads(line)['T_world_camera_rgb'])
        for line in (folder / 'poses_1hz.jsonl').read_text().splitlines()
    ]
    track = json.loads((folder / 'inview_track_P01-20240202-110250.json').read_text())
    blocked: dict[str, list[bool]] = {}
    for samples in track['object_tracks'].values():
        for second, camera_p in enumerate(samples['camera_coordinate_samples']):
            if camera_p is None:
                continue
            pose = poses[second]
            target = pose[:, :3] @ np.array(camera_p) + pose[:, 3]
            hits = caster.first_hits(pose[:, 3], target[np.newaxis], np.array([0.05]))
            status = samples['status_samples'][second]
            blocked.setdefault(status, []).append(bool(np.isfinite(hits.distance_m[0])))

    occluded, in_view = blocked['geometrically_occluded'], blocked['in_view']
    assert (sum(occluded), len(occluded)) == (353, 353)
    assert (sum(in_view), len(in_view)) == (0, 3934)
