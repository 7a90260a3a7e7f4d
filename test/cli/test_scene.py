"""``st_memory scene``: what is said of a scene file, and meshes built of bags."""

from __future__ import annotations

from importlib.util import find_spec
import json
from pathlib import Path

import numpy as np
import pytest

from st_memory.bags import BagRecorder
from st_memory.scene import building, load_scene
from test.cli.conftest import RunCli
from test.scene.files import BOX, gltf_node, write_glb, write_obj
from test.scene.rooms import CAMERA, CENTRE, FakeVolume, frames_of
from test.scene.urdf_texts import CUPBOARD, write_urdf

S = 1_000_000_000
needs_open3d = pytest.mark.skipif(
    find_spec('open3d') is None, reason="needs the extra 'open3d' (make setup-all)"
)
without_open3d = pytest.mark.skipif(
    find_spec('open3d') is not None, reason='needs that open3d is missing'
)


def test_info_of_a_urdf_lists_parts_joints_and_fixtures(cli: RunCli, tmp_path: Path) -> None:
    path = write_urdf(tmp_path, *CUPBOARD)

    result = cli('scene', 'info', path)

    lines = result.out.splitlines()
    assert result.code == 0
    assert lines[0] == f'{path}: 3 parts, 2 fixtures, 0.42 x 1.70 x 1.00 m'
    assert lines[1] == 'faces: 36 kept, dropped: none'
    assert 'hinge  revolute   cupboard_1_door  -3 to 3' in lines
    assert 'cupboard_1_door  cupboard_1  cupboard_1_door  12' in lines
    assert 'cupboard_1  cupboard  yes        2.20 0.00 0.00  0.42 1.00 1.00' in lines


def test_info_as_json_says_the_same(cli: RunCli, tmp_path: Path) -> None:
    result = cli('scene', 'info', write_urdf(tmp_path, *CUPBOARD), '--json')

    told = json.loads(result.out)
    assert told['movable_frames'] == ['cupboard_1_door', 'drawer_1']
    assert told['extent_m'] == pytest.approx([0.42, 1.7, 1.0])
    assert told['faces'] == {'kept': 36, 'not_finite': 0, 'bad_index': 0, 'degenerate': 0}
    assert told['joints'][1] == {
        'name': 'hinge',
        'type': 'revolute',
        'child': 'cupboard_1_door',
        'limits': [-3.0, 3.0],
        'mimics': None,
    }
    assert [f['is_container'] for f in told['fixtures']] == [True, True]
    assert [p['num_faces'] for p in told['parts']] == [12, 12, 12]


def test_info_counts_what_was_dropped_and_names_what_looks_wrong(
    cli: RunCli, tmp_path: Path
) -> None:
    holes = BOX[0].copy()
    holes[0] = np.nan
    nodes = [
        gltf_node('long', vertices=BOX[0] * np.array([90, 1, 1])),
        gltf_node('flat', vertices=BOX[0] * np.array([1, 0, 0])),
        gltf_node('holes', vertices=holes),
    ]

    result = cli('scene', 'info', write_glb(tmp_path / 'a.glb', nodes))

    corner = sum(0 in face for face in BOX[1].tolist())
    assert f'faces: {24 - corner} kept, dropped: {corner} not_finite, 12 degenerate' in result.out
    assert 'dropped part: flat' in result.out
    assert 'warning: part long is 90 m long: is its unit the metre?' in result.out


def test_info_of_a_description_tells_its_mesh_topics(cli: RunCli, tmp_path: Path) -> None:
    path = tmp_path / 'scene.yaml'
    path.write_text('mesh_topics: {/shelf: {part: shelf, frame: cart}}\n', 'utf-8')

    text, told = cli('scene', 'info', path).out, cli('scene', 'info', path, '--json').out

    assert 'mesh topic: /shelf is part shelf' in text
    assert json.loads(told)['mesh_topics']['/shelf']['frame_id'] == 'cart'


def test_info_takes_units_axes_and_packages(cli: RunCli, tmp_path: Path) -> None:
    write_obj(tmp_path / 'k.obj', {'a': BOX[0] * np.array([4000.0, 3000.0, 2000.0])})
    huge = cli('scene', 'info', tmp_path / 'k.obj')
    scaled = cli('scene', 'info', tmp_path / 'k.obj', '--unit-m', 0.001, '--up', 'y')

    assert huge.code == 1
    assert 'found a scene 4000 m long: if its unit is the millimetre' in huge.err
    assert '4.00 x 2.00 x 3.00 m' in scaled.out

    mesh = '<mesh filename="package://shop/k.obj" scale="0.001 0.001 0.001"/>'
    link = f'<link name="a"><visual><geometry>{mesh}</geometry></visual></link>'
    (tmp_path / 'robot').mkdir()
    urdf = write_urdf(tmp_path / 'robot', link)
    (tmp_path / 'shop').mkdir()
    (tmp_path / 'k.obj').rename(tmp_path / 'shop' / 'k.obj')
    assert cli('scene', 'info', urdf).code == 1
    assert cli('scene', 'info', urdf, '--package-path', tmp_path).code == 0


@pytest.mark.parametrize(
    ('words', 'named'),
    [
        (['gone.glb'], 'expected a scene file, found none there'),
        (['empty.glb'], 'empty.glb: expected glTF 2.0, found an empty file'),
        (['bad.obj'], 'found none that can be used (12 without area)'),
        (['a.urdf', '--up', 'y'], 'a .urdf file says its own'),
        (['a.urdf', '--unit-m', '0.001'], 'a .urdf file says its own'),
        (['b.obj', '--unit-m', '0'], 'unit_m: expected > 0'),
    ],
)
def test_info_of_bad_input_is_one_line(
    words: list[str], named: str, cli: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_urdf(tmp_path, *CUPBOARD, name='a.urdf')
    write_obj(tmp_path / 'b.obj', {'a': BOX[0]})
    write_obj(tmp_path / 'bad.obj', {'a': BOX[0] * 0.0})
    (tmp_path / 'empty.glb').write_bytes(b'')

    result = cli('scene', 'info', *words)

    assert (result.code, result.err.count('\n')) == (1, 1)
    assert named in result.err


@pytest.mark.data
def test_info_of_the_kitchen_twin(cli: RunCli, shared_data: Path) -> None:
    path = shared_data / 'beyond3d_p01' / 'P01_final.glb'

    told = json.loads(cli('scene', 'info', path, '--json').out)

    assert len(told['parts']) == len(load_scene(path).parts)
    assert told['warnings'] == []
    assert 2.0 < max(told['extent_m']) < 20.0


def _room_bag(path: Path, num: int = 12) -> Path:
    with BagRecorder(path) as sink:
        for i, frame in enumerate(frames_of(num)):
            stamp_ns = S + i * S // 10
            (camera,) = frame.cameras
            assert camera.world_T_camera is not None
            assert camera.depth_m is not None
            sink.write_transform(stamp_ns, 'map', 'optical', camera.world_T_camera)
            sink.write_camera_info(stamp_ns, 'head', 'optical', CAMERA)
            sink.write_depth(stamp_ns, 'head', 'optical', camera.depth_m)
    return path


@without_open3d
def test_build_without_open3d_names_the_extra(cli: RunCli, tmp_path: Path) -> None:
    result = cli('scene', 'build', _room_bag(tmp_path / 'r.mcap', 2), '--out', tmp_path / 'r.glb')

    assert result.code == 1
    assert "pip install 'st_memory[open3d]'" in result.err
    assert not (tmp_path / 'r.glb').exists()


@pytest.mark.parametrize(
    ('words', 'named'),
    [
        (['--out', 'r.stl'], '--out: expected a name that ends in .ply or .glb'),
        (['--out', 'there.glb'], 'already exists; --overwrite replaces it'),
        (['--out', 'no/r.glb'], 'the folder no does not exist'),
        (['--out', 'r.glb', '--voxel-m', '0'], 'voxel_m: expected > 0'),
        (['--out', 'r.glb', '--truncation-m', '0.01'], 'truncation_voxels: expected >= 1'),
        (['--out', 'r.glb', '--stride', '0'], 'stride and max_looks: expected >= 1'),
        (['--out', 'r.glb', '--settings', 'gone.yaml'], 'gone.yaml: No such file'),
    ],
)
def test_build_of_bad_arguments_is_one_line(
    words: list[str], named: str, cli: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'there.glb').write_text('')

    result = cli('scene', 'build', 'r.mcap', *words)

    assert (result.code, result.err.count('\n')) == (1, 1)
    assert named in result.err


@pytest.mark.parametrize('hold_out', [0, 4])
def test_build_says_what_went_in_and_how_well_it_fits(
    hold_out: int, cli: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, '_Volume', FakeVolume)
    bag, out = _room_bag(tmp_path / 'r.mcap'), tmp_path / 'r.ply'
    words = ['--hold-out', hold_out, '--camera', 'head', '--overwrite']

    text = cli('scene', 'build', bag, '--out', out, *words).out
    told = json.loads(cli('scene', 'build', bag, '--out', out, *words, '--json').out)

    num = 9 if hold_out else 12
    assert f'{out}: 12 faces of {num} looks' in text
    assert told['num_looks'] == num
    assert told['faces']['degenerate'] == 1
    assert len(load_scene(out).parts[0].triangles) == 12
    if hold_out:
        assert '(not used: 3 held_out)' in text
        assert 'against 3 looks that were held out: median error ' in text
        assert told['held_out']['median_m'] < 0.001  # depth is in whole millimetres in the bag
        assert told['held_out']['missed_share'] == 0.0
    else:
        assert told['held_out'] is None
        assert 'held out' not in text


def test_build_of_a_bag_without_depth_says_so(
    cli: RunCli, walk_bag: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, '_Volume', FakeVolume)

    result = cli('scene', 'build', walk_bag, '--out', tmp_path / 'r.glb')

    assert result.code == 1
    assert 'expected looks with a pose and depth, found none (80 without_depth)' in result.err


@needs_open3d
def test_build_writes_a_mesh_of_the_room_and_measures_it(cli: RunCli, tmp_path: Path) -> None:
    bag, out = _room_bag(tmp_path / 'r.mcap', 24), tmp_path / 'r.glb'
    words = ['--voxel-m', 0.05, '--truncation-m', 0.2, '--min-weight', 1, '--hold-out', 4]

    text = cli('scene', 'build', bag, '--out', out, *words)
    told = cli('scene', 'build', bag, '--out', out, *words, '--overwrite', '--json')

    (part,) = load_scene(out).parts
    middle = (part.vertices.min(axis=0) + part.vertices.max(axis=0)) / 2
    assert text.code == 0, text.err
    assert '18 looks (not used: 6 held_out)' in text.out
    assert 'against 6 looks that were held out: median error ' in text.out
    np.testing.assert_allclose(middle, CENTRE, atol=0.05)
    assert (part.name, part.fixture_id) == ('room', '')
    measured = json.loads(told.out)['held_out']
    assert measured['num_images'] == 6
    assert measured['median_m'] < 0.02


@needs_open3d
@pytest.mark.data
def test_build_of_the_red_kitchen_foretells_held_out_depth(
    cli: RunCli, shared_data: Path, tmp_path: Path
) -> None:
    bag = tmp_path / 'k.mcap'
    cli('convert', 'rgbd', shared_data / 'rgbd_7scenes_redkitchen', bag)

    result = cli('scene', 'build', bag, '--out', tmp_path / 'k.glb', '--hold-out', 10, '--json')

    measured = json.loads(result.out)['held_out']
    assert measured['median_m'] < 0.02  # a voxel
    assert measured['missed_share'] < 0.05
