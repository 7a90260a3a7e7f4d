"""Why nothing would be remembered."""

from __future__ import annotations

from collections.abc import Callable
import json
from pathlib import Path

import pytest

from st_memory.conversions import AssemblerSettings
from st_memory.core.errors import BagError
from st_memory.doctor import diagnose
from st_memory.doctor.transform_links import reachable_frames, TransformLink
from test.bags.bag_files import START_NS, STEP_NS
from test.bags.mask_bags import mask_bag, mask_message
from test.cli.bad_bags import BAD_BAGS
from test.cli.bags import write_walk
from test.cli.conftest import cli, RunCli

__all__ = ['cli']

USABLE_AS_BAGS = ('without_tf', 'without_camera_info', 'zero_focal_length', 'unknown_encoding')


def test_diagnose_of_a_good_bag_finds_nothing_missing(tmp_path: Path) -> None:
    diagnosis = diagnose(write_walk(tmp_path / 'walk.mcap'))

    (camera,) = diagnosis.cameras
    assert diagnosis.is_usable
    assert diagnosis.num_frames == 80
    assert (camera.camera_id, camera.num_looks, camera.num_posed) == ('head', 80, 80)
    assert camera.num_located == camera.num_detections == 37


def test_diagnose_notes_what_is_less_than_it_could_be(tmp_path: Path) -> None:
    diagnosis = diagnose(write_walk(tmp_path / 'walk.mcap', num_frames=5))

    assert any('no /head/depth' in line for line in diagnosis.warnings)


def test_diagnose_lists_the_links_of_the_transform_tree(tmp_path: Path) -> None:
    diagnosis = diagnose(write_walk(tmp_path / 'walk.mcap', num_frames=5))

    (link,) = diagnosis.links
    assert (link.parent, link.child, link.static, link.count) == (
        'map',
        'head_optical_frame',
        False,
        5,
    )


@pytest.mark.parametrize('name', USABLE_AS_BAGS)
def test_diagnose_says_what_a_bad_bag_lacks(name: str, tmp_path: Path) -> None:
    write, expected = BAD_BAGS[name]

    diagnosis = diagnose(write(tmp_path))

    assert not diagnosis.is_usable
    assert any(expected in line for line in diagnosis.missing)


def test_diagnose_without_detections_names_the_command_that_adds_them(tmp_path: Path) -> None:
    bag = write_walk(tmp_path / 'bag.mcap', num_frames=5, with_detections=False)

    assert any('st_memory detect' in line for line in diagnose(bag).missing)


def test_diagnose_names_the_roots_when_the_fixed_frame_is_another(tmp_path: Path) -> None:
    bag = write_walk(tmp_path / 'bag.mcap', num_frames=5, with_scene=False)

    diagnosis = diagnose(bag, AssemblerSettings(fixed_frame='odom'))

    assert any("no frame 'odom'" in line and 'map' in line for line in diagnosis.missing)


@pytest.mark.parametrize('name', ['missing', 'not_a_bag', 'truncated', 'empty'])
def test_diagnose_of_what_is_no_bag_raises(name: str, tmp_path: Path) -> None:
    write, expected = BAD_BAGS[name]

    with pytest.raises(BagError, match=expected):
        diagnose(write(tmp_path))


def test_reachable_frames_follows_links_both_ways() -> None:
    links = tuple(
        TransformLink(parent, child, False, 1, 1, 1)
        for parent, child in (('map', 'base'), ('base', 'head'), ('odom', 'wheel'))
    )

    assert reachable_frames(links, 'head') == {'map', 'base', 'head'}


def test_doctor_json_of_a_good_bag(cli: RunCli, tmp_path: Path) -> None:
    bag = write_walk(tmp_path / 'walk.mcap', num_frames=10)

    result = cli('doctor', bag, '--json')

    content = json.loads(result.out)
    topics = {t['name']: t for t in content['topics']}
    assert (result.code, content['verdict'], content['missing']) == (0, 'ok', [])
    assert content['path'] == str(bag)
    assert topics['/tf'] == {
        'name': '/tf',
        'type': 'tf2_msgs/msg/TFMessage',
        'count': 10,
        'rate_hz': pytest.approx(5.0),
        'role': 'tf',
        'stamp_offset_s': 0.0,
        'longest_gap_s': pytest.approx(0.2),
        'encoding': '',
        'frame_id': '',
    }
    assert content['tf']['frames'] == ['head_optical_frame', 'map']
    assert content['tf']['edges'][0]['child'] == 'head_optical_frame'
    assert content['cameras'][0]['num_located'] > 0


@pytest.mark.parametrize('how', [[], ['--json']])
def test_doctor_of_a_bag_that_cannot_be_remembered_exits_with_3(
    how: list[str],
    cli: RunCli,
    tmp_path: Path,
) -> None:
    write: Callable[[Path], Path] = BAD_BAGS['without_tf'][0]

    result = cli('doctor', write(tmp_path), *how)

    assert result.code == 3
    assert 'no /tf' in result.out
    assert 'unusable' in result.out


@pytest.mark.parametrize(
    ('row', 'share', 'is_noted'),
    [([1, 1, 1, 0], 0.75, True), ([1, 1, 0, 0], 0.5, False), ([0, 0, 0, 0], 0.0, False)],
)
def test_own_body_that_fills_most_of_the_image_is_noted(
    row: list[int], share: float, is_noted: bool, tmp_path: Path
) -> None:
    diagnosis = diagnose(mask_bag(tmp_path, [(0, mask_message(0, row))]))

    (camera,) = diagnosis.cameras
    assert camera.own_body_share == pytest.approx(share)
    assert any('is the mask inverted?' in line for line in diagnosis.warnings) is is_noted


def test_share_of_the_own_body_is_the_mean_of_all_looks(cli: RunCli, tmp_path: Path) -> None:
    masks = [
        (i, mask_message(START_NS + i * STEP_NS, [1, 1, 0, 0] if i < 2 else [0, 0, 0, 0]))
        for i in range(8)
    ]
    path = mask_bag(tmp_path, masks)

    code, out, _ = cli('doctor', path)

    assert code == 0
    assert 'own body 12.5 %' in out  # half of the image in two looks of eight
