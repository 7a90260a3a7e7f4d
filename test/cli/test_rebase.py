"""``st_memory rebase``: a memory file in another map."""

from __future__ import annotations

import json
from pathlib import Path
import shutil

import numpy as np
import pytest

from st_memory.cli.pose_file import POSE_COLUMNS
from st_memory.cli.told_memory import told_memory
from st_memory.replay.telling import open_epoch
from st_memory.storage import SqliteMemoryStore
from test.cli.conftest import RunCli
from test.replay.walk import FIRST_NS, pose_at, STEP_NS

NUM_FRAMES = 80


@pytest.fixture
def db(walk_db: Path, tmp_path: Path) -> Path:
    """A memory that may be told something."""
    return Path(shutil.copy(walk_db, tmp_path / 'walk.db'))


def places_of(db: Path) -> dict[str, tuple[float, float, float] | None]:
    with SqliteMemoryStore.open(db, read_only=True) as store:
        return {state.object_id: state.world_p for state in store.objects_at()}


def write_poses(path: Path, shift: tuple[float, float, float]) -> Path:
    """The head's poses of the walk, all moved alike."""
    rows = [','.join(POSE_COLUMNS)]
    for index in range(NUM_FRAMES):
        pose = pose_at(index)
        numbers = [*(pose.translation + np.array(shift)), *pose.quat_xyzw]
        rows.append(','.join([str(FIRST_NS + index * STEP_NS), *map(repr, map(float, numbers))]))
    path.write_text('\n'.join(rows) + '\n', encoding='utf-8')
    return path


def test_new_origin_moves_all_places_and_says_by_how_much(cli: RunCli, db: Path) -> None:
    before = places_of(db)

    done = cli('rebase', db, 'new-origin', '--translation', '1', '2', '0', '--json')

    answer = json.loads(done.out)
    assert (answer['epoch'], answer['num_objects']) == (1, len(before))
    assert answer['max_shift_m'] == pytest.approx(5**0.5)
    for name, place in places_of(db).items():
        np.testing.assert_allclose(place, np.add(before[name], (1, 2, 0)), atol=1e-9)


def test_same_origin_opens_an_epoch_and_moves_nothing(cli: RunCli, db: Path) -> None:
    before = places_of(db)

    done = cli('rebase', db, 'new-origin', '--note', 'the map is the same')

    assert done.code == 0
    assert done.out.startswith('0 of ')
    assert places_of(db) == before
    last = json.loads(cli('query', db, 'events', '--json').out)[-1]
    assert (last['event_type'], last['source'], last['epoch']) == ('rebased', 'human', 1)
    assert last['detail'].endswith(': the map is the same')


def test_corrected_trajectory_projects_measurements_anew(
    cli: RunCli, db: Path, tmp_path: Path
) -> None:
    poses = write_poses(tmp_path / 'poses.csv', (0.0, 0.3, 0.0))
    before = places_of(db)

    done = cli('rebase', db, 'corrected', poses, '--frame', 'head', '--json')

    answer = json.loads(done.out)
    assert answer['num_observations'] > 0
    assert answer['max_shift_m'] == pytest.approx(0.3, abs=1e-6)
    moved = [n for n, p in places_of(db).items() if not np.allclose(p, before[n])]
    assert answer['num_objects'] == len(moved)
    for name in moved:
        np.testing.assert_allclose(
            places_of(db)[name], np.add(before[name], (0, 0.3, 0)), atol=1e-6
        )


def test_dry_run_says_the_same_and_changes_nothing(cli: RunCli, db: Path, tmp_path: Path) -> None:
    poses = write_poses(tmp_path / 'poses.csv', (0.0, 0.3, 0.0))
    words = ('rebase', db, 'corrected', poses, '--frame', 'head')
    before = cli('inspect', db, '--dump').out

    plan = json.loads(cli(*words, '--dry-run', '--json').out)
    assert cli('inspect', db, '--dump').out == before
    done = json.loads(cli(*words, '--json').out)

    assert plan['sentence'].startswith('Nothing was changed; it would be: ')
    for name in ('num_observations', 'num_left', 'num_objects', 'merged', 'max_shift_m'):
        assert plan[name] == done[name]


def test_observations_after_until_are_left(cli: RunCli, db: Path, tmp_path: Path) -> None:
    poses = write_poses(tmp_path / 'poses.csv', (0.0, 0.3, 0.0))
    words = ('rebase', db, 'corrected', poses, '--frame', 'head', '--dry-run', '--json')

    everything = json.loads(cli(*words).out)
    half = json.loads(cli(*words, '--until', '+1').out)

    assert 0 < half['num_observations'] < everything['num_observations']
    total = everything['num_observations'] + everything['num_left']
    assert half['num_observations'] + half['num_left'] == total


@pytest.mark.parametrize(
    ('text', 'complaint'),
    [
        ('', 'expected a column stamp_ns'),
        ('stamp_ns,x,y,z,qx,qy,qz\n', 'expected a column qw'),
        (','.join(POSE_COLUMNS) + '\n', 'expected poses, found none'),
        (','.join(POSE_COLUMNS) + '\n1,0,0,0,0,0,0,2\n', 'quats_xyzw: expected unit length'),
        (','.join(POSE_COLUMNS) + '\n1,0,0,0,0,0,one,1\n', 'line 2: expected numbers'),
        (','.join(POSE_COLUMNS) + '\n1,0,0,0\n', 'line 2: expected numbers'),
        (','.join(POSE_COLUMNS) + '\n1,nan,0,0,0,0,0,1\n', 'expected finite values'),
        (','.join(POSE_COLUMNS) + '\n2,0,0,0,0,0,0,1\n1,0,0,0,0,0,0,1\n', 'stamps that increase'),
        (','.join(POSE_COLUMNS) + f'\n{2**70},0,0,0,0,0,0,1\n', 'poses.csv: '),
    ],
)
def test_bad_poses_are_one_line_and_change_nothing(
    cli: RunCli, db: Path, tmp_path: Path, text: str, complaint: str
) -> None:
    poses = tmp_path / 'poses.csv'
    poses.write_text(text, encoding='utf-8')
    before = places_of(db)

    done = cli('rebase', db, 'corrected', poses, '--frame', 'head')

    assert (done.code, done.err.count('\n')) == (1, 1)
    assert complaint in done.err
    assert str(poses) in done.err
    assert places_of(db) == before


def test_missing_poses_are_one_line(cli: RunCli, db: Path, tmp_path: Path) -> None:
    done = cli('rebase', db, 'corrected', tmp_path / 'none.csv', '--frame', 'head')

    assert (done.code, done.err.count('\n')) == (1, 1)
    assert 'none.csv: cannot be read (No such file or directory)' in done.err


def test_unknown_frame_names_those_that_are_known(cli: RunCli, db: Path, tmp_path: Path) -> None:
    poses = write_poses(tmp_path / 'poses.csv', (0.0, 0.0, 0.0))

    done = cli('rebase', db, 'corrected', poses, '--frame', 'gripper')

    assert done.code == 1
    assert '--frame gripper: expected one of ' in done.err
    assert 'head' in done.err


@pytest.mark.parametrize('number', ['nan', 'inf'])
def test_origin_that_is_no_number_is_one_line(cli: RunCli, db: Path, number: str) -> None:
    done = cli('rebase', db, 'new-origin', '--translation', number, '0', '0')

    assert (done.code, done.err.count('\n')) == (1, 1)
    assert 'new origin: translation: expected finite values' in done.err


def test_rotation_that_is_none_is_one_line(cli: RunCli, db: Path) -> None:
    done = cli('rebase', db, 'new-origin', '--rotation', '0', '0', '0', '2')

    assert 'new origin: quat_xyzw: expected unit length' in done.err


def test_new_epoch_without_a_look_has_no_trajectory_to_correct(
    cli: RunCli, db: Path, tmp_path: Path
) -> None:
    poses = write_poses(tmp_path / 'poses.csv', (0.0, 0.0, 0.0))
    with told_memory(db, None) as told:
        open_epoch(told.memory, told.store)

    done = cli('rebase', db, 'corrected', poses, '--frame', 'base')
    renamed = cli('edit', db, 'rename', 'mug_a', '--label', 'cup')

    assert (done.code, renamed.code) == (1, 1)
    assert '--frame base: nothing has looked yet in the newest epoch' in done.err
    assert 'it is of an earlier map (epoch 0): rebase first' in renamed.err
