"""An Aria Digital Twin folder into a recording: folders written by the tests, and the real one."""

from __future__ import annotations

import json
from pathlib import Path
import shutil

import cv2
import numpy as np
import pytest

from st_memory.core.errors import DatasetError
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import WorldDetection
from st_memory.datasets import AdtReport, convert_adt
from test.contracts.list_sink import ListSink
from test.datasets.adt_folder import (
    AdtWorld,
    BOOK,
    CAMERA,
    CHAIR,
    CUP,
    edit_table,
    FIRST_US,
    LOOKS_NS,
    STEP_US,
    STREAM,
    turned,
    VASE,
)

CAMERA_ID = 'camera_slam_left'
OPTICAL = 'camera_slam_left_optical_frame'
TRUTH = ('raw/2d_bounding_box.csv', 'extracted/*instance_uid*')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give the folder as it should be."""
    return AdtWorld().write(tmp_path / 'adt')


def converted(folder: Path) -> tuple[ListSink, AdtReport]:
    """Convert into a list."""
    sink = ListSink()
    return sink, convert_adt(folder, sink)


def seen(sink: ListSink, object_id: str) -> list[tuple[int, WorldDetection]]:
    """Give the observations of one object with their stamps."""
    return [
        (call.stamp_ns, d)
        for call in sink.of_kind('world_detections')
        for d in call.args['detections']
        if d.track_id == object_id
    ]


def problems(report: AdtReport) -> list[tuple[str, str]]:
    """Give what is wrong, without where."""
    return [(p.what, p.reason) for p in report.problems]


# What is written.


def test_map_has_z_up(folder: Path) -> None:
    sink, _ = converted(folder)

    link = sink.of_kind('transform')[0].args

    assert (link['parent_frame'], link['child_frame'], link['static']) == (
        'map',
        'adt_scene',
        True,
    )
    turn = link['parent_T_child'].rotation
    np.testing.assert_allclose(turn @ [0, 1, 0], [0, 0, 1], atol=1e-15)  # up
    np.testing.assert_allclose(turn @ [1, 0, 0], [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(turn @ [0, 0, 1], [0, -1, 0], atol=1e-15)


@pytest.mark.parametrize('angle_rad', [0.5, np.pi / 2, -np.pi / 2, 3.0])
def test_up_follows_gravity_wherever_the_scene_has_it(tmp_path: Path, angle_rad: float) -> None:
    tilted = AdtWorld(world_T_scene=turned((1, 0, 0), angle_rad)).write(tmp_path / 'adt')
    up_in_scene = turned((1, 0, 0), angle_rad).rotation @ [0, 1, 0]

    sink, _ = converted(tilted)

    turn = sink.of_kind('transform')[0].args['parent_T_child'].rotation
    np.testing.assert_allclose(turn @ up_in_scene, [0, 0, 1], atol=1e-12)


def test_trajectory_stands_at_its_own_stamps(folder: Path) -> None:
    sink, report = converted(folder)

    moving = [c for c in sink.of_kind('transform') if not c.args['static']]

    assert report.num_poses == 3
    assert [c.stamp_ns for c in moving] == [(FIRST_US + i * STEP_US) * 1000 for i in range(3)]
    assert {(c.args['parent_frame'], c.args['child_frame']) for c in moving} == {('map', 'device')}


def test_camera_sits_on_the_device(folder: Path) -> None:
    path = folder / 'extracted' / 'cameras.json'
    cameras = json.loads(path.read_text())
    mounted = turned((0, 0, 1), np.pi / 2, (0.1, 0.2, 0.3))
    cameras[STREAM]['T_device_camera'] = mounted.matrix.tolist()
    path.write_text(json.dumps(cameras))

    sink, report = converted(folder)

    link = sink.of_kind('transform')[1].args
    assert (link['parent_frame'], link['child_frame'], link['static']) == (
        'device',
        OPTICAL,
        True,
    )
    gap_m, gap_rad = link['parent_T_child'].distance_to(mounted)
    assert gap_m == 0.0
    assert gap_rad == pytest.approx(0.0, abs=1e-12)
    assert report.stream_by_camera == {CAMERA_ID: STREAM}


def test_camera_is_fisheye624_with_its_valid_circle(folder: Path) -> None:
    sink, _ = converted(folder)

    infos = sink.of_kind('camera_info')

    assert [c.stamp_ns for c in infos] == list(LOOKS_NS)
    assert infos[0].args['camera_id'] == CAMERA_ID
    assert infos[0].args['model'] == CAMERA


def test_depth_is_metres_at_its_capture_stamp_with_nan_for_no_reading(folder: Path) -> None:
    path = next((folder / 'extracted').glob(f'*{LOOKS_NS[0]}.depth_mm.png'))
    image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    image[:2, :2] = [[0, 65535], [1234, 1]]
    cv2.imwrite(str(path), image)

    sink, report = converted(folder)

    first, second = sink.of_kind('depth')
    assert (first.stamp_ns, second.stamp_ns) == LOOKS_NS
    depth_m = first.args['depth_m']
    assert np.isnan(depth_m[0, :2]).all()
    np.testing.assert_allclose(depth_m[1, :2], [1.234, 0.001], rtol=1e-6)
    assert depth_m[5, 31] == 2.0  # the wall, whatever the angle to the axis
    assert report.num_depth == 2


def test_image_joins_the_look_of_its_depth_byte_for_byte(folder: Path) -> None:
    sink, report = converted(folder)

    images = sink.of_kind('color_encoded')

    assert [c.stamp_ns for c in images] == list(LOOKS_NS)  # not 700 ns later
    path = next((folder / 'extracted').glob(f'*{LOOKS_NS[0]}.image.png'))
    assert images[0].args['data'] == path.read_bytes()
    assert images[0].args['image_format'] == 'png'
    assert report.num_color == 2


def test_image_without_depth_is_a_look_of_its_own(folder: Path) -> None:
    def move_depth_away(rows: list[dict[str, str]]) -> None:
        rows[:] = [r for r in rows if not (r['kind'] == 'depth' and r['file'].endswith('.png'))]

    edit_table(folder / 'extracted' / 'manifest.csv', move_depth_away)

    sink, report = converted(folder)

    assert [c.stamp_ns for c in sink.of_kind('camera_info')] == [
        LOOKS_NS[0] + 700,
        LOOKS_NS[1] + 700,
    ]
    assert report.num_depth == 0


def test_place_is_the_centre_of_the_box_not_the_origin_of_the_object(folder: Path) -> None:
    sink, _ = converted(folder)

    ((stamp_ns, book),) = seen(sink, BOOK)

    assert stamp_ns == LOOKS_NS[0]
    # Foot at (0.2, -0.1, 1) in the scene, centre 0.1 higher; (x, y, z) becomes (x, -z, y).
    np.testing.assert_allclose(book.world_p, [0.2, -1.0, 0.0], atol=1e-12)
    assert book.size_m == pytest.approx((0.2, 0.2, 0.2))
    assert (book.label, book.score, book.source) == ('book', 1.0, 'annotation')


def test_box_keeps_its_attitude(folder: Path) -> None:
    sink, _ = converted(folder)

    ((_, book),) = seen(sink, BOOK)

    turn = RigidTransform(np.zeros(3), np.array(book.quat_xyzw)).rotation
    np.testing.assert_allclose(turn @ [0, 1, 0], [0, 0, 1], atol=1e-12)


def test_label_is_the_category_in_words(folder: Path) -> None:
    sink, _ = converted(folder)

    assert seen(sink, VASE)[0][1].label == 'flower vase'


def test_what_moves_is_observed_at_the_looks_its_poses_are_nearest_to(folder: Path) -> None:
    sink, report = converted(folder)

    cup = seen(sink, CUP)

    last_pose_ns = (FIRST_US + 2 * STEP_US) * 1000 + 700  # no look there: its own stamp
    assert [stamp for stamp, _ in cup] == [*LOOKS_NS, last_pose_ns]
    np.testing.assert_allclose([d.world_p[1] for _, d in cup], [-1, -3, -3], atol=1e-12)
    assert report.num_observations == 6


def test_movement_is_reported_when_the_pose_shows_it(folder: Path) -> None:
    sink, report = converted(folder)

    (call,) = sink.of_kind('movement')

    assert call.stamp_ns == LOOKS_NS[1]
    moved = call.args['movement']
    assert (moved.object_id, moved.start_ns, moved.end_ns) == (CUP, LOOKS_NS[0], None)
    assert report.num_movements == 1


def test_object_ids_are_all_of_the_folder(folder: Path) -> None:
    _, report = converted(folder)

    assert report.object_ids == (BOOK, VASE, CHAIR, CUP)
    assert report.problems == ()
    assert report.gaps == ()


def test_conversion_is_the_same_without_the_truth(folder: Path) -> None:
    with_truth = folder / 'raw' / '2d_bounding_box.csv'
    with_truth.write_text('stream_id,object_uid\nnot,even,a,table\n')
    (folder / 'extracted' / 'never_opened.npz').write_bytes(b'nothing')
    digest = converted(folder)[0].digest()
    with_truth.unlink()
    (folder / 'extracted' / 'never_opened.npz').unlink()

    assert converted(folder)[0].digest() == digest


def test_shifted_clock_shifts_every_stamp_and_nothing_else(tmp_path: Path) -> None:
    plain, _ = converted(AdtWorld().write(tmp_path / 'plain'))
    later, _ = converted(AdtWorld(shift_us=7_000_003).write(tmp_path / 'later'))

    assert [c.kind for c in plain.calls] == [c.kind for c in later.calls]
    gaps = {b.stamp_ns - a.stamp_ns for a, b in zip(plain.calls, later.calls, strict=True)}
    assert gaps == {7_000_003_000}


def test_moved_scene_keeps_every_distance_from_the_camera(tmp_path: Path) -> None:
    moved = AdtWorld(world_T_scene=turned((1, 2, 3), 1.1, (5, -3, 2)))
    plain, _ = converted(AdtWorld().write(tmp_path / 'plain'))
    other, _ = converted(moved.write(tmp_path / 'moved'))

    for object_id in (BOOK, VASE, CHAIR, CUP):
        for (_, a), (_, b) in zip(seen(plain, object_id), seen(other, object_id), strict=True):
            np.testing.assert_allclose(in_camera(plain, a), in_camera(other, b), atol=1e-9)


def in_camera(sink: ListSink, thing: WorldDetection) -> np.ndarray:
    """Give where an observation is for the camera at the first look."""
    links = [c.args for c in sink.of_kind('transform')]
    device_T_camera = next(k['parent_T_child'] for k in links if k['child_frame'] == OPTICAL)
    map_T_device = next(k['parent_T_child'] for k in links if k['child_frame'] == 'device')
    return (map_T_device @ device_T_camera).inverse().apply(np.array(thing.world_p))


# What is missing is listed.


def test_look_far_from_every_pose_is_left_out_and_listed(folder: Path) -> None:
    def drop_second_pose(rows: list[dict[str, str]]) -> None:
        del rows[1]

    edit_table(folder / 'raw' / 'aria_trajectory.csv', drop_second_pose)

    sink, report = converted(folder)

    assert [c.stamp_ns for c in sink.of_kind('depth')] == [LOOKS_NS[0]]
    reason = f'no pose of the device within 1 ms of {LOOKS_NS[1]}'
    assert ('pose', reason) in problems(report)
    assert len(report.problems) == 2  # its image, too


def test_look_that_rounding_puts_before_the_first_pose_takes_that_pose(folder: Path) -> None:
    def drop_first_pose(rows: list[dict[str, str]]) -> None:
        del rows[0]

    edit_table(folder / 'raw' / 'aria_trajectory.csv', drop_first_pose)

    sink, report = converted(folder)

    assert [c.stamp_ns for c in sink.of_kind('depth')] == [LOOKS_NS[1]]
    moving = [c.stamp_ns for c in sink.of_kind('transform') if not c.args['static']]
    assert moving[:2] == [LOOKS_NS[1], LOOKS_NS[1] + 1]
    assert report.num_poses == 3


def test_nan_pose_of_the_device_is_listed(folder: Path) -> None:
    edit_table(
        folder / 'raw' / 'aria_trajectory.csv', lambda rows: rows[2].update(tx_world_device='nan')
    )

    _, report = converted(folder)

    (problem,) = report.problems
    assert problem == ('pose', 'aria_trajectory.csv:4', 'its pose is not finite')


def test_pose_that_is_no_rotation_is_listed(folder: Path) -> None:
    edit_table(folder / 'raw' / 'scene_objects.csv', lambda rows: rows[0].update(q_wo_w='0'))

    sink, report = converted(folder)

    assert seen(sink, BOOK) == []
    assert [p.what for p in report.problems] == ['pose', 'pose']
    assert 'expected unit length' in report.problems[0].reason
    assert report.problems[1].reason == f'object {BOOK} has no pose'
    assert BOOK in report.object_ids


def test_second_pose_at_one_stamp_is_listed(folder: Path) -> None:
    def repeat(rows: list[dict[str, str]]) -> None:
        rows.append({**rows[0], 't_wo_x[m]': '9'})

    edit_table(folder / 'raw' / 'scene_objects.csv', repeat)

    sink, report = converted(folder)

    assert seen(sink, BOOK)[0][1].world_p[0] == pytest.approx(0.2)
    assert problems(report) == [('pose', 'a second pose at this stamp')]


def test_object_without_a_box_is_a_point_and_listed(folder: Path) -> None:
    def drop_book(rows: list[dict[str, str]]) -> None:
        del rows[0]

    edit_table(folder / 'raw' / '3d_bounding_box.csv', drop_book)

    sink, report = converted(folder)

    assert seen(sink, BOOK)[0][1].size_m is None
    np.testing.assert_allclose(seen(sink, BOOK)[0][1].world_p, [0.2, -1.0, -0.1], atol=1e-12)
    assert problems(report) == [('box', f'object {BOOK} has no box')]


@pytest.mark.parametrize(
    ('change', 'reason'),
    [
        ({'timestamp[ns]': '5'}, 'a box that changes with time is not read'),
        ({'p_local_obj_xmin[m]': 'nan'}, 'its box is none'),
        ({'p_local_obj_xmin[m]': '3'}, 'its box is none'),
    ],
)
def test_unusable_box_is_listed(folder: Path, change: dict[str, str], reason: str) -> None:
    edit_table(folder / 'raw' / '3d_bounding_box.csv', lambda rows: rows[0].update(change))

    _, report = converted(folder)

    assert report.problems[0].where == '3d_bounding_box.csv:2'
    assert report.problems[0].reason.startswith(reason)


def test_object_without_a_pose_is_listed(folder: Path) -> None:
    def drop_book(rows: list[dict[str, str]]) -> None:
        del rows[0]

    edit_table(folder / 'raw' / 'scene_objects.csv', drop_book)

    sink, report = converted(folder)

    assert seen(sink, BOOK) == []
    assert problems(report) == [('pose', f'object {BOOK} has no pose')]


@pytest.mark.parametrize(('pattern', 'what'), [('depth_mm', 'depth'), ('image', 'color')])
def test_image_that_is_not_there_or_cut_short_is_listed(
    folder: Path, pattern: str, what: str
) -> None:
    first, second = sorted((folder / 'extracted').glob(f'*.{pattern}.png'))
    first.unlink()
    second.write_bytes(second.read_bytes()[:-20])

    sink, report = converted(folder)

    assert problems(report) == [(what, 'no such file'), (what, 'truncated')]
    assert len(sink.of_kind('camera_info')) == 2


def test_image_that_is_no_png_is_listed(folder: Path) -> None:
    first = sorted((folder / 'extracted').glob('*.depth_mm.png'))[0]
    first.write_bytes(b'\xff\xd8\xff')

    assert problems(converted(folder)[1]) == [('depth', 'not a PNG file')]


def test_gap_of_the_trajectory_is_listed(folder: Path) -> None:
    def add_late_pose(rows: list[dict[str, str]]) -> None:
        late = FIRST_US + 9 * STEP_US
        rows.append({**rows[0], 'tracking_timestamp_us': str(late)})

    edit_table(folder / 'raw' / 'aria_trajectory.csv', add_late_pose)

    _, report = converted(folder)

    assert report.gaps == (((FIRST_US + 2 * STEP_US) * 1000, (FIRST_US + 9 * STEP_US) * 1000),)


# What cannot be read is one line.


def test_no_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match='expected an Aria Digital Twin folder, found none'):
        convert_adt(tmp_path / 'none', ListSink())


@pytest.mark.parametrize(
    'name',
    [
        'raw/aria_trajectory.csv',
        'raw/scene_objects.csv',
        'raw/3d_bounding_box.csv',
        'raw/instances.json',
        'extracted/cameras.json',
        'extracted/manifest.csv',
    ],
)
def test_missing_file_is_one_line(folder: Path, name: str) -> None:
    (folder / name).unlink()

    with pytest.raises(DatasetError) as raised:
        convert_adt(folder, ListSink())

    where, file_name = (folder / name).parent, Path(name).name
    assert str(raised.value) == f'{where}: expected {file_name}, found none'


@pytest.mark.parametrize(
    ('name', 'column'),
    [
        ('raw/aria_trajectory.csv', 'gravity_y_world'),
        ('raw/scene_objects.csv', 'q_wo_w'),
        ('raw/3d_bounding_box.csv', 'p_local_obj_zmax[m]'),
        ('extracted/manifest.csv', 'kind'),
    ],
)
def test_missing_column_is_one_line(folder: Path, name: str, column: str) -> None:
    def drop(rows: list[dict[str, str]]) -> None:
        for row in rows:
            del row[column]

    edit_table(folder / name, drop)

    with pytest.raises(DatasetError) as raised:
        convert_adt(folder, ListSink())

    text = str(raised.value)
    assert text.startswith(f'{folder / name}: expected a column {column}, found ')
    assert '\n' not in text


@pytest.mark.parametrize(
    ('name', 'change', 'expected'),
    [
        (
            'raw/scene_objects.csv',
            {'t_wo_x[m]': 'left'},
            "expected a number as t_wo_x[m] in line 2, found 'left'",
        ),
        (
            'raw/scene_objects.csv',
            {'timestamp[ns]': '0'},
            "expected a stamp above 0 as timestamp[ns] in line 2, found '0'",
        ),
        (
            'raw/aria_trajectory.csv',
            {'tracking_timestamp_us': '1.5'},
            "expected a whole number as tracking_timestamp_us in line 2, found '1.5'",
        ),
        (
            'extracted/manifest.csv',
            {'stream_id': '9-9'},
            "expected a stream of cameras.json, found '9-9'",
        ),
        (
            'extracted/manifest.csv',
            {'capture_timestamp_ns': '-5'},
            "expected a stamp above 0 as capture_timestamp_ns in line 2, found '-5'",
        ),
    ],
)
def test_wrong_value_is_one_line(
    folder: Path, name: str, change: dict[str, str], expected: str
) -> None:
    edit_table(folder / name, lambda rows: rows[0].update(change))

    with pytest.raises(DatasetError) as raised:
        convert_adt(folder, ListSink())

    assert str(raised.value) == f'{folder / name}: {expected}'


def test_line_cut_short_is_one_line(folder: Path) -> None:
    path = folder / 'raw' / 'scene_objects.csv'
    path.write_text(path.read_text() + '55,-1,0.0\n')

    with pytest.raises(DatasetError, match=r'a value for t_wo_y\[m\] in line 8, found the end'):
        convert_adt(folder, ListSink())


def test_unknown_camera_model_is_one_line(tmp_path: Path) -> None:
    folder = AdtWorld(model='CameraModelType.KANNALA_BRANDT_K3').write(tmp_path / 'adt')

    with pytest.raises(DatasetError) as raised:
        convert_adt(folder, ListSink())

    assert str(raised.value) == (
        f'{folder}/extracted/cameras.json: expected a FISHEYE624 camera as {STREAM}, '
        'found ValueError: CameraModelType.KANNALA_BRANDT_K3 with 15 parameters'
    )


@pytest.mark.parametrize(
    ('key', 'value'),
    [
        ('projection_params', [1.0] * 14),
        ('projection_params', None),
        ('image_size', [64]),
        ('label', 'left eye!'),
        ('T_device_camera', [[1, 0], [0, 1]]),
        ('valid_radius', -1),
    ],
)
def test_unusable_camera_is_one_line(folder: Path, key: str, value: object) -> None:
    path = folder / 'extracted' / 'cameras.json'
    cameras = json.loads(path.read_text())
    cameras[STREAM][key] = value
    path.write_text(json.dumps(cameras))

    with pytest.raises(DatasetError, match=f'expected a FISHEYE624 camera as {STREAM}') as raised:
        convert_adt(folder, ListSink())
    assert '\n' not in str(raised.value)


def test_two_cameras_of_one_name_are_one_line(folder: Path) -> None:
    path = folder / 'extracted' / 'cameras.json'
    cameras = json.loads(path.read_text())
    path.write_text(json.dumps({STREAM: cameras[STREAM], '9-9': cameras[STREAM]}))

    with pytest.raises(DatasetError, match='expected one camera_slam_left, found two'):
        convert_adt(folder, ListSink())


@pytest.mark.parametrize(('text', 'found'), [('{}', 'none'), ('{', 'JSON')])
def test_cameras_that_are_none_are_one_line(folder: Path, text: str, found: str) -> None:
    (folder / 'extracted' / 'cameras.json').write_text(text)

    with pytest.raises(DatasetError, match=found):
        convert_adt(folder, ListSink())


def test_instances_of_another_shape_are_one_line(folder: Path) -> None:
    (folder / 'raw' / 'instances.json').write_text('{"11": 5}')

    with pytest.raises(DatasetError, match='expected instances by uid, found AttributeError'):
        convert_adt(folder, ListSink())


def test_depth_of_another_size_is_one_line(folder: Path) -> None:
    path = sorted((folder / 'extracted').glob('*.depth_mm.png'))[0]
    cv2.imwrite(str(path), np.full((24, 32), 2000, np.uint16))

    with pytest.raises(DatasetError) as raised:
        convert_adt(folder, ListSink())

    assert str(raised.value) == (f'{path}: expected 64x48 pixels as its camera has, found 32x24')


def test_depth_of_8_bits_is_one_line(folder: Path) -> None:
    path = sorted((folder / 'extracted').glob('*.depth_mm.png'))[0]
    cv2.imwrite(str(path), np.full((48, 64), 200, np.uint8))

    with pytest.raises(DatasetError, match='expected 16-bit grey, found uint8'):
        convert_adt(folder, ListSink())


def test_no_look_with_a_pose_is_one_line(folder: Path) -> None:
    edit_table(
        folder / 'raw' / 'aria_trajectory.csv',
        lambda rows: [r.update(tracking_timestamp_us='7') for r in rows],
    )

    with pytest.raises(DatasetError, match=r'expected looks with a pose, found none \(no pose'):
        convert_adt(folder, ListSink())


def test_trajectory_without_any_pose_is_one_line(folder: Path) -> None:
    edit_table(
        folder / 'raw' / 'aria_trajectory.csv',
        lambda rows: [r.update(tx_world_device='nan') for r in rows],
    )

    with pytest.raises(DatasetError, match='expected poses of the device, found none'):
        convert_adt(folder, ListSink())


def test_trajectory_without_gravity_is_one_line(folder: Path) -> None:
    edit_table(
        folder / 'raw' / 'aria_trajectory.csv',
        lambda rows: [r.update(gravity_y_world='0') for r in rows],
    )

    with pytest.raises(DatasetError, match='found no direction'):
        convert_adt(folder, ListSink())


def test_table_of_other_bytes_is_one_line(folder: Path) -> None:
    (folder / 'raw' / 'scene_objects.csv').write_bytes(b'object_uid,\xff\xfe\n')

    with pytest.raises(DatasetError, match='expected a table of text'):
        convert_adt(folder, ListSink())


# The real recording.


@pytest.mark.data
def test_kitchen_is_read_whole(shared_data: Path) -> None:
    sink, report = converted(shared_data / 'adt_kitchen')

    assert report.stream_by_camera == {'camera_rgb': '214-1', 'camera_slam_left': '1201-1'}
    assert len(report.object_ids) == 349
    assert (report.num_poses, report.num_depth, report.num_color) == (6, 4, 6)
    assert report.problems == ()
    assert report.gaps == ()
    assert report.num_movements == 2  # a fork and a spoon are carried
    looks = {(c.args['camera_id'], c.stamp_ns) for c in sink.of_kind('depth')}
    assert looks == {
        (camera_id, stamp_ns)
        for camera_id in report.stream_by_camera
        for stamp_ns in (87551170910000, 87551204237999)
    }


@pytest.mark.data
def test_kitchen_converts_to_the_same_without_its_truth(shared_data: Path, tmp_path: Path) -> None:
    stripped = tmp_path / 'stripped'
    shutil.copytree(shared_data / 'adt_kitchen', stripped)
    for pattern in TRUTH:
        for path in stripped.glob(pattern):
            path.parent.chmod(0o755)
            path.chmod(0o644)
            path.unlink()

    with_truth = converted(shared_data / 'adt_kitchen')[0].digest()

    assert converted(stripped)[0].digest() == with_truth


@pytest.mark.data
def test_kitchen_depth_is_along_the_optical_axis(shared_data: Path) -> None:
    """Points of depth lie in thin boxes (tops, boards, plates); as lengths of rays few do."""
    sink, _ = converted(shared_data / 'adt_kitchen')
    call = sink.of_kind('depth')[0]
    camera = call.args['camera_id']
    model = next(
        c.args['model'] for c in sink.of_kind('camera_info') if c.args['camera_id'] == camera
    )
    links = {
        c.args['child_frame']: c.args['parent_T_child'] for c in sink.of_kind('transform')[:4]
    }
    map_T_camera = links['device'] @ links[call.args['frame_id']]
    rng = np.random.default_rng(0)
    v, u = np.nonzero(np.isfinite(call.args['depth_m']))
    pick = rng.choice(len(u), 4000, replace=False)
    u, v = u[pick], v[pick]
    rays = model.unproject(np.stack([u, v], axis=1).astype(np.float64))
    lengths = np.linalg.norm(rays, axis=1)
    off_axis = np.isfinite(lengths) & (lengths > 1.4)  # beyond 44 degrees
    rays, lengths = rays[off_axis], lengths[off_axis]
    depth = call.args['depth_m'][v, u][off_axis].astype(np.float64)
    first = sink.of_kind('world_detections')[0].args['detections']
    thin = [d for d in first if min(d.size_m) < 0.1]

    along_axis = share_in_boxes(map_T_camera.apply(rays * depth[:, None]), thin)
    along_ray = share_in_boxes(map_T_camera.apply(rays * (depth / lengths)[:, None]), thin)

    assert len(rays) > 500
    assert along_axis > 0.1
    assert along_ray < 0.01


def share_in_boxes(points: np.ndarray, things: list[WorldDetection]) -> float:
    """Give the share of points that lie in the box of one of some objects (1 cm slack)."""
    inside = np.zeros(len(points), dtype=bool)
    for thing in things:
        pose = RigidTransform(np.array(thing.world_p), np.array(thing.quat_xyzw))
        half = np.array(thing.size_m) / 2 + 0.01
        inside |= (np.abs(pose.inverse().apply(points)) <= half).all(axis=1)
    return float(inside.mean())
