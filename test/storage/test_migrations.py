"""Migrations are ordered, named, recorded, and one transaction each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
import shutil
import sqlite3

import pytest

from st_memory import __version__
from st_memory.core.errors import SchemaVersionError
from st_memory.core.stamps import Moment
from st_memory.storage import dump, inspect, SqliteMemoryStore
from st_memory.storage.migrations import applied, check, migrate, pending
from st_memory.storage.schema import APPLICATION_ID, Migration, MIGRATIONS
from st_memory.storage.sql import SqlConnection
from test.contracts.memory_store import frame
from test.storage.schemas import make_v1, make_v2, make_v3, make_v4, make_v5

SCHEMAS = Path(__file__).parent / 'schemas'
FILL = {
    'v1': make_v1.fill,
    'v2': make_v2.fill,
    'v3': make_v3.fill,
    'v4': make_v4.fill,
    'v5': make_v5.fill,
}
ONE = Migration('0001_one', ('CREATE TABLE one (x INTEGER)',))
TWO = Migration('0002_two', ('CREATE TABLE two (y INTEGER)', 'INSERT INTO two VALUES (7)'))
BROKEN = Migration('0002_broken', ('CREATE TABLE half (z INTEGER)', 'NO SQL'))


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    """Give an empty database in memory."""
    with closing(sqlite3.connect(':memory:', isolation_level=None)) as opened:
        yield opened


def tables(connection: sqlite3.Connection) -> set[str]:
    """Names of all tables."""
    return {n for (n,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")}


def test_migrate_applies_in_order_and_records(connection: sqlite3.Connection) -> None:
    """Names and the version that applied them are in the file."""
    assert migrate(connection, [ONE, TWO]) == ('0001_one', '0002_two')

    assert connection.execute('SELECT * FROM migration').fetchall() == [
        (1, '0001_one', __version__),
        (2, '0002_two', __version__),
    ]
    assert connection.execute('PRAGMA application_id').fetchone() == (APPLICATION_ID,)
    assert connection.execute('SELECT y FROM two').fetchall() == [(7,)]


def test_migrate_again_does_nothing(connection: sqlite3.Connection) -> None:
    """Only what is pending is applied."""
    migrate(connection, [ONE])

    assert pending(connection, [ONE, TWO]) == (TWO,)
    assert migrate(connection, [ONE, TWO]) == ('0002_two',)
    assert migrate(connection, [ONE, TWO]) == ()


def test_failed_migration_leaves_the_file_at_the_step_before(
    connection: sqlite3.Connection,
) -> None:
    """Each step and its record are one transaction."""
    with pytest.raises(sqlite3.OperationalError, match='syntax error'):
        migrate(connection, [ONE, BROKEN])

    assert applied(connection) == ('0001_one',)
    assert tables(connection) == {'migration', 'one'}
    assert migrate(connection, [ONE, TWO]) == ('0002_two',)


@pytest.mark.parametrize(
    ('known', 'stranger'),
    [([ONE], '0002_two'), ([TWO], '0001_one'), ([TWO, ONE], '0002_two')],
    ids=['later', 'other', 'order'],
)
def test_check_refuses_steps_it_does_not_know(
    connection: sqlite3.Connection, known: list[Migration], stranger: str
) -> None:
    """A file must hold the first steps of the known ones, in their order."""
    migrate(connection, [ONE, TWO])

    with pytest.raises(SchemaVersionError, match=f"memory.db: expected .* found '{stranger}'"):
        check(connection, Path('memory.db'), known)


def test_check_for_reading_refuses_an_older_schema(connection: sqlite3.Connection) -> None:
    """A reader cannot migrate; the message says what does."""
    migrate(connection, [ONE])

    check(connection, Path('memory.db'), [ONE, TWO])
    with pytest.raises(SchemaVersionError, match='open it for writing once'):
        check(connection, Path('memory.db'), [ONE, TWO], complete=True)


def test_names_are_unique_and_ascending() -> None:
    """The order in the tuple is the order of the names."""
    names = [m.name for m in MIGRATIONS]

    assert names == sorted(set(names))


@pytest.mark.parametrize('path', sorted(SCHEMAS.glob('v*.db')), ids=lambda path: path.stem)
def test_file_of_every_released_schema_opens_and_migrates(tmp_path: Path, path: Path) -> None:
    """Old memories are read in full and can be gone on with."""
    mine = shutil.copy(path, tmp_path / path.name)
    with SqliteMemoryStore.open(tmp_path / 'new.db') as new:
        FILL[path.stem](new)
        expected = dump(new)
        version = inspect(tmp_path / 'new.db').migrations

    with SqliteMemoryStore.open(mine) as store:
        assert dump(store) == expected
        assert inspect(mine).migrations == version
        newest = store.checkpoint()
        assert newest is not None
        seq = newest.frame.seq + 1
        store.commit(frame(seq, 9, epoch=1))
        assert [stored.delta.frame.seq for stored in store.deltas_after(-1)] == [*range(seq + 1)]


@pytest.mark.parametrize('path', sorted(SCHEMAS.glob('v*.db')), ids=lambda path: path.stem)
def test_old_memory_feeds_a_new_one(tmp_path: Path, path: Path) -> None:
    """What the migration fills in of places and origins serves as what is written since."""
    mine = shutil.copy(path, tmp_path / path.name)
    with SqliteMemoryStore.open(mine) as old, SqliteMemoryStore.open(tmp_path / 'new.db') as new:
        new.put_scene(old.scene())
        for stored in old.deltas_after(-1):
            new.restore(stored)

        assert dump(new) == dump(old)
        assert [s.origin for s in new.deltas_after(-1)] == [s.origin for s in old.deltas_after(-1)]
        assert new.objects_within((0.0, 0.0, 0.0), 99.0) == old.objects_within((0.0,) * 3, 99.0)
        assert len(old.objects_within((0.0, 0.0, 0.0), 99.0)) == len(old.objects_at()) > 0


@pytest.mark.parametrize('path', sorted(SCHEMAS.glob('v*.db')), ids=lambda path: path.stem)
def test_objects_of_an_old_memory_are_found_by_name(tmp_path: Path, path: Path) -> None:
    """The migration fills in the names that every object had, as of each moment."""
    mine = shutil.copy(path, tmp_path / path.name)
    with SqliteMemoryStore.open(mine) as old:
        asked = 0
        for stored in old.deltas_after(-1):
            at = Moment(stored.delta.frame.epoch, stored.delta.frame.stamp_ns)
            for state in old.objects_at(at):
                for name in (state.label, *state.aliases):
                    assert state in old.objects_called(name.lower(), at)
                    asked += 1
        assert asked > 3


def test_fill_runs_in_the_transaction_of_its_step(connection: sqlite3.Connection) -> None:
    """What fails half-way leaves the schema as it was."""

    def fill(into: SqlConnection) -> None:
        into.execute('INSERT INTO two VALUES (8)')
        raise ValueError('no')

    migrate(connection, [ONE])
    with pytest.raises(ValueError, match='no'):
        migrate(connection, [ONE, replace(TWO, fill=fill)])
    assert applied(connection) == ('0001_one',)
    assert 'two' not in tables(connection)


def test_every_schema_has_a_file() -> None:
    """Whoever adds a migration adds the file that the version before wrote."""
    assert len(list(SCHEMAS.glob('v*.db'))) == len(MIGRATIONS)
