"""The commands on real recordings, one after the other as a person would."""

from __future__ import annotations

import json
from pathlib import Path

from test.cli.conftest import RunCli


def test_beyond3d_becomes_a_memory_that_answers(
    cli: RunCli, shared_data: Path, tmp_path: Path
) -> None:
    bag, db = tmp_path / 'p01.mcap', tmp_path / 'p01.db'

    converted = cli('convert', 'beyond3d', shared_data / 'beyond3d_p01', bag)
    replayed = cli('replay', bag, '--db', db, '--preset', 'beyond3d_questions_v1')
    listed = cli('query', db, 'list', '--json')

    assert '397 poses, 34 objects, 94 positions' in converted.out  # counts of the data's README
    assert replayed.code == 0
    objects = json.loads(listed.out)['objects']
    assert len(objects) == 34
    assert sum(o['num_moves'] for o in objects) == 61  # movements in object_states.json
    scissors = cli('query', db, 'last-placed', 'scissors')
    assert 'The scissors' in scissors.out


def test_rgbd_folder_needs_a_detector_and_says_so(
    cli: RunCli, shared_data: Path, tmp_path: Path
) -> None:
    bag = tmp_path / 'redkitchen.mcap'

    converted = cli('convert', 'rgbd', shared_data / 'rgbd_7scenes_redkitchen', bag)
    examined = cli('doctor', bag, '--json')

    content = json.loads(examined.out)
    assert '250 of 250 frames' in converted.out
    assert examined.code == 3
    assert content['cameras'][0]['num_posed'] == 250
    assert all('detections' in line for line in content['missing'])
