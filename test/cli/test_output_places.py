"""Where a result cannot be written, it is one line, and nothing that is there is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import errno
import os
from pathlib import Path
import shutil

import pytest

from test.cli.conftest import RunCli

PREFIX = 'st_memory: error: '
KEPT = 'kept'

# What is typed for each command that writes a result, and the ending of its name.
Words = Callable[[Path, Path, Path, Path], list[object]]
WRITERS: dict[str, tuple[str, Words]] = {
    'replay': ('.db', lambda out, bag, db, tmp: ['replay', bag, '--db', out]),
    'export': ('.jsonl', lambda out, bag, db, tmp: ['export', db, out]),
    'export parquet': ('.parquet', lambda out, bag, db, tmp: ['export', db, out]),
    'import': ('.db', lambda out, bag, db, tmp: ['import', tmp / 'whole.jsonl', '--db', out]),
    'convert kitchen': (
        '.mcap',
        lambda out, bag, db, tmp: [
            *('convert', 'kitchen', '--seed', 1, '--duration', 4, '--truth', tmp / 'truth', out)
        ],
    ),
    'scene build': ('.ply', lambda out, bag, db, tmp: ['scene', 'build', bag, '--out', out]),
    'detect': (
        '.mcap',
        lambda out, bag, db, tmp: ['detect', bag, '--model', tmp / 'none.onnx', '--out', out],
    ),
    'questions write': (
        '.jsonl',
        lambda out, bag, db, tmp: ['questions', 'write', db, '--bag', bag, '--out', out],
    ),
    'questions prompt': (
        '.jsonl',
        lambda out, bag, db, tmp: ['questions', 'prompt', tmp / 'q.jsonl', '--out', out],
    ),
}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Give a folder with a file and a folder that nobody may replace; looked at at the end."""
    (tmp_path / 'file').write_text(KEPT)
    yield tmp_path
    assert (tmp_path / 'file').read_text() == KEPT
    for found in tmp_path.glob('folder.*'):
        assert (found / 'mine').read_text() == KEPT
    assert not list(tmp_path.glob('.st_memory_*'))


def outputs(ending: str, place: Path) -> dict[str, Path]:
    """Give places where nothing can be written."""
    folder = place / f'folder{ending}'
    folder.mkdir()
    (folder / 'mine').write_text(KEPT)
    return {
        'a folder': folder,
        'in a file': place / 'file' / f'out{ending}',
        'in no folder': place / 'missing' / f'out{ending}',
        'too long': place / f'{"x" * 300}{ending}',
    }


@pytest.mark.parametrize('command', WRITERS)
@pytest.mark.parametrize('overwrite', [(), ('--overwrite',)], ids=['', 'overwrite'])
@pytest.mark.parametrize('where', ['a folder', 'in a file', 'in no folder', 'too long'])
def test_place_that_takes_no_result_is_one_line(
    cli: RunCli,
    walk_bag: Path,
    walk_db: Path,
    place: Path,
    command: str,
    where: str,
    overwrite: tuple[str, ...],
) -> None:
    if command == 'export parquet':
        pytest.importorskip('pyarrow', reason='needs the extra parquet')
    ending, words = WRITERS[command]
    assert cli('export', walk_db, place / 'whole.jsonl').code == 0
    (place / 'q.jsonl').write_text('{}')
    out = outputs(ending, place)[where]

    result = cli(*words(out, walk_bag, walk_db, place), *overwrite)

    assert (result.code, result.out) == (1, ''), result.err
    assert result.err.startswith(PREFIX)
    assert result.err.count('\n') == 1
    assert not (place / 'missing').exists()


@pytest.mark.parametrize('command', ['replay', 'questions write', 'questions prompt'])
def test_result_does_not_replace_what_it_is_made_of(
    cli: RunCli, walk_bag: Path, walk_db: Path, tmp_path: Path, command: str
) -> None:
    bag, db = (Path(shutil.copy(path, tmp_path)) for path in (walk_bag, walk_db))
    (tmp_path / 'q.jsonl').write_text('{}')
    out = {'replay': bag, 'questions write': db, 'questions prompt': tmp_path / 'q.jsonl'}[command]
    before = out.read_bytes()

    result = cli(*WRITERS[command][1](out, bag, db, tmp_path), '--overwrite')

    assert (result.code, result.out) == (1, '')
    assert 'is what the result is made of, and is not written over' in result.err
    assert out.read_bytes() == before


def test_parquet_export_replaces_only_what_an_export_wrote(
    cli: RunCli, walk_db: Path, tmp_path: Path
) -> None:
    pytest.importorskip('pyarrow', reason='needs the extra parquet')
    out, file = tmp_path / 'out.parquet', tmp_path / 'one.parquet'
    file.write_text(KEPT)

    assert cli('export', walk_db, out).code == 0
    assert cli('export', walk_db, out, '--overwrite').code == 0
    (out / 'notes.txt').write_text(KEPT)
    refused = cli('export', walk_db, out, '--overwrite')
    assert refused.err == f"{PREFIX}{out}: holds 'notes.txt', which no export wrote\n"
    assert (out / 'notes.txt').read_text() == KEPT
    refused = cli('export', walk_db, file, '--overwrite')
    assert refused.err.endswith('expected a folder of that ending, found a file\n')
    assert file.read_text() == KEPT


def test_truth_that_is_a_file_is_one_line(cli: RunCli, place: Path) -> None:
    words = ('convert', 'kitchen', '--seed', 1, '--duration', 4)

    result = cli(*words, '--truth', place / 'file', place / 'o.mcap', '--overwrite')

    expected = f'{place / "file"}: expected a folder for the truth, found a file'
    assert (result.code, result.err) == (1, f'{PREFIX}{expected}\n')


@pytest.mark.parametrize('command', ['replay', 'questions prompt'])
def test_empty_name_is_one_line(cli: RunCli, walk_bag: Path, walk_db: Path, command: str) -> None:
    words = WRITERS[command][1](Path(), walk_bag, walk_db, Path())

    result = cli(*(('' if word == Path() else word) for word in words))

    assert (result.code, result.err.count('\n')) == (1, 1)
    assert 'expected a file to write, found a folder' in result.err


def test_error_of_the_system_about_a_file_is_one_line(
    cli: RunCli, walk_db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from st_memory.cli.commands import query

    def fail(arguments: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), '/a/' + 'x' * 400)

    monkeypatch.setattr(query, 'run', fail)

    result = cli('query', walk_db, 'list')

    assert result.code == 1
    assert result.err.startswith(f'{PREFIX}/a/xxx')
    assert result.err.endswith('...: No space left on device\n')
    assert len(result.err) < 300


def test_error_of_the_system_about_no_file_is_a_bug(
    cli: RunCli, walk_db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from st_memory.cli.commands import query

    def fail(arguments: object) -> int:
        raise OSError('what?')

    monkeypatch.setattr(query, 'run', fail)

    with pytest.raises(OSError, match='what'):
        cli('query', walk_db, 'list')
