"""What a memory file holds."""

from __future__ import annotations

import json
from pathlib import Path

from st_memory.storage import dump, SqliteMemoryStore
from test.cli.conftest import RunCli


def test_inspect_json_counts_frames_and_objects(cli: RunCli, walk_db: Path) -> None:
    result = cli('inspect', walk_db, '--json')

    content = json.loads(result.out)
    assert result.code == 0
    (epoch,) = content['epochs']
    assert (epoch['num_frames'], epoch['num_objects']) == (80, 2)
    assert content['counts']['frame'] == 80
    assert content['manifest']['source'] == 'walk.mcap'


def test_inspect_prints_where_the_memory_comes_from(cli: RunCli, walk_db: Path) -> None:
    out = cli('inspect', walk_db).out

    assert 'from walk.mcap by st_memory' in out
    assert 'epoch 0: 80 frames in 15.8 s, 2 objects' in out


def test_inspect_counts_what_was_merged_or_forgotten_apart(
    cli: RunCli, walk_db: Path, tmp_path: Path
) -> None:
    db = tmp_path / 'edited.db'
    db.write_bytes(walk_db.read_bytes())
    assert cli('edit', db, 'mark', '--label', 'phone', '--pose', 1, 1, 1).code == 0
    assert cli('edit', db, 'mark', 'phone_2', '--label', 'phone', '--pose', 2, 1, 1).code == 0
    assert cli('edit', db, 'merge', 'phone_1', 'phone_2').code == 0
    assert cli('edit', db, 'forget', 'mug_a').code == 0

    (epoch,) = json.loads(cli('inspect', db, '--json').out)['epochs']
    assert (epoch['num_objects'], epoch['num_retired']) == (2, 2)
    assert ', 2 objects (2 more merged or forgotten)\n' in cli('inspect', db).out
    assert len(json.loads(cli('query', db, 'list', '--json').out)['objects']) == 2


def test_inspect_without_a_manifest_works_too(cli: RunCli, walk_db: Path, tmp_path: Path) -> None:
    (tmp_path / 'copy.db').write_bytes(walk_db.read_bytes())

    result = cli('inspect', tmp_path / 'copy.db', '--json')

    assert result.code == 0
    assert json.loads(result.out)['manifest'] is None


def test_inspect_dump_is_the_dump_of_the_store(cli: RunCli, walk_db: Path) -> None:
    with SqliteMemoryStore.open(walk_db, read_only=True) as store:
        expected = dump(store).decode('utf-8')

    assert cli('inspect', walk_db, '--dump').out == expected
