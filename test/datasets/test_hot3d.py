"""A HOT3D sequence into a recording: folders written by the tests, and the real one."""

from __future__ import annotations

import json
from pathlib import Path
import shutil

import numpy as np
import pytest

from st_memory.core.errors import DatasetError
from st_memory.core.records import Scene, WorldDetection
from st_memory.datasets import convert_hot3d, find_hot3d, Hot3dReport
from st_memory.scene import load_scene
from test.contracts.list_sink import ListSink
from test.datasets.adt_folder import edit_table, turned
from test.datasets.hot3d_folder import (
    BALL,
    BOARD,
    DIE,
    FIRST_NS,
    FRAME_NS,
    Hot3dWorld,
    LOOKS,
    MUG,
    SLAM_LAG_NS,
    SPOON,
)

SEQUENCE = Path('Aria') / 'P0001_abc'
CALIBRATION = SEQUENCE / 'mps' / 'slam' / 'online_calibration.jsonl'
MASK = SEQUENCE / 'masks' / 'mask_object_pose_available.csv'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give the folder as it should be."""
    return Hot3dWorld().write(tmp_path / 'hot3d')


def meshes_of(folder: Path) -> dict[str, Scene]:
    """Read the meshes with the axes of their files."""
    return {uid: load_scene(path, up='z') for uid, path in find_hot3d(folder).mesh_paths.items()}


def converted(folder: Path) -> tuple[ListSink, Hot3dReport]:
    """Convert into a list."""
    sink = ListSink()
    return sink, convert_hot3d(folder, sink, meshes=meshes_of(folder))


def seen(sink: ListSink, object_id: str) -> list[tuple[int, WorldDetection]]:
    """Give the observations of one object with their stamps."""
    return [
        (call.stamp_ns, d)
        for call in sink.of_kind('world_detections')
        for d in call.args['detections']
        if d.track_id == object_id
    ]


def refused(folder: Path) -> str:
    """Give the line with which a folder is refused."""
    with pytest.raises(DatasetError) as raised:
        converted(folder)
    assert '\n' not in str(raised.value)
    return str(raised.value)


# What is written.


def test_every_camera_looks_at_its_own_stamps(folder: Path) -> None:
    sink, report = converted(folder)

    looks = [(c.stamp_ns, c.args['camera_id']) for c in sink.of_kind('camera_info')]

    stream = report.stream_by_camera
    assert [(stamp, stream[camera]) for stamp, camera in looks] == sorted(LOOKS)
    assert report.num_looks == 9
    assert stream == {
        'camera_rgb': '214-1',
        'camera_slam_left': '1201-1',
        'camera_slam_right': '1201-2',
    }


def test_cameras_have_size_and_valid_circle_of_the_glasses(folder: Path) -> None:
    sink, _ = converted(folder)

    models = {c.args['camera_id']: c.args['model'] for c in sink.of_kind('camera_info')}

    assert (models['camera_rgb'].width, models['camera_rgb'].height) == (1408, 1408)
    assert models['camera_rgb'].valid_circle == (703.5, 703.5, 707.5)
    assert (models['camera_slam_left'].width, models['camera_slam_left'].height) == (640, 480)
    assert models['camera_slam_right'].valid_circle == (319.5, 239.5, 330.0)


def test_scene_has_one_part_for_each_mesh_in_the_frame_of_its_object(folder: Path) -> None:
    sink, report = converted(folder)

    (call,) = sink.of_kind('scene')

    parts = call.args['scene'].parts
    assert call is sink.calls[0]
    assert [(p.name, p.frame_id, p.fixture_id) for p in parts] == [
        ('cutting board 101', BOARD, ''),
        ('mug 102', MUG, ''),
        ('die 103', DIE, ''),
        ('spoon 105', SPOON, ''),
    ]
    assert report.num_meshes == 4


def test_mesh_keeps_the_axes_of_its_file(folder: Path) -> None:
    sink, _ = converted(folder)

    die = next(p for p in sink.of_kind('scene')[0].args['scene'].parts if p.frame_id == DIE)

    np.testing.assert_allclose(die.vertices.min(axis=0), [0, -0.05, -0.05], atol=1e-7)
    np.testing.assert_allclose(die.vertices.max(axis=0), [0.1, 0.05, 0.05], atol=1e-7)


def test_frames_of_meshes_follow_their_objects(folder: Path) -> None:
    sink, _ = converted(folder)

    board = [
        (c.stamp_ns, c.args['parent_T_child'].translation[0])
        for c in sink.of_kind('transform')
        if c.args['child_frame'] == BOARD
    ]

    frames = [FIRST_NS + i * FRAME_NS for i in range(3)]
    assert [stamp for stamp, _ in board] == [s + lag for s in frames for lag in (0, SLAM_LAG_NS)]
    assert [x for _, x in board] == [0, 0, -0.9, -0.9, -0.9, -0.9]


def test_no_frame_for_what_has_no_mesh(folder: Path) -> None:
    sink, _ = converted(folder)

    children = {c.args['child_frame'] for c in sink.of_kind('transform')}

    assert BALL not in children
    assert {BOARD, MUG, DIE, SPOON, 'device'} < children


def test_box_is_around_the_mesh(folder: Path) -> None:
    sink, _ = converted(folder)

    die = seen(sink, DIE)[0][1]

    np.testing.assert_allclose(die.world_p, [0.6, 0.0, 1.0], atol=1e-6)
    np.testing.assert_allclose(die.size_m, [0.1, 0.1, 0.1], atol=1e-6)


def test_object_without_a_mesh_is_a_point_and_listed(folder: Path) -> None:
    sink, report = converted(folder)

    assert len(seen(sink, BALL)) == 6
    assert seen(sink, BALL)[0][1].size_m is None
    assert seen(sink, BALL)[0][1].world_p == (-0.5, 0.3, 1.0)
    assert report.problems == (('mesh', 'ball', f'no mesh, no box: {BALL}'),)
    assert report.gaps == ()


def test_movement_is_reported_when_the_pose_shows_it(folder: Path) -> None:
    sink, report = converted(folder)

    (call,) = sink.of_kind('movement')

    assert call.stamp_ns == FIRST_NS + FRAME_NS
    assert call.args['movement'].object_id == BOARD
    assert call.args['movement'].start_ns == FIRST_NS + SLAM_LAG_NS
    assert report.num_movements == 1


def test_sequence_itself_may_be_named(folder: Path) -> None:
    whole = converted(folder)[0].digest()
    sink = ListSink()
    convert_hot3d(folder / SEQUENCE, sink, meshes=meshes_of(folder))

    assert sink.digest() == whole


def test_no_meshes_at_all_make_no_scene(folder: Path) -> None:
    sink = ListSink()

    report = convert_hot3d(folder, sink, meshes={})

    assert sink.of_kind('scene') == []
    assert report.num_meshes == 0
    assert [p.what for p in report.problems] == ['mesh'] * 5


def test_conversion_is_the_same_without_the_truth(folder: Path) -> None:
    truth = folder / SEQUENCE / 'box2d_objects.csv'
    truth.write_text('not a table of anything\n')
    digest = converted(folder)[0].digest()
    truth.unlink()

    assert converted(folder)[0].digest() == digest


def test_shifted_clock_shifts_every_stamp_and_nothing_else(tmp_path: Path) -> None:
    plain, _ = converted(Hot3dWorld().write(tmp_path / 'plain'))
    later, _ = converted(Hot3dWorld(shift_ns=12_345_678_901).write(tmp_path / 'later'))

    assert [c.kind for c in plain.calls] == [c.kind for c in later.calls]
    gaps = {b.stamp_ns - a.stamp_ns for a, b in zip(plain.calls, later.calls, strict=True)}
    assert gaps == {12_345_678_901}


def test_moved_world_moves_observations_with_it(tmp_path: Path) -> None:
    move = turned((0, 0, 1), 0.7, (3, -2, 1))
    plain, _ = converted(Hot3dWorld().write(tmp_path / 'plain'))
    other, _ = converted(Hot3dWorld(world_T_scene=move).write(tmp_path / 'moved'))

    for uid in (BOARD, MUG, DIE, BALL, SPOON):
        for (_, a), (_, b) in zip(seen(plain, uid), seen(other, uid), strict=True):
            np.testing.assert_allclose(move.apply(a.world_p), b.world_p, atol=1e-12)
            assert a.size_m == b.size_m


# What is missing is listed.


def test_look_that_a_mask_takes_out_is_listed(folder: Path) -> None:
    edit_table(folder / MASK, lambda rows: rows[0].update(mask='False'))

    _, report = converted(folder)

    assert report.num_looks == 8
    assert report.problems[0] == (
        'pose',
        f'stream 214-1 at {FIRST_NS}',
        'left out by mask_object_pose_available',
    )


def test_look_far_from_every_pose_is_listed(folder: Path) -> None:
    def drop_second_frame(rows: list[dict[str, str]]) -> None:
        del rows[2:4]

    edit_table(folder / SEQUENCE / 'headset_trajectory.csv', drop_second_frame)

    _, report = converted(folder)

    assert report.num_looks == 6
    reasons = [p.reason for p in report.problems if p.what == 'pose']
    assert len(reasons) == 3
    assert reasons[0] == f'no pose of the headset within 1 ms of {FIRST_NS + FRAME_NS}'


def test_nan_pose_is_listed(folder: Path) -> None:
    path = folder / SEQUENCE / 'dynamic_objects.csv'
    edit_table(path, lambda rows: rows[0].update({'t_wo_x[m]': 'nan'}))

    sink, report = converted(folder)

    # The SLAM cameras' pose of the same frame is near enough for the colour camera's look.
    assert len(seen(sink, BOARD)) == 6
    assert report.problems[0] == ('pose', 'dynamic_objects.csv:2', 'its pose is not finite')


def test_second_pose_at_one_stamp_is_listed(folder: Path) -> None:
    path = folder / SEQUENCE / 'dynamic_objects.csv'
    edit_table(path, lambda rows: rows.append({**rows[0], 't_wo_x[m]': '9'}))

    sink, report = converted(folder)

    assert seen(sink, BOARD)[0][1].world_p[0] == 0.0
    assert report.problems[0].reason == 'a second pose at this stamp'


def test_gap_between_looks_is_listed(folder: Path) -> None:
    def make_gap(rows: list[dict[str, str]]) -> None:
        for row in rows[-3:]:
            row['mask'] = 'False'
        for step in (2, 5):  # frames 0, 1, then 2 is out, then 5
            rows.append(
                {**rows[0], 'timestamp[ns]': str(FIRST_NS + step * FRAME_NS), 'mask': 'True'}
            )

    edit_table(folder / MASK, make_gap)
    poses = folder / SEQUENCE / 'headset_trajectory.csv'
    edit_table(
        poses,
        lambda rows: rows.append({**rows[0], 'timestamp[ns]': str(FIRST_NS + 5 * FRAME_NS)}),
    )

    _, report = converted(folder)

    assert report.gaps == ((FIRST_NS + FRAME_NS, FIRST_NS + 5 * FRAME_NS),)


# What cannot be read is one line.


def test_no_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match='expected a HOT3D folder, found none there'):
        find_hot3d(tmp_path / 'none')


def test_folder_without_a_sequence_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r'expected one sequence .*, found none'):
        find_hot3d(tmp_path)


def test_folder_with_two_sequences_is_one_line(folder: Path) -> None:
    shutil.copytree(folder / SEQUENCE, folder / 'Aria' / 'P0002_def')

    with pytest.raises(DatasetError, match='found P0001_abc, P0002_def'):
        find_hot3d(folder)


def test_folder_without_a_library_is_one_line(folder: Path) -> None:
    shutil.rmtree(folder / 'object_library')

    with pytest.raises(DatasetError, match='expected object_library, found none'):
        find_hot3d(folder)


@pytest.mark.parametrize(
    'name',
    [
        'headset_trajectory.csv',
        'masks/mask_object_pose_available.csv',
        'masks/mask_headset_pose_available.csv',
        'mps/slam/online_calibration.jsonl',
    ],
)
def test_missing_file_is_one_line(folder: Path, name: str) -> None:
    (folder / SEQUENCE / name).unlink()

    line = refused(folder)

    assert Path(name).name in line
    assert line.endswith('found none')


def test_missing_names_are_one_line(folder: Path) -> None:
    (folder / 'object_library' / 'instance.json').unlink()

    assert refused(folder).endswith('object_library: expected instance.json, found none')


def test_object_without_a_name_is_one_line(folder: Path) -> None:
    (folder / 'object_library' / 'instance.json').write_text('{}')

    assert f'instance.json: expected a name of object {BOARD}' in refused(folder)


@pytest.mark.parametrize(
    ('name', 'column'),
    [
        ('dynamic_objects.csv', 'q_wo_w'),
        ('headset_trajectory.csv', 't_wo_z[m]'),
        ('masks/mask_object_pose_available.csv', 'mask'),
    ],
)
def test_missing_column_is_one_line(folder: Path, name: str, column: str) -> None:
    def drop(rows: list[dict[str, str]]) -> None:
        for row in rows:
            del row[column]

    edit_table(folder / SEQUENCE / name, drop)

    assert f'{name}: expected a column {column}, found ' in refused(folder)


def test_unknown_stream_is_one_line(folder: Path) -> None:
    edit_table(folder / MASK, lambda rows: rows[0].update(stream_id='9-9'))

    line = refused(folder)

    assert line.endswith("expected a stream of 214-1, 1201-1, 1201-2, found '9-9'")


def test_unknown_camera_model_is_one_line(folder: Path) -> None:
    text = (folder / CALIBRATION).read_text()
    (folder / CALIBRATION).write_text(text.replace('FisheyeRadTanThinPrism', 'Linear'))

    assert refused(folder).endswith('found ValueError: Linear with 15 parameters')


@pytest.mark.parametrize(
    'change',
    [
        {'Label': 'camera-eye'},
        {'Projection': {'Name': 'FisheyeRadTanThinPrism', 'Params': [1.0] * 3}},
        {'T_Device_Camera': {'Translation': [0, 0, 0], 'UnitQuaternion': [0, [0, 0, 0]]}},
        {'T_Device_Camera': {'Translation': [0, 0], 'UnitQuaternion': [1, [0, 0, 0]]}},
    ],
)
def test_unusable_calibration_is_one_line(folder: Path, change: dict[str, object]) -> None:
    document = json.loads((folder / CALIBRATION).read_text().splitlines()[0])
    document['CameraCalibrations'][0].update(change)
    (folder / CALIBRATION).write_text(json.dumps(document) + '\n')

    assert 'expected FISHEYE624 calibrations of camera-rgb' in refused(folder)


def test_empty_calibration_is_one_line(folder: Path) -> None:
    (folder / CALIBRATION).write_text('')

    assert 'expected FISHEYE624 calibrations' in refused(folder)


def test_mesh_in_millimetres_is_one_line(tmp_path: Path) -> None:
    folder = Hot3dWorld(mesh_unit_m=0.001).write(tmp_path / 'hot3d')

    assert f'mesh of {BOARD}: expected metres, found 400 m' in refused(folder)


def test_two_headsets_are_one_line(folder: Path) -> None:
    path = folder / SEQUENCE / 'headset_trajectory.csv'
    edit_table(path, lambda rows: rows[0].update(object_uid='901'))

    assert refused(folder).endswith('expected poses of one headset, found 2 that move')


def test_no_look_with_a_pose_is_one_line(folder: Path) -> None:
    edit_table(folder / MASK, lambda rows: [r.update(mask='False') for r in rows])

    assert refused(folder).endswith('expected looks with a pose, found none')


# The real recording.


@pytest.mark.data
def test_sample_is_read_whole(shared_data: Path) -> None:
    sink, report = converted(shared_data / 'hot3d_sample')

    assert len(report.object_ids) == 6
    assert (report.num_poses, report.num_looks, report.num_meshes) == (68, 102, 4)
    assert report.num_observations == 6 * 68
    assert report.num_movements == 1  # the coffee pot is picked up
    assert [(p.what, p.where) for p in report.problems] == [
        ('mesh', 'mug white'),
        ('mesh', 'coffee pot'),
    ]
    assert report.gaps == ()
    sizes = {d.label: max(d.size_m) for _, d in seen(sink, '37787722328019') if d.size_m}
    assert sizes == {'keyboard': pytest.approx(0.429, abs=1e-3)}


@pytest.mark.data
def test_meshes_of_the_sample_project_into_their_2d_boxes(shared_data: Path) -> None:
    """The outlines of metres in raw axes meet the drawn ones within a few pixels."""
    sink, report = converted(shared_data / 'hot3d_sample')
    scene = sink.of_kind('scene')[0].args['scene']
    cellphone, camera_id = '5462893327580', 'camera_rgb'
    part = next(p for p in scene.parts if p.frame_id == cellphone)
    info = next(c for c in sink.of_kind('camera_info') if c.args['camera_id'] == camera_id)
    at = {
        c.args['child_frame']: c.args['parent_T_child']
        for c in reversed(sink.of_kind('transform'))
        if c.args['static'] or c.stamp_ns == info.stamp_ns
    }
    map_T_camera = at['device'] @ at[info.args['frame_id']]
    camera_p = map_T_camera.inverse().apply(at[cellphone].apply(part.vertices))

    pixels = info.args['model'].project(camera_p).pixels

    truth = shared_data / 'hot3d_sample' / 'Aria' / 'P0003_c701bd11' / 'box2d_objects.csv'
    stream, stamp = report.stream_by_camera[camera_id], str(info.stamp_ns)
    rows = [line.split(',') for line in truth.read_text().splitlines()]
    drawn = next(r for r in rows if r[:3] == [stream, cellphone, stamp])
    found = [*pixels.min(axis=0), *pixels.max(axis=0)]
    np.testing.assert_allclose(found, [float(drawn[i]) for i in (3, 5, 4, 6)], atol=5.0)
