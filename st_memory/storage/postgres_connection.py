"""Connections to one memory of a PostgreSQL server, and its errors as one line each."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql as composing
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumper, TextLoader

from st_memory.core.errors import StoreError
from st_memory.storage.postgres_place import PostgresPlace
from st_memory.storage.postgres_sql import escape_text, statement_of, unescape_text
from st_memory.storage.sql import Rows, SqlConnection

__all__ = ['PostgresConnection', 'PostgresPool', 'connect_postgres', 'one_line_postgres_errors']

_CONNECT_TIMEOUT_S = 5
_ROWS_AT_ONCE = 5_000
_READING = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'


class _TextDumper(StrDumper):
    """Strings on the way in."""

    def dump(self, obj: str) -> Any:
        """Write a string without U+0000."""
        return super().dump(escape_text(obj))


class _TextLoader(TextLoader):
    """Strings on the way out."""

    def load(self, data: Any) -> Any:
        """Give the string back as it was."""
        text = super().load(data)
        return unescape_text(text) if isinstance(text, str) else text


class PostgresConnection:
    """
    A connection on which our SQL runs.

    Parameters
    ----------
    raw : psycopg.Connection
        In autocommit mode.

    """

    def __init__(self, raw: psycopg.Connection[Any]) -> None:
        self.raw = raw

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Rows:
        """Run one statement."""
        return self.raw.execute(statement_of(sql).encode(), tuple(parameters))

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> None:
        """Run one statement for each row of values."""
        rows = [tuple(row) for row in parameters]
        if rows:
            self.raw.cursor().executemany(statement_of(sql).encode(), rows)

    def close(self) -> None:
        """End the session."""
        self.raw.close()


@contextmanager
def one_line_postgres_errors(name: str, doing: str) -> Iterator[None]:
    """
    Turn what the server and the conversion of values raise into one clear line.

    Raises
    ------
    StoreError
        ``<name>: cannot <doing>: <reason>``.

    """
    try:
        yield
    except (psycopg.Error, OverflowError, UnicodeEncodeError) as err:
        reason = ' '.join(str(err).split()) or type(err).__name__
        raise StoreError(f'{name}: cannot {doing}: {reason}') from err


def connect_postgres(place: PostgresPlace) -> PostgresConnection:
    """
    Open a session that sees one memory; any one thread at a time may use it.

    Raises
    ------
    StoreError
        If the database keeps its texts in anything but UTF-8.

    """
    raw = psycopg.connect(
        place.dsn, autocommit=True, connect_timeout=_CONNECT_TIMEOUT_S, client_encoding='utf8'
    )
    raw.adapters.register_dumper(str, _TextDumper)
    raw.adapters.register_loader('text', _TextLoader)
    raw.adapters.register_dumper(int, Int8Dumper)
    connection = PostgresConnection(raw)
    try:
        (encoding,) = connection.execute('SHOW server_encoding').fetchone()
        if encoding != 'UTF8':
            raise StoreError(f'{place.name}: expected a database in UTF8, found {encoding}')
        raw.execute(
            composing.SQL('SET search_path TO {}').format(composing.Identifier(place.memory))
        )
        raw.execute('SET extra_float_digits TO 3')  # every bit of a float
    except BaseException:
        connection.close()
        raise
    return connection


class PostgresPool:
    """
    Sessions to read with, one for every read in flight, so that any thread may read.

    Parameters
    ----------
    place : PostgresPlace
        The memory.

    """

    def __init__(self, place: PostgresPlace) -> None:
        self._place = place
        self._idle: deque[PostgresConnection] = deque()
        self._closed = False

    @contextmanager
    def snapshot(self) -> Iterator[PostgresConnection]:
        """
        Give a session on which all reads of the body see the same committed frames.

        Raises
        ------
        StoreError
            If the pool is closed or the server cannot be read.

        """
        name = self._place.name
        if self._closed:
            raise StoreError(f'{name}: memory is closed')
        with one_line_postgres_errors(name, 'read'):
            connection = self._take()
            try:
                connection.execute(_READING)
                yield connection
            finally:
                self._give_back(connection)

    def stream(
        self, connection: SqlConnection, sql: str, parameters: Sequence[Any], /
    ) -> Iterator[Any]:
        """Give the rows of a query one by one, however many there are."""
        assert isinstance(connection, PostgresConnection)  # noqa: S101 - one of our own
        # The portal is the server's: rows come in batches.
        name = f'rows_{id(parameters)}_{abs(hash(sql))}'
        with connection.raw.cursor(name) as cursor:
            cursor.itersize = _ROWS_AT_ONCE
            cursor.execute(statement_of(sql).encode(), tuple(parameters))
            yield from cursor

    def close(self) -> None:
        """Close what is idle; a read in flight closes its own session when it is done."""
        self._closed = True
        self._drain()

    def _take(self) -> PostgresConnection:
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:  # another thread took the last one
                break
            if not connection.raw.closed:
                return connection
        return connect_postgres(self._place)

    def _give_back(self, connection: PostgresConnection) -> None:
        if not connection.raw.closed and not connection.raw.broken:
            connection.execute('ROLLBACK')
            self._idle.append(connection)
        if self._closed:  # asked after the append, so that a close meanwhile misses none
            self._drain()

    def _drain(self) -> None:
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:  # another thread took the last one
                return
            connection.close()
