"""Replaying on the command line: manifests, going on, overwriting."""

from __future__ import annotations

from collections.abc import Iterator
import json
from pathlib import Path
import shutil

import pytest

from st_memory import __version__
from st_memory.bags import BagFrameSource
from st_memory.core.memory import MemorySettings
from st_memory.core.records import SensedFrame
from st_memory.replay import hash_source, replay
from st_memory.storage import SqliteMemoryStore
from test.cli.bags import write_walk
from test.cli.conftest import RunCli


def _dump(cli: RunCli, db: Path) -> str:
    result = cli('inspect', db, '--dump')
    assert result.code == 0
    return result.out


def _manifest(db: Path) -> dict[str, object]:
    content: dict[str, object] = json.loads(Path(f'{db}.manifest.json').read_text('utf-8'))
    return content


def test_replay_writes_the_memory_and_its_manifest(
    cli: RunCli, walk_bag: Path, tmp_path: Path
) -> None:
    result = cli('replay', walk_bag, '--db', tmp_path / 'm.db')

    assert result.code == 0
    assert '80 frames, 15.8 s in' in result.out
    assert '2 objects' in result.out
    manifest = _manifest(tmp_path / 'm.db')
    assert manifest['input_sha256'] == hash_source(walk_bag)
    assert (manifest['version'], manifest['num_frames']) == (__version__, 80)
    assert manifest['is_complete'] is True
    assert manifest['settings']['memory']['confirm_hits'] == MemorySettings().confirm_hits


def test_replay_json_prints_the_manifest(cli: RunCli, walk_bag: Path, tmp_path: Path) -> None:
    result = cli('replay', walk_bag, '--db', tmp_path / 'm.db', '--json')

    assert json.loads(result.out) == _manifest(tmp_path / 'm.db')


def test_replay_of_the_same_bag_again_changes_nothing(
    cli: RunCli, walk_bag: Path, tmp_path: Path
) -> None:
    db = tmp_path / 'm.db'
    cli('replay', walk_bag, '--db', db)
    before = _dump(cli, db)

    result = cli('replay', walk_bag, '--db', db)

    assert result.code == 0
    assert 'nothing new, all 80 frames were there, 2 objects' in result.out
    assert 'real time' not in result.out
    assert _dump(cli, db) == before


def test_replay_goes_on_after_an_interruption(
    cli: RunCli, walk_bag: Path, walk_db: Path, tmp_path: Path
) -> None:
    class KilledError(Exception):
        pass

    def kill(num_frames: int, _: object) -> None:
        if num_frames == 33:
            raise KilledError

    db = tmp_path / 'm.db'
    cli('replay', walk_bag, '--db', db)
    manifest = Path(f'{db}.manifest.json').read_text('utf-8')
    db.unlink()
    with SqliteMemoryStore.open(db) as store, pytest.raises(KilledError):
        replay(BagFrameSource(walk_bag), store, MemorySettings(), progress=kill)
    Path(f'{db}.manifest.json').write_text(
        manifest.replace('"is_complete": true', '"is_complete": false'), 'utf-8'
    )

    result = cli('replay', walk_bag, '--db', db)

    assert '47 frames (33 were there) in' in result.out
    assert _dump(cli, db) == _dump(cli, walk_db)
    assert _manifest(db)['is_complete'] is True


def test_replay_reads_a_usable_bag_once(
    cli: RunCli, walk_bag: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes: list[Path] = []
    frames = BagFrameSource.frames

    def counted(self: BagFrameSource) -> Iterator[SensedFrame]:
        passes.append(walk_bag)
        return frames(self)

    monkeypatch.setattr(BagFrameSource, 'frames', counted)

    result = cli('replay', walk_bag, '--db', tmp_path / 'm.db')

    assert '80 frames' in result.out
    assert len(passes) == 1


@pytest.mark.parametrize('change', ['bag', 'settings', 'manifest'])
def test_replay_over_another_memory_is_refused(
    change: str, cli: RunCli, walk_bag: Path, tmp_path: Path
) -> None:
    db = tmp_path / 'm.db'
    cli('replay', walk_bag, '--db', db)
    before = db.read_bytes()
    words = ['replay', walk_bag, '--db', db]
    if change == 'bag':
        words[1] = write_walk(tmp_path / 'other.mcap', num_frames=20)
    elif change == 'settings':
        words += ['--preset', 'beyond3d_questions_v1']
    else:
        Path(f'{db}.manifest.json').unlink()

    result = cli(*words)

    assert result.code == 1
    assert 'already exists' in result.err
    assert '--overwrite replaces it' in result.err
    assert db.read_bytes() == before


def test_replay_overwrite_replaces_the_memory(cli: RunCli, walk_bag: Path, tmp_path: Path) -> None:
    db = tmp_path / 'm.db'
    cli('replay', write_walk(tmp_path / 'other.mcap', num_frames=20), '--db', db)

    result = cli('replay', walk_bag, '--db', db, '--overwrite')

    assert result.code == 0
    assert _manifest(db)['num_frames'] == 80


def test_replay_overwrite_refuses_a_file_that_is_no_memory(
    cli: RunCli, walk_bag: Path, tmp_path: Path
) -> None:
    file = tmp_path / 'thesis.txt'
    file.write_text('years of work, and no memory file')

    result = cli('replay', walk_bag, '--db', file, '--overwrite')

    assert result.code == 1
    assert file.read_text() == 'years of work, and no memory file'


def test_replay_overwrite_refuses_a_memory_that_is_being_written(
    cli: RunCli, walk_bag: Path, tmp_path: Path
) -> None:
    db = tmp_path / 'm.db'
    cli('replay', walk_bag, '--db', db)

    with SqliteMemoryStore.open(db):
        result = cli('replay', walk_bag, '--db', db, '--overwrite')

    assert result.code == 1
    assert 'another writer' in result.err


def test_replay_into_a_folder_that_is_not_there(
    cli: RunCli, walk_bag: Path, tmp_path: Path
) -> None:
    result = cli('replay', walk_bag, '--db', tmp_path / 'no' / 'm.db')

    assert result.code == 1
    assert 'does not exist' in result.err


def test_replay_takes_settings_from_a_file(cli: RunCli, walk_bag: Path, tmp_path: Path) -> None:
    (tmp_path / 's.yaml').write_text(
        'memory: {move_distance_m: 0.5}\nvisibility: {max_range_m: 2}'
    )

    cli('replay', walk_bag, '--db', tmp_path / 'm.db', '--settings', tmp_path / 's.yaml')

    settings = _manifest(tmp_path / 'm.db')['settings']
    assert settings['memory']['move_distance_m'] == 0.5
    timeline = cli('query', tmp_path / 'm.db', 'timeline', 'mug').out
    assert 'beyond_range' in timeline  # the mug is 2.08 m away


@pytest.mark.parametrize(
    ('words', 'text'), [(['--preset', 'nosuch'], 'nosuch'), (['--settings', 'no.yaml'], 'no.yaml')]
)
def test_replay_with_settings_that_are_none_is_an_error(
    words: list[str], text: str, cli: RunCli, walk_bag: Path, tmp_path: Path
) -> None:
    result = cli('replay', walk_bag, '--db', tmp_path / 'm.db', *words)

    assert result.code == 1
    assert text in result.err
    assert result.err.count('\n') == 1


def test_replay_without_detections_says_that_nothing_was_remembered(
    cli: RunCli, tmp_path: Path
) -> None:
    bag = write_walk(tmp_path / 'images_only.mcap', num_frames=10, with_detections=False)

    result = cli('replay', bag, '--db', tmp_path / 'm.db')

    assert result.code == 0
    assert 'st_memory doctor' in result.err


def test_replay_into_a_copy_without_its_manifest_names_the_file(
    cli: RunCli, walk_bag: Path, walk_db: Path, tmp_path: Path
) -> None:
    """Who copies a memory forgets what lies beside it; with it the run goes on."""
    shutil.copy(walk_db, tmp_path / 'copy.db')

    refused = cli('replay', walk_bag, '--db', tmp_path / 'copy.db')
    shutil.copy(f'{walk_db}.manifest.json', tmp_path / 'copy.db.manifest.json')

    assert refused.code == 1
    assert 'no copy.db.manifest.json beside it says what run made it' in refused.err
    assert cli('replay', walk_bag, '--db', tmp_path / 'copy.db').code == 0
