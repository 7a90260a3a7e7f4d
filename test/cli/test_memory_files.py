"""Exporting, importing, feeding and compacting memories from the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from st_memory.storage import dump, SqliteMemoryStore
from test.cli.conftest import RunCli
from test.contracts.memory_store import frame, track
from test.storage.postgres_server import NoServerError, running_server


def content(db: Path) -> bytes:
    """Give the dump of a memory file."""
    with SqliteMemoryStore.open(db, read_only=True) as store:
        return dump(store)


@pytest.fixture
def memory(walk_db: Path, tmp_path: Path) -> Path:
    """Give a copy of a memory that may be changed."""
    path = tmp_path / 'kitchen.db'
    path.write_bytes(walk_db.read_bytes())
    return path


@pytest.mark.parametrize('ending', ['jsonl', 'parquet'])
def test_export_then_import_gives_the_same_memory(
    cli: RunCli, memory: Path, tmp_path: Path, ending: str
) -> None:
    if ending == 'parquet':
        pytest.importorskip('pyarrow', reason='needs pyarrow (extra parquet)')
    out = tmp_path / f'kitchen.{ending}'

    exported = cli('export', memory, out)
    imported = cli('import', out, '--db', tmp_path / 'again.db')

    assert (exported.code, exported.out) == (0, f'{out}: 80 frames\n')
    assert (imported.code, imported.out) == (0, f'{tmp_path / "again.db"}: 80 frames\n')
    assert content(tmp_path / 'again.db') == content(memory)
    assert cli('query', tmp_path / 'again.db', 'list').code == 0


def test_export_refuses_what_is_there(cli: RunCli, memory: Path, tmp_path: Path) -> None:
    out = tmp_path / 'kitchen.jsonl'
    out.write_text('mine')

    refused = cli('export', memory, out)

    assert refused.code == 1
    assert refused.err == f'st_memory: error: {out}: is there already; --overwrite replaces it\n'
    assert out.read_text() == 'mine'
    assert cli('export', memory, out, '--overwrite').code == 0


@pytest.mark.parametrize(
    ('words', 'reason'),
    [
        (('export', 'kitchen.db', 'k.csv'), 'ends in .jsonl or .parquet'),
        (('export', 'none.db', 'k.jsonl'), 'none.db: no such file'),
        (('import', 'none.jsonl', '--db', 'a.db'), 'none.jsonl: cannot be read: No such file'),
        (('import', 'kitchen.jsonl', '--db', 'kitchen.db'), 'kitchen.db: is there already'),
        (('import', 'cut.jsonl', '--db', 'a.db'), 'cut.jsonl: line 2: expected more, found the'),
        (('feed', 'kitchen.db', 'other.db'), 'the copy is of another memory'),
        (('feed', 'none.db', 'a.db'), 'none.db: no such file'),
        (('feed', 'kitchen.db', 'postgresql://nobody@localhost:1/x#y'), '#y: cannot open: '),
        (('compact', 'none.db', '--older-than', '0', '--every', '1'), 'none.db: no such file'),
        (('compact', 'kitchen.db', '--older-than', '-1', '--every', '1'), 'got -1 and 1'),
        (('compact', 'kitchen.db', '--older-than', '0', '--every', '0'), 'got 0 and 0'),
        (('compact', 'kitchen.db', '--older-than', 'nan', '--every', '1'), 'got nan and 1'),
    ],
    ids=lambda value: ' '.join(value) if isinstance(value, tuple) else '',
)
def test_wrong_input_is_one_line_and_makes_nothing(
    cli: RunCli,
    memory: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    reason: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli('export', memory, 'kitchen.jsonl').code == 0
    first = Path('kitchen.jsonl').read_bytes().splitlines(keepends=True)[0]
    Path('cut.jsonl').write_bytes(first)
    with SqliteMemoryStore.open('other.db') as other:
        other.commit(frame(0, 10, tracks=track()))
    before = content(memory)

    result = cli(*words)

    assert result.code == 1
    assert reason in result.err
    assert result.err.count('\n') == 1
    assert not Path('a.db').exists()
    assert content(memory) == before


def test_import_over_a_memory_drops_the_manifest_of_that(
    cli: RunCli, memory: Path, tmp_path: Path
) -> None:
    manifest = tmp_path / 'kitchen.db.manifest.json'
    manifest.write_text('{}')
    cli('export', memory, tmp_path / 'kitchen.jsonl')

    result = cli('import', tmp_path / 'kitchen.jsonl', '--db', memory, '--overwrite')

    assert result.code == 0
    assert not manifest.exists()


def test_feed_brings_a_copy_up_to_date(cli: RunCli, memory: Path, tmp_path: Path) -> None:
    copy = tmp_path / 'copy.db'

    first, again = cli('feed', memory, copy), cli('feed', memory, copy)

    assert first.out == f'{copy}: 80 frames added, 80 held\n'
    assert again.out == f'{copy}: 0 frames added, 80 held\n'
    assert content(copy) == content(memory)


def test_feed_into_a_server_and_export_of_it(cli: RunCli, memory: Path, tmp_path: Path) -> None:
    try:
        with running_server() as server:
            place = f'{server.url}#kitchen'
            assert cli('feed', memory, place).code == 0
            for question in ('list', 'events', 'where'):
                words = (question, 'mug_a', '--json') if question == 'where' else (question,)
                assert cli('query', place, *words).out == cli('query', memory, *words).out
            assert cli('export', place, tmp_path / 'fleet.jsonl').code == 0
    except NoServerError as error:
        pytest.skip(str(error))
    cli('import', tmp_path / 'fleet.jsonl', '--db', tmp_path / 'back.db')

    assert content(tmp_path / 'back.db') == content(memory)


def test_compact_thins_observations_alone(cli: RunCli, memory: Path) -> None:
    questions: tuple[Callable[[], str], ...] = (
        lambda: cli('query', memory, 'list', '--json').out,
        lambda: cli('query', memory, 'events').out,
        lambda: cli('query', memory, 'timeline', 'mug_a').out,
    )
    before = [ask() for ask in questions]

    result = cli('compact', memory, '--older-than', '0', '--every', '5')

    assert result.code == 0
    assert 'observations thinned out' in result.out
    assert ': 0 of' not in result.out
    assert [ask() for ask in questions] == before
    assert ': 0 of' in cli('compact', memory, '--older-than', '0', '--every', '5').out
