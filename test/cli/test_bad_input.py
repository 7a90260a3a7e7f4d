"""Bad input: one line on stderr, exit 1, and nothing is written over."""

from __future__ import annotations

from pathlib import Path
import sqlite3

import pytest

from test.cli.bad_bags import BAD_BAGS
from test.cli.conftest import RunCli

PREFIX = 'st_memory: error: '


def _is_one_line(text: str) -> bool:
    return text.startswith(PREFIX) and text.count('\n') == 1 and text.endswith('\n')


@pytest.mark.parametrize('name', BAD_BAGS)
def test_replay_of_a_bad_bag_says_why_in_one_line(name: str, cli: RunCli, tmp_path: Path) -> None:
    write, expected = BAD_BAGS[name]
    bag = write(tmp_path)

    result = cli('replay', bag, '--db', tmp_path / 'm.db')

    assert result.code == 1
    assert _is_one_line(result.err), result.err
    assert expected in result.err
    assert bag.name in result.err
    assert result.out == ''
    assert not (tmp_path / 'm.db').exists()


@pytest.mark.parametrize('name', BAD_BAGS)
def test_replay_of_a_bad_bag_leaves_the_memory_that_was_there(
    name: str, cli: RunCli, walk_db: Path, tmp_path: Path
) -> None:
    write, _ = BAD_BAGS[name]
    db = tmp_path / 'm.db'
    db.write_bytes(walk_db.read_bytes())

    result = cli('replay', write(tmp_path), '--db', db, '--overwrite')

    assert result.code == 1
    assert db.read_bytes() == walk_db.read_bytes()


@pytest.mark.parametrize('name', ['missing', 'not_a_bag', 'truncated', 'empty'])
def test_doctor_of_what_is_no_bag_is_an_error(name: str, cli: RunCli, tmp_path: Path) -> None:
    write, expected = BAD_BAGS[name]

    result = cli('doctor', write(tmp_path), '--json')

    assert (result.code, result.out) == (1, '')
    assert _is_one_line(result.err)
    assert expected in result.err


@pytest.mark.parametrize('question', ['where', 'visible', 'timeline', 'last-seen', 'last-placed'])
def test_query_of_an_unknown_object_is_an_error(question: str, cli: RunCli, walk_db: Path) -> None:
    result = cli('query', walk_db, question, 'teapot')

    assert (result.code, result.out) == (1, '')
    assert result.err.startswith(f'{PREFIX}no teapot has been seen by then; ')
    assert result.err.endswith('known are: bowl and mug\n')
    assert result.err.count('\n') == 1


def test_query_of_a_missing_memory_is_an_error_and_makes_none(cli: RunCli, tmp_path: Path) -> None:
    result = cli('query', tmp_path / 'none.db', 'list')

    assert result.code == 1
    assert _is_one_line(result.err)
    assert not (tmp_path / 'none.db').exists()


def test_query_of_another_file_is_an_error(cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / 'notes.db').write_text('not a database, only text')

    result = cli('query', tmp_path / 'notes.db', 'list')

    assert result.code == 1
    assert _is_one_line(result.err)


@pytest.mark.parametrize('command', ['query', 'inspect', 'replay'])
def test_memory_of_a_newer_schema_is_refused_and_left_alone(
    command: str, cli: RunCli, walk_db: Path, walk_bag: Path, tmp_path: Path
) -> None:
    db = tmp_path / 'newer.db'
    db.write_bytes(walk_db.read_bytes())
    with sqlite3.connect(db) as connection:
        connection.execute("INSERT INTO migration VALUES (9999, '9999_future', '99.0')")
    connection.close()
    before = db.read_bytes()
    rest = {
        'query': (db, 'list'),
        'inspect': (db,),
        'replay': (walk_bag, '--db', db, '--overwrite'),
    }

    result = cli(command, *rest[command])

    assert result.code == 1
    assert _is_one_line(result.err)
    assert 'newer.db' in result.err
    assert db.read_bytes() == before
