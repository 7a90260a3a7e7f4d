"""``st_memory replay`` with what the camera sees of its own body."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from test.bags.mask_bags import mask_bag
from test.cli.conftest import RunCli


def write_mask(path: Path, row: list[int]) -> None:
    path.write_bytes(cv2.imencode('.png', np.tile(np.array(row, np.uint8), (3, 1)))[1].tobytes())


def cup(cli: RunCli, db: Path) -> dict:
    """Give the verdict on the cup."""
    return json.loads(cli('query', db, 'visible', 'cup', '--json').out)


def test_boxes_of_the_settings_hide_what_is_behind_them(cli: RunCli, tmp_path: Path) -> None:
    bag, db, file = mask_bag(tmp_path, []), tmp_path / 'm.db', tmp_path / 'arm.yaml'
    box = '{frame: optical, centre_m: [0, 0, 1.5], size_m: [9, 9, 0.1]}'
    file.write_text(f'assembler: {{self_boxes: [{box}]}}\n')

    result = cli('replay', bag, '--db', db, '--settings', file, '--json')

    manifest = json.loads(result.out)
    assert result.code == 0
    assert manifest['settings']['assembler']['self_boxes'][0]['frame'] == 'optical'
    assert manifest['source_counters'] == {}
    assert (cup(cli, db)['visibility_name'], cup(cli, db)['occluder_id']) == ('OCCLUDED', 'self')


def test_mask_of_no_camera_is_warned_of_and_the_rest_goes_on(cli: RunCli, tmp_path: Path) -> None:
    bag, file = mask_bag(tmp_path, []), tmp_path / 'arm.yaml'
    file.write_text('assembler: {self_masks: {haed: rim.png}}\n')
    write_mask(tmp_path / 'rim.png', [1, 0, 0, 0])

    result = cli('replay', bag, '--db', tmp_path / 'm.db', '--settings', file)

    assert result.code == 0
    assert result.err.count('\n') == 1
    assert result.err.startswith('st_memory: warning: self_masks: expected one of head')
    assert "did you mean 'head'?" in result.err


def test_manifest_tells_one_mask_from_another_of_the_same_name(
    cli: RunCli, tmp_path: Path
) -> None:
    bag, db, file = mask_bag(tmp_path, []), tmp_path / 'm.db', tmp_path / 'arm.yaml'
    file.write_text('assembler: {self_masks: {head: rim.png}}\n')
    how = ('replay', bag, '--db', db, '--settings', file)
    write_mask(tmp_path / 'rim.png', [1, 0, 0, 0])
    cli(*how)

    same = cli(*how)
    write_mask(tmp_path / 'rim.png', [1, 1, 1, 1])
    other, anew = cli(*how), cli(*how, '--overwrite')

    assert 'nothing new' in same.out
    assert (other.code, anew.code) == (1, 0)
    assert 'settings differs' in other.err
    assert cup(cli, db)['occluder_id'] == 'self'


@pytest.mark.parametrize(
    ('text', 'named'),
    [
        ('self_masks: {head: rim.png}', 'rim.png: cannot be read'),
        ('self_boxes: [{frame: a, centre_m: [0, 0, 0]}]', "expected the key 'size_m'"),
        ('self_boxs: []', "did you mean 'self_boxes'?"),
    ],
)
def test_bad_settings_are_one_line_and_leave_no_memory(
    cli: RunCli, text: str, named: str, tmp_path: Path
) -> None:
    bag, db, file = mask_bag(tmp_path, []), tmp_path / 'm.db', tmp_path / 'arm.yaml'
    file.write_text(f'assembler: {{{text}}}\n')

    result = cli('replay', bag, '--db', db, '--settings', file)

    assert result.code == 1
    assert named in result.err
    assert result.err.count('\n') == 1
    assert not db.exists()
