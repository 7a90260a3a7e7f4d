"""Folders of Aria glasses on the command line; the converters have tests of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from st_memory.bags import survey
from test.cli.conftest import RunCli
from test.datasets.adt_folder import AdtWorld, edit_table, FIRST_US, STEP_US
from test.datasets.hot3d_folder import Hot3dWorld


def test_convert_adt_writes_a_bag_and_says_what_is_in_it(cli: RunCli, tmp_path: Path) -> None:
    folder, out = AdtWorld().write(tmp_path / 'adt'), tmp_path / 'out.mcap'

    result = cli('convert', 'adt', folder, out)

    assert result.code == 0
    assert result.out == (
        f'{out}: 3 poses, 1 cameras, 2 depth, 2 colour, 4 objects, 6 positions, 1 movements\n'
    )
    assert survey(out).cameras == ('camera_slam_left',)


def test_convert_adt_lists_what_is_missing_and_the_gaps(cli: RunCli, tmp_path: Path) -> None:
    folder = AdtWorld().write(tmp_path / 'adt')
    late = str(FIRST_US + 9 * STEP_US)

    def break_poses(rows: list[dict[str, str]]) -> None:
        rows.append({**rows[0], 'tracking_timestamp_us': late})
        rows.append({**rows[0], 'tracking_timestamp_us': late, 'tx_world_device': 'nan'})

    edit_table(folder / 'raw' / 'aria_trajectory.csv', break_poses)

    result = cli('convert', 'adt', folder, tmp_path / 'out.mcap')

    assert result.out.splitlines()[1:] == [
        '1 pieces missing, 1 gaps',
        'missing: pose (aria_trajectory.csv:6: its pose is not finite)',
        'gap: 0.233 s after 5066656000',
    ]


def test_convert_lists_twenty_pieces_and_counts_the_rest(cli: RunCli, tmp_path: Path) -> None:
    folder = AdtWorld().write(tmp_path / 'adt')

    def spoil(rows: list[dict[str, str]]) -> None:
        rows.extend({**rows[0], 'tx_world_device': 'nan'} for _ in range(25))

    edit_table(folder / 'raw' / 'aria_trajectory.csv', spoil)

    result = cli('convert', 'adt', folder, tmp_path / 'out.mcap')

    lines = result.out.splitlines()
    assert lines[1] == '25 pieces missing, 0 gaps'
    assert len(lines) == 2 + 20 + 1
    assert lines[-1] == '... and 5 more'


def test_convert_hot3d_writes_a_bag_and_says_what_is_in_it(cli: RunCli, tmp_path: Path) -> None:
    folder, out = Hot3dWorld().write(tmp_path / 'hot3d'), tmp_path / 'out.mcap'

    result = cli('convert', 'hot3d', folder, out)

    assert result.code == 0
    assert result.out.splitlines() == [
        f'{out}: 6 poses, 3 cameras, 9 looks, 5 objects, 4 meshes, 30 positions, 1 movements',
        '1 pieces missing, 0 gaps',
        'missing: mesh (ball: no mesh, no box: 104)',
    ]
    assert survey(out).cameras == ('camera_rgb', 'camera_slam_left', 'camera_slam_right')


@pytest.mark.parametrize('kind', ['adt', 'hot3d'])
def test_convert_of_an_empty_folder_is_one_line_and_leaves_no_bag(
    kind: str, cli: RunCli, tmp_path: Path
) -> None:
    (tmp_path / 'empty').mkdir()

    result = cli('convert', kind, tmp_path / 'empty', tmp_path / 'out.mcap')

    assert result.code == 1
    assert len(result.err.splitlines()) == 1
    assert 'expected' in result.err
    assert not (tmp_path / 'out.mcap').exists()
