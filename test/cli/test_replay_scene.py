"""Replaying with a scene file: a door on a joint, mesh topics, and the ray caster by name."""

from __future__ import annotations

from importlib.util import find_spec
import json
import math
from pathlib import Path

import pytest

from st_memory.bags import BagRecorder
from st_memory.core.geometry import PinholeCamera, RigidTransform
from st_memory.core.records import Detection
from st_memory.settings import SceneSettings, Settings, template
from test.bags import bag_files
from test.cli.conftest import RunCli
from test.scene.urdf_texts import box_link, joint, write_urdf

S = 1_000_000_000
START_NS = 100 * S
STEP_NS = S // 10
CAMERA = PinholeCamera(320, 240, 300.0, 300.0, 159.5, 119.5)
OPEN_RAD = math.pi / 2
# The camera looks along z. Its back wall is 3 m away, the door 2 m, the cup between the two.
CUPBOARD = (
    box_link('cupboard', '1 1 0.02', '0 0 3'),
    box_link('door', '1 1 0.02', '-0.5 0 0'),
    joint('hinge', 'cupboard', 'door', xyz='0.5 0 2', axis='0 1 0'),
)
CUP_P = (0.0, 0.0, 2.5)


def write_cup(path: Path, *, last_report: int = 69) -> Path:
    """Record 4 s of an open cupboard with a cup in it, then 3 s of a closed one."""
    with BagRecorder(path) as sink:
        sink.write_transform(START_NS, 'map', 'optical', RigidTransform.identity(), static=True)
        for index in range(70):
            stamp_ns = START_NS + index * STEP_NS
            is_open = index < 40
            if index <= last_report:
                sink.write_joints(stamp_ns, {'hinge': OPEN_RAD if is_open else 0.0})
            sink.write_camera_info(stamp_ns, 'head', 'optical', CAMERA)
            cup = Detection(
                'cup',
                0.9,
                box_px=(153.0, 113.0, 13.0, 13.0),
                camera_p=CUP_P,
                size_m=(0.1, 0.1, 0.1),
            )
            sink.write_detections(stamp_ns, 'head', 'optical', [cup] if is_open else [])
    return path


def _verdict(cli: RunCli, db: Path) -> dict[str, object]:
    result = cli('query', db, 'visible', 'cup', '--json')
    assert result.code == 0, result.err
    answer: dict[str, object] = json.loads(result.out)
    return answer


def test_a_door_that_closes_by_its_joint_hides_the_cup(cli: RunCli, tmp_path: Path) -> None:
    urdf = write_urdf(tmp_path, *CUPBOARD)
    bag = write_cup(tmp_path / 'cup.mcap')

    result = cli('replay', bag, '--db', tmp_path / 'm.db', '--scene', urdf)

    assert (result.code, result.err) == (0, '')
    verdict = _verdict(cli, tmp_path / 'm.db')
    assert (verdict['visibility_name'], verdict['occluder_id']) == ('OCCLUDED', 'door')
    when_open = cli('query', tmp_path / 'm.db', 'visible', 'cup', '--at', '+3.5')
    assert 'has been visible for 3.2 s' in when_open.out


def test_a_door_whose_joint_falls_silent_makes_the_verdict_ambiguous(
    cli: RunCli, tmp_path: Path
) -> None:
    urdf = write_urdf(tmp_path, *CUPBOARD)
    # The last report is of 4.5 s and says closed; it is held for a second.
    bag = write_cup(tmp_path / 'cup.mcap', last_report=45)

    result = cli('replay', bag, '--db', tmp_path / 'm.db', '--scene', urdf, '--json')

    counters = json.loads(result.out)['source_counters']
    assert counters == {'missing_joint hinge': 14}  # from 5.6 s to 6.9 s
    held = cli('query', tmp_path / 'm.db', 'visible', 'cup', '--at', '+5.4')
    assert 'has been hidden by door' in held.out
    assert _verdict(cli, tmp_path / 'm.db')['visibility_name'] == 'AMBIGUOUS_FIXTURE'


def test_a_door_of_which_nothing_is_known_makes_the_verdict_ambiguous(
    cli: RunCli, tmp_path: Path
) -> None:
    urdf = write_urdf(tmp_path, *CUPBOARD)
    bag = write_cup(tmp_path / 'cup.mcap', last_report=-1)

    result = cli('replay', bag, '--db', tmp_path / 'm.db', '--scene', urdf, '--json')

    assert json.loads(result.out)['source_counters'] == {'missing_joint hinge': 70}
    assert _verdict(cli, tmp_path / 'm.db')['visibility_name'] == 'AMBIGUOUS_FIXTURE'


def test_a_part_on_a_frame_that_never_comes_is_counted(cli: RunCli, tmp_path: Path) -> None:
    urdf = write_urdf(tmp_path, CUPBOARD[0])
    scene = tmp_path / 'scene.yaml'
    rule = '{match: cupboard, frame: trolley_link}'
    scene.write_text(f'scene: {urdf.name}\nparts: [{rule}]\n', 'utf-8')
    bag = write_cup(tmp_path / 'cup.mcap')

    result = cli('replay', bag, '--db', tmp_path / 'm.db', '--scene', scene, '--json')

    assert (result.code, result.err) == (0, '')
    manifest = json.loads(result.out)
    assert manifest['source_counters'] == {'missing_part_frame trolley_link': 70}


def test_the_manifest_tells_one_scene_from_another(cli: RunCli, tmp_path: Path) -> None:
    urdf = write_urdf(tmp_path, *CUPBOARD)
    bag, db = write_cup(tmp_path / 'cup.mcap'), tmp_path / 'm.db'
    cli('replay', bag, '--db', db, '--scene', urdf)

    same = cli('replay', bag, '--db', db, '--scene', urdf)
    write_urdf(tmp_path, *CUPBOARD[:2], CUPBOARD[2].replace('0.5 0 2', '0.5 0 2.1'))
    other = cli('replay', bag, '--db', db, '--scene', urdf)
    without = cli('replay', bag, '--db', db)

    assert 'nothing new' in same.out
    for result in (other, without):
        assert result.code == 1
        assert 'settings differs' in result.err


def test_a_description_brings_the_meshes_of_topics(cli: RunCli, tmp_path: Path) -> None:
    bag = bag_files.mesh_bag(tmp_path)
    scene = tmp_path / 'scene.yaml'
    scene.write_text('mesh_topics: {/shelf/mesh: {part: shelf, fixture: cupboard_1}}\n', 'utf-8')

    result = cli('replay', bag, '--db', tmp_path / 'm.db', '--scene', scene, '--json')

    manifest = json.loads(result.out)
    assert manifest['source_counters'] == {'mesh_changed': 1}
    assert manifest['settings']['assembler']['mesh_parts']['/shelf/mesh']['name'] == 'shelf'
    assert 'sha256' not in manifest['settings']['scene']  # that of the bag counts


@pytest.mark.parametrize(
    ('name', 'text', 'named'),
    [
        ('gone.urdf', None, r'gone.urdf: expected a scene file, found none there'),
        ('a.urdf', '<robot', 'a.urdf: expected XML'),
        ('a.yaml', 'fixture: 1', "unknown key 'fixture'"),
        ('a.dae', '', "found '.dae'"),
    ],
)
def test_a_scene_file_that_cannot_be_used_is_one_line_and_nothing_is_written(
    name: str, text: str | None, named: str, cli: RunCli, walk_bag: Path, tmp_path: Path
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)

    result = cli('replay', walk_bag, '--db', tmp_path / 'm.db', '--scene', tmp_path / name)

    assert result.code == 1
    assert result.err.count('\n') == 1
    assert named in result.err
    assert not (tmp_path / 'm.db').exists()


def test_what_looks_wrong_with_a_scene_is_noted(cli: RunCli, tmp_path: Path) -> None:
    wall = box_link('wall', '90 1 1', '0 0 50')
    urdf = write_urdf(tmp_path, wall)
    bag = write_cup(tmp_path / 'cup.mcap')

    result = cli('replay', bag, '--db', tmp_path / 'm.db', '--scene', urdf)

    assert result.code == 0
    assert f'note: {urdf}: part wall is 90 m long: is its unit the metre?' in result.err


def test_the_ray_caster_is_a_setting(cli: RunCli, tmp_path: Path) -> None:
    settings = tmp_path / 's.yaml'
    settings.write_text('scene: {ray_caster: open3d}\n', 'utf-8')
    urdf = write_urdf(tmp_path, *CUPBOARD)
    bag, db = write_cup(tmp_path / 'cup.mcap'), tmp_path / 'm.db'

    result = cli('replay', bag, '--db', db, '--scene', urdf, '--settings', settings)

    if find_spec('open3d') is None:
        assert result.code == 1
        assert "pip install 'st_memory[open3d]'" in result.err
        assert not db.exists()
    else:
        assert result.code == 0
        assert _verdict(cli, db)['visibility_name'] == 'OCCLUDED'


def test_the_choices_of_the_setting_are_the_ray_casters_there_are() -> None:
    from st_memory.scene import RAY_CASTERS
    from st_memory.settings import iter_fields

    (spec,) = (f for f in iter_fields(Settings) if f.path == 'scene.ray_caster')

    assert spec.choices == tuple(RAY_CASTERS)
    assert SceneSettings().ray_caster == 'embree'
    assert 'ray_caster: embree' in template()
