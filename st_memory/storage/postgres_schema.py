"""Bring a memory of a server to the schema of this version, and refuse schemas of others."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import sql as composing

from st_memory import __version__
from st_memory.core.errors import SchemaVersionError, StoreError
from st_memory.storage.postgres_connection import PostgresConnection
from st_memory.storage.postgres_place import PostgresPlace
from st_memory.storage.postgres_sql import table_of
from st_memory.storage.schema import Migration, MIGRATIONS

__all__ = ['check_postgres', 'migrate_postgres']

_TABLES = 'SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = ?'
_RECORD = """CREATE TABLE IF NOT EXISTS migration (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_by TEXT NOT NULL)"""
# Stamps lie in int64, and so do their differences: sums wrap around.
_STAMP_SUM = """
    CREATE OR REPLACE FUNCTION stamp_sum(stamp_ns BIGINT, difference BIGINT) RETURNS BIGINT
    LANGUAGE sql IMMUTABLE AS $$
        SELECT (((stamp_ns::numeric + coalesce(difference, 0) + 27670116110564327424)
            % 18446744073709551616) - 9223372036854775808)::bigint $$"""


def check_postgres(
    connection: PostgresConnection,
    place: PostgresPlace,
    known: Sequence[Migration] = MIGRATIONS,
    *,
    complete: bool = False,
) -> tuple[str, ...]:
    """
    Refuse what is no memory, or one of another version; writes nothing.

    Returns
    -------
    tuple of str
        Names of the migrations that the memory has.

    Raises
    ------
    StoreError
        If the schema holds tables of another program, or (``complete``) no memory at all.
    SchemaVersionError
        If the memory has migrations that this version does not know, or lacks some.

    """
    (num_tables,) = connection.execute(_TABLES, (place.memory,)).fetchone()
    found = _applied(connection, place)
    if not found and num_tables:
        raise StoreError(f'{place.name}: expected a memory, found tables of another program')
    if not found and complete:
        raise StoreError(f'{place.name}: no such memory')
    names = tuple(m.name for m in known)
    if found != names[: len(found)]:
        strange = next((n for n in found if n not in names), found[-1])
        raise SchemaVersionError(
            f'{place.name}: expected schema {names[-1]} or earlier, found {strange!r}; '
            f'st_memory {__version__} is too old for this memory'
        )
    if complete and len(found) < len(names):
        raise SchemaVersionError(
            f'{place.name}: expected schema {names[-1]}, found {found[-1]!r}; '
            'open it for writing once, which brings it up to date'
        )
    return found


def migrate_postgres(
    connection: PostgresConnection,
    place: PostgresPlace,
    found: Sequence[str],
    known: Sequence[Migration] = MIGRATIONS,
) -> None:
    """Apply what is pending, each step in one transaction together with its record."""
    schema = composing.Identifier(place.memory)
    if not found:
        connection.raw.execute(composing.SQL('CREATE SCHEMA IF NOT EXISTS {}').format(schema))
    for migration in known[len(found) :]:
        with connection.raw.transaction():
            connection.execute(table_of(_RECORD))
            connection.execute(_STAMP_SUM)
            for statement in migration.postgres or migration.statements:
                connection.execute(table_of(statement))
            if migration.fill is not None:
                migration.fill(connection)
            connection.execute(
                'INSERT INTO migration (name, applied_by) VALUES (?, ?)',
                (migration.name, __version__),
            )


def _applied(connection: PostgresConnection, place: PostgresPlace) -> tuple[str, ...]:
    (exists,) = connection.execute(
        f"{_TABLES} AND tablename = 'migration'", (place.memory,)
    ).fetchone()
    if not exists:
        return ()
    return tuple(n for (n,) in connection.execute('SELECT name FROM migration ORDER BY number'))
