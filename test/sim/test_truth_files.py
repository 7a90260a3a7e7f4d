"""Rules of the truth on disk."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from st_memory.core.geometry import PinholeCamera, RigidTransform
from st_memory.sim.happenings import Happening
from st_memory.sim.spec import BASE_STAMP_NS, KitchenSpec
from st_memory.sim.truth import FrameTruth
from st_memory.sim.truth_files import TruthWriter
from test.sim.tables import read_table
from test.sim.test_detector import thing

SPEC = KitchenSpec(0, duration_s=1.0, image_rate_hz=3.0)
CAMERA = PinholeCamera(320, 240, 190.5, 190.5, 159.5, 119.5)
TRUTH = FrameTruth(np.zeros((2, 2), np.float32), (thing(), thing('mug_2', box_px=None)), {})


def write_images(folder: Path) -> None:
    with TruthWriter(folder, SPEC, '<mujoco/>\n', 4) as files:
        for i in range(SPEC.num_images):
            pose = RigidTransform(np.array([0.1 * i, 0.0, 1.5]), np.array([0.0, 0.0, 0.0, 1.0]))
            qpos = np.arange(4.0) + i
            files.write_image(SPEC.stamp_ns(10 * i), 'head', 'eye', CAMERA, pose, qpos, TRUTH)


def test_qpos_and_stamps_load_as_one_row_per_image(tmp_path: Path) -> None:
    write_images(tmp_path)
    with np.load(tmp_path / 'qpos.npz') as data:
        np.testing.assert_array_equal(data['qpos'], [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5]])
        assert data['stamp_ns'].tolist() == [SPEC.stamp_ns(10 * i) for i in range(3)]
        assert data['stamp_ns'].dtype == np.int64


def test_truth_rows_start_with_the_agreed_columns(tmp_path: Path) -> None:
    write_images(tmp_path)
    header = (tmp_path / 'truth.csv').read_text(encoding='utf-8').splitlines()[0]
    agreed = 'object_id,stamp_ns,visible_px,unoccluded_px,box_in_image,in_hand,container,'
    assert header.startswith(agreed + 'label,x,y,z,fixture')


def test_truth_has_one_row_per_object_and_image(tmp_path: Path) -> None:
    write_images(tmp_path)
    rows = read_table(tmp_path / 'truth.csv')
    assert len(rows) == 6
    assert rows[0]['object_id'] == 'mug_1'
    assert (rows[0]['visible_px'], rows[0]['box_in_image'], rows[0]['in_hand']) == (
        '200',
        '1',
        '0',
    )
    assert (rows[0]['box_x'], rows[0]['box_w']) == ('99.5', '40')


def test_hidden_object_has_an_empty_box(tmp_path: Path) -> None:
    write_images(tmp_path)
    assert read_table(tmp_path / 'truth.csv')[1]['box_x'] == ''


def test_cameras_keep_every_digit(tmp_path: Path) -> None:
    write_images(tmp_path)
    row = read_table(tmp_path / 'cameras.csv')[2]
    assert float(row['x']) == 0.1 * 2
    assert (row['camera_id'], row['frame_id'], row['width']) == ('head', 'eye', '320')


def test_events_are_one_json_list_with_stamps_and_boxes(tmp_path: Path) -> None:
    with TruthWriter(tmp_path, SPEC, '<mujoco/>\n', 0) as files:
        done = Happening('e000000', 'take', {'agent': 'wearer', 'object': 'mug_1'}, 3, 6)
        done.boxes['object'] = [(5, 1.0, 2.0, 3.0, 4.0)]
        files.write_event(done)
        files.write_event(Happening('e000001', 'open', {'agent': 'wearer'}, 7))
    first, second = json.loads((tmp_path / 'events.json').read_text(encoding='utf-8'))
    assert first['start_ns'] == BASE_STAMP_NS + 100_000_000
    assert first['end_ns'] == BASE_STAMP_NS + 200_000_000
    assert first['roles'] == {'agent': 'wearer', 'object': 'mug_1'}
    assert first['boxes'] == {'object': [[5, 1.0, 2.0, 3.0, 4.0]]}
    assert second['end_ns'] is None


def test_no_events_are_an_empty_list(tmp_path: Path) -> None:
    TruthWriter(tmp_path, SPEC, '<mujoco/>\n', 0).close()
    assert json.loads((tmp_path / 'events.json').read_text(encoding='utf-8')) == []


def test_two_runs_write_the_same_bytes(tmp_path: Path) -> None:
    for name in ('a', 'b'):
        write_images(tmp_path / name)
    for file in sorted((tmp_path / 'a').iterdir()):
        assert file.read_bytes() == (tmp_path / 'b' / file.name).read_bytes(), file.name


def test_second_close_does_nothing(tmp_path: Path) -> None:
    files = TruthWriter(tmp_path, SPEC, '<mujoco/>\n', 0)
    files.close()
    size = (tmp_path / 'qpos.npz').stat().st_size
    files.close()
    assert (tmp_path / 'qpos.npz').stat().st_size == size


def test_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / 'x').write_text('')
    with pytest.raises(FileExistsError):
        TruthWriter(tmp_path / 'x', SPEC, '', 0)
