"""Bring a memory file to the schema of this version, and refuse files of any other kind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
import sqlite3

from st_memory import __version__
from st_memory.core.errors import SchemaVersionError, StoreError
from st_memory.storage.schema import APPLICATION_ID, Migration, MIGRATIONS

__all__ = ['RECORDING', 'applied', 'check', 'is_blank', 'migrate', 'pending']

_RECORD = """CREATE TABLE IF NOT EXISTS migration (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, applied_by TEXT NOT NULL) STRICT"""

RECORDING = 'expected a memory file, found a recording; st_memory replay makes a memory of it'


def is_blank(connection: sqlite3.Connection) -> bool:
    """Whether the database holds nothing at all and belongs to nobody."""
    (application_id,) = connection.execute('PRAGMA application_id').fetchone()
    (num_tables,) = connection.execute('SELECT count(*) FROM sqlite_master').fetchone()
    return bool(application_id == 0 and num_tables == 0)


def applied(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Names of the migrations that the file has, in order; writes nothing."""
    (exists,) = connection.execute(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'migration'"
    ).fetchone()
    if not exists:
        return ()
    return tuple(n for (n,) in connection.execute('SELECT name FROM migration ORDER BY number'))


def check(
    connection: sqlite3.Connection,
    path: Path,
    known: Sequence[Migration] = MIGRATIONS,
    *,
    complete: bool = False,
) -> None:
    """
    Refuse a file that is not a memory file, or one of another version; writes nothing.

    Parameters
    ----------
    connection : sqlite3.Connection
        To the file.
    path : Path
        Its name, for the message.
    known : sequence of Migration
        All steps, in order.
    complete : bool
        The file must have every known step (it is not going to be migrated).

    Raises
    ------
    StoreError
        If another program's database is in the file.
    SchemaVersionError
        If the file has migrations that this version does not know, or lacks some that it needs.

    """
    if is_blank(connection):
        if complete:
            raise StoreError(f'{path}: expected an st_memory file, found an empty one')
        return
    (application_id,) = connection.execute('PRAGMA application_id').fetchone()
    if application_id != APPLICATION_ID and _is_bag(connection):
        raise StoreError(f'{path}: {RECORDING}')
    if application_id != APPLICATION_ID:
        raise StoreError(
            f'{path}: expected an st_memory file, found a database of another program '
            f'(application_id {application_id})'
        )
    names = tuple(m.name for m in known)
    found = applied(connection)
    if found != names[: len(found)]:
        strange = next((n for n in found if n not in names), found[-1])
        raise SchemaVersionError(
            f'{path}: expected schema {names[-1]} or earlier, found {strange!r}; '
            f'st_memory {__version__} is too old for this file'
        )
    if complete and len(found) < len(known):
        raise SchemaVersionError(
            f'{path}: expected schema {names[-1]}, found {found[-1]!r}; '
            'open it for writing once, which brings it up to date'
        )


def _is_bag(connection: sqlite3.Connection) -> bool:
    """Whether it has the tables of a recording."""
    tables = {name for (name,) in connection.execute('SELECT name FROM sqlite_schema')}
    return {'topics', 'messages'} <= tables


def pending(
    connection: sqlite3.Connection, known: Sequence[Migration] = MIGRATIONS
) -> tuple[Migration, ...]:
    """Migrations that the file still lacks, in order; writes nothing."""
    return tuple(known[len(applied(connection)) :])


def migrate(
    connection: sqlite3.Connection, known: Sequence[Migration] = MIGRATIONS
) -> tuple[str, ...]:
    """
    Apply what is pending, each step in one transaction together with its record.

    Parameters
    ----------
    connection : sqlite3.Connection
        In autocommit mode, to a file that :func:`check` accepted.
    known : sequence of Migration
        All steps, in order.

    Returns
    -------
    tuple of str
        Names of the steps applied now.

    """
    done = []
    for migration in pending(connection, known):
        connection.execute('BEGIN IMMEDIATE')
        try:
            connection.execute(f'PRAGMA application_id = {APPLICATION_ID}')
            connection.execute(_RECORD)
            for statement in migration.statements:
                connection.execute(statement)
            if migration.fill is not None:
                migration.fill(connection)
            connection.execute(
                'INSERT INTO migration (name, applied_by) VALUES (?, ?)',
                (migration.name, __version__),
            )
        except BaseException:
            connection.execute('ROLLBACK')
            raise
        connection.execute('COMMIT')
        done.append(migration.name)
    return tuple(done)
