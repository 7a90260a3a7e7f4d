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


def test_inspect_without_a_manifest_works_too(cli: RunCli, walk_db: Path, tmp_path: Path) -> None:
    (tmp_path / 'copy.db').write_bytes(walk_db.read_bytes())

    result = cli('inspect', tmp_path / 'copy.db', '--json')

    assert result.code == 0
    assert json.loads(result.out)['manifest'] is None


def test_inspect_dump_is_the_dump_of_the_store(cli: RunCli, walk_db: Path) -> None:
    with SqliteMemoryStore.open(walk_db, read_only=True) as store:
        expected = dump(store).decode('utf-8')

    assert cli('inspect', walk_db, '--dump').out == expected
