"""A Beyond3D folder into a recording: small folders written by the tests, and the real one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from st_memory.core.errors import DatasetError
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import Scene
from st_memory.core.stamps import NS_PER_S
from st_memory.datasets import BASE_STAMP_NS, convert_beyond3d
from test.contracts.list_sink import ListSink
from test.contracts.ray_caster import box_part

SCENE = Scene((box_part('counter.001', (0, 0, -0.5), (1, 1, 0.1)),))
TRACK = 'inview_track_P01-20240202-110250.json'
QUESTIONS = 'questions_h30_legacy_format.json'


def static(start: float | None, end: float | None, xyz: list[float] | None) -> dict[str, Any]:
    """Give a stay as the annotation file has it."""
    return {'state': 'static', 'from_sec': start, 'to_sec': end, 'world_xyz': xyz}


def moving(start: float | None, end: float | None) -> dict[str, Any]:
    """Give a movement as the annotation file has it."""
    return {'state': 'in_motion', 'from_sec': start, 'to_sec': end, 'track_ids': ['t']}


MUG = {
    'name': 'mug',
    'segments': [
        static(None, 0.5, [1, 0, 0]),
        moving(0.5, 1.5),
        static(1.5, None, [2, 0, 0]),
    ],
}
CALIBRATION = {
    'camera-rgb': {
        'model_name': 'CameraModelType.FISHEYE624',
        'projection_params': [600.0, 700.0, 710.0, *(0.01 * i for i in range(12))],
        'valid_radius': 707.5,
        'image_size': [1408, 1400],
        'T_device_camera': [[1, 0, 0, 0.1], [0, 0, -1, 0.2], [0, 1, 0, 0.3]],
    }
}


def pose_line(second: float, x: float | None) -> str:
    """Give one line of the pose file; no pose for x None."""
    pose = None if x is None else [[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, 0]]
    return json.dumps({'t_sec': second, 'T_world_device': pose}) + '\n'


def write_folder(
    folder: Path, objects: dict[str, Any] | None = None, poses: str | None = None
) -> Path:
    """Write the three files."""
    states = {'objects': {'a1': MUG} if objects is None else objects}
    (folder / 'object_states.json').write_text(json.dumps(states))
    lines = ''.join(pose_line(t, t / 10) for t in range(3)) if poses is None else poses
    (folder / 'poses_1hz.jsonl').write_text(lines)
    (folder / 'camera_rgb_calibration.json').write_text(json.dumps(CALIBRATION))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder of three seconds with one mug that is moved once."""
    return write_folder(tmp_path)


def converted(folder: Path, **options: Any) -> ListSink:
    """Convert into a list."""
    sink = ListSink()
    convert_beyond3d(folder, sink, scene=SCENE, **options)
    return sink


def seconds(stamp_ns: int) -> float:
    """Give the video's second of a stamp."""
    return (stamp_ns - BASE_STAMP_NS) / NS_PER_S


def story(sink: ListSink) -> list[tuple[float, str]]:
    """Give what is written, without looks, as (second, words)."""
    out = []
    for call in sink.calls:
        if call.kind == 'movement':
            move = call.args['movement']
            word = f'{move.object_id} {"starts" if move.end_ns is None else "ends"}'
            out.append((seconds(call.stamp_ns), word))
        elif call.kind == 'world_detections':
            words = (f'{d.track_id} at {d.world_p[0]:.0f}' for d in call.args['detections'])
            out.append((seconds(call.stamp_ns), ', '.join(words)))
    return out


def test_convert_beyond3d_writes_the_scene_first(folder: Path) -> None:
    first = converted(folder).calls[0]

    assert first.kind == 'scene'
    assert first.stamp_ns == BASE_STAMP_NS
    assert first.args == {'fixed_frame': 'map', 'scene': SCENE}


def test_convert_beyond3d_camera_looks_once_a_second(folder: Path) -> None:
    looks = converted(folder).of_kind('camera_info')

    assert [seconds(c.stamp_ns) for c in looks] == [0.0, 1.0, 2.0]


def test_convert_beyond3d_camera_is_fisheye624_with_its_valid_circle(folder: Path) -> None:
    model = converted(folder).of_kind('camera_info')[0].args['model']

    assert model.model_name == 'fisheye624'
    assert (model.width, model.height) == (1408, 1400)
    assert (model.f, model.cu, model.cv) == (600.0, 700.0, 710.0)
    assert model.coeffs == tuple(0.01 * i for i in range(12))
    assert model.valid_circle == (700.0, 710.0, 707.5)


def test_convert_beyond3d_camera_pose_is_device_pose_times_calibration(folder: Path) -> None:
    transforms = converted(folder).of_kind('transform')

    static_one, moving_ones = transforms[0].args, [t.args for t in transforms[1:]]
    camera = moving_ones[1]['parent_T_child'] @ static_one['parent_T_child']

    assert static_one['static']
    assert (static_one['parent_frame'], static_one['child_frame']) == (
        'device',
        'camera_rgb_optical_frame',
    )
    assert {(t['parent_frame'], t['child_frame'], t['static']) for t in moving_ones} == {
        ('map', 'device', False)
    }
    np.testing.assert_allclose(camera.translation, [0.2, 0.2, 0.3], atol=1e-15)
    np.testing.assert_allclose(camera.rotation @ [0, 0, 1], [0, -1, 0], atol=1e-15)


def test_convert_beyond3d_a_stay_is_seen_at_the_end_of_its_movement(folder: Path) -> None:
    assert story(converted(folder)) == [
        (0.5, 'a1 at 1'),
        (0.5, 'a1 starts'),
        (1.5, 'a1 ends'),
        (1.5, 'a1 at 2'),
    ]


def test_convert_beyond3d_observations_are_annotations_with_id_and_name(folder: Path) -> None:
    detection = converted(folder).of_kind('world_detections')[1].args['detections'][0]

    assert (detection.label, detection.track_id) == ('mug', 'a1')
    assert (detection.score, detection.source) == (1.0, 'annotation')
    assert detection.world_p == (2.0, 0.0, 0.0)


def test_convert_beyond3d_lookahead_writes_the_first_place_at_the_start(folder: Path) -> None:
    plain = converted(folder)

    sink = converted(folder, lookahead_first_location=True)

    assert story(sink) == [(0.0, 'a1 at 1'), *story(plain)]
    first = sink.of_kind('world_detections')[0].args['detections'][0]
    assert first.source == 'annotation_lookahead'


def test_convert_beyond3d_without_lookahead_nothing_is_known_before_the_movement(
    folder: Path,
) -> None:
    detections = converted(folder).of_kind('world_detections')

    assert min(seconds(c.stamp_ns) for c in detections) == 0.5
    assert {d.source for c in detections for d in c.args['detections']} == {'annotation'}


def test_convert_beyond3d_places_of_one_stamp_are_one_message(tmp_path: Path) -> None:
    other = {'name': 'cup', 'segments': [static(None, 0.5, [5, 0, 0])]}
    write_folder(tmp_path, {'a1': MUG, 'a0': other})

    assert story(converted(tmp_path))[0] == (0.5, 'a0 at 5, a1 at 1')


def test_convert_beyond3d_back_to_back_movements_end_before_they_start(tmp_path: Path) -> None:
    segments = [moving(0.5, 1.5), static(1.5, 1.5, [3, 0, 0]), moving(1.5, 2.5)]
    write_folder(tmp_path, {'a1': {'name': 'mug', 'segments': segments}})

    assert story(converted(tmp_path))[1:4] == [
        (1.5, 'a1 ends'),
        (1.5, 'a1 at 3'),
        (1.5, 'a1 starts'),
    ]


def test_convert_beyond3d_movement_without_duration_starts_before_it_ends(
    tmp_path: Path,
) -> None:
    write_folder(tmp_path, {'a1': {'name': 'mug', 'segments': [moving(1.0, 1.0)]}})

    assert story(converted(tmp_path)) == [(1.0, 'a1 starts'), (1.0, 'a1 ends')]


def test_convert_beyond3d_movements_carry_start_and_end(folder: Path) -> None:
    started, ended = (c.args['movement'] for c in converted(folder).of_kind('movement'))

    assert (seconds(started.start_ns), started.end_ns) == (0.5, None)
    assert (seconds(ended.start_ns), seconds(ended.end_ns)) == (0.5, 1.5)
    assert (ended.object_id, ended.label, ended.source) == ('a1', 'mug', 'annotation')


def test_convert_beyond3d_skipped_objects_are_dropped_and_counted(tmp_path: Path) -> None:
    write_folder(tmp_path, {'a1': MUG, 'b2': {**MUG, 'name': 'spoon (skipped)'}})
    sink = ListSink()

    report = convert_beyond3d(tmp_path, sink, scene=SCENE)

    assert (report.num_objects, report.num_skipped) == (1, 1)
    assert {c.args['movement'].object_id for c in sink.of_kind('movement')} == {'a1'}


def test_convert_beyond3d_a_stay_without_a_place_is_listed_not_invented(tmp_path: Path) -> None:
    segments = [moving(0.5, 1.5), static(1.5, None, None)]
    write_folder(tmp_path, {'a1': {'name': 'mug', 'segments': segments}})
    sink = ListSink()

    report = convert_beyond3d(tmp_path, sink, scene=SCENE, lookahead_first_location=True)

    assert report.unlocated == (('a1', 1.5),)
    assert sink.of_kind('world_detections') == []


def test_convert_beyond3d_a_second_without_a_pose_is_listed_not_invented(tmp_path: Path) -> None:
    write_folder(tmp_path, poses=pose_line(0, 0.0) + pose_line(1, None) + '\n' + pose_line(2, 0.2))
    sink = ListSink()

    report = convert_beyond3d(tmp_path, sink, scene=SCENE)

    assert report.seconds_without_pose == (1.0,)
    assert report.num_poses == 2
    assert [seconds(c.stamp_ns) for c in sink.of_kind('camera_info')] == [0.0, 2.0]


def test_convert_beyond3d_base_stamp_shifts_everything(folder: Path) -> None:
    shifted = converted(folder, base_stamp_ns=7)

    stamps = [c.stamp_ns - BASE_STAMP_NS + 7 for c in converted(folder).calls]

    assert [c.stamp_ns for c in shifted.calls] == stamps


def test_convert_beyond3d_base_stamp_must_be_positive(folder: Path) -> None:
    with pytest.raises(ValueError, match='base_stamp_ns'):
        converted(folder, base_stamp_ns=0)


def test_convert_beyond3d_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match='nowhere: expected a Beyond3D folder'):
        converted(tmp_path / 'nowhere')


@pytest.mark.parametrize(
    'name', ['object_states.json', 'poses_1hz.jsonl', 'camera_rgb_calibration.json']
)
def test_convert_beyond3d_missing_and_broken_files_are_named(folder: Path, name: str) -> None:
    path = folder / name

    path.write_text('{"half": ')
    with pytest.raises(DatasetError, match=f'{name}: expected'):
        converted(folder)
    path.write_text('[1, 2]')
    with pytest.raises(DatasetError, match=f'{name}: expected'):
        converted(folder)
    path.write_bytes(b'\xff\xfe\x80')
    with pytest.raises(DatasetError, match=f'{name}: expected text'):
        converted(folder)
    path.unlink()
    with pytest.raises(DatasetError, match=f'expected {name}, found none'):
        converted(folder)


@pytest.mark.parametrize(
    ('poses', 'found'),
    [
        ('', 'expected poses, found none'),
        (pose_line(0, None), 'expected poses, found none'),
        (pose_line(1, 0.0) + pose_line(1, 0.0), 'line 2.*after'),
        (pose_line(-1, 0.0), 'line 1'),
        (pose_line(0, float('nan')), 'line 1'),
    ],
)
def test_convert_beyond3d_unusable_poses_are_named(tmp_path: Path, poses: str, found: str) -> None:
    write_folder(tmp_path, poses=poses)

    with pytest.raises(DatasetError, match=found):
        converted(tmp_path)


@pytest.mark.parametrize(
    'segment',
    [
        moving(2.0, 1.0),
        moving(None, 1.0),
        moving(1.0, None),
        static(-1.0, None, [0, 0, 0]),
        static(1.0, None, [0, 0]),
        static(1.0, None, [0, 0, float('inf')]),
        {'state': 'flying', 'from_sec': 0, 'to_sec': 1},
        {'state': 'static'},
    ],
)
def test_convert_beyond3d_unusable_segments_are_named(
    tmp_path: Path, segment: dict[str, Any]
) -> None:
    write_folder(tmp_path, {'a1': {'name': 'mug', 'segments': [segment]}})

    with pytest.raises(DatasetError, match=r'object_states\.json: expected objects'):
        converted(tmp_path)


def test_convert_beyond3d_object_without_a_name_is_named(tmp_path: Path) -> None:
    write_folder(tmp_path, {'a1': {'name': ' ', 'segments': []}})

    with pytest.raises(DatasetError, match='a1: no name'):
        converted(tmp_path)


@pytest.mark.parametrize(
    'change',
    [
        {'model_name': 'LINEAR'},
        {'projection_params': [1.0]},
        {'T_device_camera': [[2, 0], [0, 2]]},
    ],
)
def test_convert_beyond3d_other_calibrations_are_named(
    folder: Path, change: dict[str, Any]
) -> None:
    entry = {**CALIBRATION['camera-rgb'], **change}
    (folder / 'camera_rgb_calibration.json').write_text(json.dumps({'camera-rgb': entry}))

    with pytest.raises(DatasetError, match='expected a FISHEYE624 calibration'):
        converted(folder)


@pytest.fixture
def real(shared_data: Path) -> Path:
    """Give the real folder."""
    return shared_data / 'beyond3d_p01'


@pytest.mark.data
def test_convert_beyond3d_real_folder_counts(real: Path) -> None:
    report = convert_beyond3d(real, ListSink(), scene=SCENE, lookahead_first_location=True)

    assert (report.num_poses, report.num_objects, report.num_movements) == (397, 34, 61)
    # 94 of the 95 stays have a position, and the 34 first ones are written twice.
    assert (report.num_observations, report.num_lookahead) == (94 + 34, 34)
    assert report.unlocated == (('52a8bee137386c66', 95.6666666666667),)


@pytest.mark.data
def test_convert_beyond3d_needs_no_answer(real: Path, tmp_path: Path) -> None:
    for path in real.iterdir():
        if path.name not in (TRACK, QUESTIONS):
            (tmp_path / path.name).write_bytes(path.read_bytes())

    for lookahead in (False, True):
        whole = converted(real, lookahead_first_location=lookahead)
        stripped = converted(tmp_path, lookahead_first_location=lookahead)

        assert stripped.digest() == whole.digest()


@pytest.mark.data
def test_convert_beyond3d_pixels_equal_the_published_ones(real: Path) -> None:
    sink = converted(real)
    static_one, *moving_ones = (c.args['parent_T_child'] for c in sink.of_kind('transform'))
    model = sink.of_kind('camera_info')[0].args['model']
    tracks = json.loads((real / TRACK).read_text())['object_tracks']
    last = {object_id: _stays(real, object_id) for object_id in tracks}
    compared, worst = 0, 0.0
    for object_id, track in tracks.items():
        for second, pixel in enumerate(track['projected_pixel_samples']):
            point = _place_at(last[object_id], second)
            if pixel is None or point is None:
                continue
            camera: RigidTransform = moving_ones[second] @ static_one
            got = model.project(camera.inverse().apply(point)[np.newaxis]).pixels[0]
            worst = max(worst, float(np.abs(got - pixel).max()))
            compared += 1

    assert compared > 6000
    assert worst < 2e-8


def _stays(real: Path, object_id: str) -> list[dict[str, Any]]:
    states = json.loads((real / 'object_states.json').read_text())['objects'][object_id]
    return [s for s in states['segments'] if s['state'] == 'static']


def _place_at(stays: list[dict[str, Any]], second: float) -> np.ndarray | None:
    """Position strictly inside a stay (closed movements), None while moving."""
    for stay in stays:
        after = stay['from_sec'] is None or stay['from_sec'] < second
        if after and (stay['to_sec'] is None or second < stay['to_sec']):
            return None if stay['world_xyz'] is None else np.array(stay['world_xyz'])
    return None
