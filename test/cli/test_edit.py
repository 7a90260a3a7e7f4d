"""``st_memory edit``: a person tells a memory file something."""

from __future__ import annotations

import json
import os
from pathlib import Path
import shutil
import subprocess
import sys

import pytest

from st_memory.cli.manifest_file import manifest_path
from st_memory.storage import SqliteMemoryStore
from test.cli.conftest import RunCli

ACTIONS = (
    ('rename', 'mug_a', '--label', 'Annas Tasse'),
    ('mark', '--label', 'keys', '--pose', '1', '0.5', '0.9'),
    ('mark', 'mug_a', '--pose', '1', '0.5', '0.9'),
    ('split', 'mug_a', 'mug_9', '--pose', '1', '0.5', '0.9'),
    ('forget', 'mug_a'),
)


@pytest.fixture
def db(walk_db: Path, tmp_path: Path) -> Path:
    """A memory that may be told something."""
    path = tmp_path / 'walk.db'
    shutil.copy(walk_db, path)
    shutil.copy(manifest_path(walk_db), manifest_path(path))
    return path


def dump_of(cli: RunCli, db: Path) -> str:
    return cli('inspect', db, '--dump').out


@pytest.mark.parametrize('words', ACTIONS, ids=lambda w: ' '.join(w[:2]))
def test_edit_is_kept_with_who_said_it_and_why(cli: RunCli, db: Path, words: tuple[str]) -> None:
    done = cli('edit', db, *words, '--note', 'I saw it')

    assert (done.code, done.err) == (0, '')
    assert done.out.endswith(': I saw it.\n')
    last = json.loads(cli('query', db, 'events', '--json').out)[-1]
    assert last['source'] == 'human'
    assert last['detail'].endswith(': I saw it')


def test_edit_json_gives_the_object_and_the_evidence(cli: RunCli, db: Path) -> None:
    done = cli('edit', db, 'rename', 'mug_a', '--label', 'Annas Tasse', '--json')

    answer = json.loads(done.out)
    assert answer['status_name'] == 'KNOWN'
    assert (answer['object']['object_id'], answer['object']['label']) == ('mug_a', 'Annas Tasse')
    events = json.loads(cli('query', db, 'events', '--json').out)
    assert answer['evidence_ids'] == [events[-1]['event_id']]


def test_forgotten_object_comes_back_when_restored(cli: RunCli, db: Path) -> None:
    cli('edit', db, 'forget', 'mug_a')
    assert cli('query', db, 'where', 'mug_a').code == 1

    assert cli('edit', db, 'restore', 'mug_a').code == 0
    assert cli('query', db, 'where', 'mug_a').code == 0


def test_merged_objects_answer_as_one_until_split(cli: RunCli, db: Path) -> None:
    cli('edit', db, 'mark', 'twin', '--label', 'mug', '--pose', '3', '3', '1')

    cli('edit', db, 'merge', 'mug_a', 'twin')
    merged = json.loads(cli('query', db, 'where', 'twin', '--json').out)
    cli('edit', db, 'split', 'mug_a', 'twin')
    split = json.loads(cli('query', db, 'where', 'twin', '--json').out)

    assert (merged['object']['object_id'], split['object']['object_id']) == ('mug_a', 'twin')


def test_edit_that_is_so_already_says_so(cli: RunCli, db: Path) -> None:
    cli('edit', db, 'forget', 'mug_a')

    assert 'nothing was changed' in cli('edit', db, 'forget', 'mug_a').out


@pytest.mark.parametrize(
    ('words', 'complaint'),
    [
        (('forget', 'unicorn'), "no object 'unicorn' is known in this epoch"),
        (('rename', 'mug_a'), 'RENAME: expected a label'),
        (('merge', 'mug_a'), 'MERGE: expected the id of a second object'),
        (('merge', 'mug_a', 'mug_a'), 'MERGE: expected two objects'),
        (('mark',), 'MARK: expected an object id or a label'),
        (('rename', 'mug_a', '--label', 'x' * 201), 'label: expected at most 200 characters'),
        (('rename', 'mug_a', '--label', 'a\nb'), 'label: expected no control characters'),
        (('mark', 'mug_a', '--pose', 'nan', '0', '0'), 'pose: expected finite numbers'),
        (('mark', 'mug_a', '--pose', '1e308', '0', '0'), 'pose: expected less than 1e+09 m'),
        (('forget', 'mug_a', '--at', '3'), 'at: expected 0 (now)'),
        (('forget', "x'; DROP TABLE object; --"), 'no object "x\'; DROP TABLE object; --"'),
        (('forget', '../../etc/passwd'), "no object '../../etc/passwd' is known"),
    ],
)
def test_edit_that_cannot_be_done_is_one_line_and_changes_nothing(
    cli: RunCli, db: Path, words: tuple[str, ...], complaint: str
) -> None:
    before = dump_of(cli, db)

    done = cli('edit', db, *words)

    assert (done.code, done.out) == (1, '')
    assert complaint in done.err
    assert done.err.count('\n') == 1
    assert dump_of(cli, db) == before


def test_edit_keeps_unicode_and_sql_in_a_name_as_they_are(cli: RunCli, db: Path) -> None:
    name = "Tassé 🫖 '; DROP TABLE object; --"

    assert cli('edit', db, 'rename', 'mug_a', '--label', name).code == 0

    assert json.loads(cli('query', db, 'where', 'mug_a', '--json').out)['object']['label'] == name


def test_edit_of_a_missing_file_is_one_line_and_makes_none(cli: RunCli, tmp_path: Path) -> None:
    done = cli('edit', tmp_path / 'none.db', 'forget', 'mug_a')

    assert done.code == 1
    assert 'expected a memory file, there is none' in done.err
    assert list(tmp_path.iterdir()) == []


def test_edit_of_a_memory_that_is_being_written_is_refused(cli: RunCli, db: Path) -> None:
    with SqliteMemoryStore.open(db):
        done = cli('edit', db, 'forget', 'mug_a')

    assert (done.code, done.err.count('\n')) == (1, 1)


def test_edit_uses_the_settings_of_the_run_that_made_the_memory(cli: RunCli, db: Path) -> None:
    manifest = json.loads(manifest_path(db).read_text(encoding='utf-8'))
    manifest['settings']['memory']['move_distance_m'] = 'far'
    manifest_path(db).write_text(json.dumps(manifest), encoding='utf-8')

    done = cli('edit', db, 'forget', 'mug_a')

    assert done.code == 1
    assert 'settings.memory.move_distance_m' in done.err


def test_edit_goes_without_a_manifest(cli: RunCli, db: Path) -> None:
    manifest_path(db).unlink()

    assert cli('edit', db, 'forget', 'mug_a').code == 0


def test_replay_into_an_edited_memory_says_that_it_was_edited(
    cli: RunCli, db: Path, walk_bag: Path
) -> None:
    cli('edit', db, 'forget', 'mug_a')
    before = dump_of(cli, db)

    done = cli('replay', walk_bag, '--db', db)

    assert done.code == 1
    assert 'a person has edited it since' in done.err
    assert dump_of(cli, db) == before


@pytest.mark.parametrize(
    'words',
    [
        ('edit', 'walk.db', 'rename', 'mug_a', '--label', 'cup'),
        ('rebase', 'walk.db', 'new-origin'),
    ],
    ids=lambda words: words[0],
)
def test_memory_that_a_node_writes_is_refused_before_the_fold_is_loaded(
    db: Path, words: tuple[str, ...]
) -> None:
    code = (
        'import sys; from st_memory.cli.main import main; code = main(sys.argv[1:]); '
        "sys.exit(9 if 'st_memory.core.memory' in sys.modules else code)"
    )
    with SqliteMemoryStore.open(db):
        child = subprocess.run(
            [sys.executable, '-c', code, *words],
            cwd=db.parent,
            env={**os.environ, 'PYTHONPATH': str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=False,
        )

    assert child.returncode == 1, child.stderr
    assert 'a node that writes it takes edits itself (~/edit_object and ~/rebase)' in child.stderr
