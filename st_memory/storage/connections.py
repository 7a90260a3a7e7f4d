"""Connections to one memory file, and its errors as one line each."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
import sqlite3
from typing import Any
from urllib.parse import quote

from st_memory.core.errors import StoreError
from st_memory.storage.codec import wrap
from st_memory.storage.sql import SqlConnection

__all__ = ['ConnectionPool', 'connect', 'one_line_errors', 'transaction']

# Long enough for another reader's checkpoint, short enough to tell a planner.
_BUSY_TIMEOUT_S = 5.0


@contextmanager
def one_line_errors(path: Path, doing: str) -> Iterator[None]:
    """
    Turn what SQLite and its value conversion raise into one clear line.

    Raises
    ------
    StoreError
        ``<path>: cannot <doing>: <reason>``.

    """
    try:
        yield
    except (sqlite3.Error, OverflowError, UnicodeEncodeError) as err:
        reason = ' '.join(str(err).split())
        raise StoreError(f'{path}: cannot {doing}: {reason}') from err


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """
    Open a connection in autocommit mode that any one thread at a time may use.

    Parameters
    ----------
    path : Path
        The file.
    mode : str
        ``ro`` (never writes), ``rwc`` (makes the file when missing), or ``immutable`` (nobody
        writes: a file on a read-only medium).

    """
    flag = 'immutable=1' if mode == 'immutable' else f'mode={mode}'
    connection = sqlite3.connect(
        f'file:{quote(str(path.absolute()))}?{flag}',
        uri=True,
        timeout=_BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.create_function('stamp_sum', 2, _stamp_sum, deterministic=True)
    try:
        connection.execute('PRAGMA schema_version').fetchone()  # the first access to the file
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _stamp_sum(stamp_ns: int, difference: int | None) -> int:
    """Add a wrapped difference, NULL for none."""
    return wrap(stamp_ns + (difference or 0))


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Run the body in one write transaction: all of it or nothing."""
    connection.execute('BEGIN IMMEDIATE')
    try:
        yield connection
        connection.execute('COMMIT')
    except BaseException:
        if connection.in_transaction:  # SQLite itself rolls back when the disk is full
            connection.execute('ROLLBACK')
        raise


class ConnectionPool:
    """
    Read-only connections, one for every read in flight, so that any thread may read.

    Parameters
    ----------
    path : Path
        The file.
    mode : str
        As in :func:`connect`: ``ro`` or ``immutable``.

    """

    def __init__(self, path: Path, mode: str) -> None:
        self.path = path
        self._mode = mode
        self._idle: deque[sqlite3.Connection] = deque()
        self._closed = False

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """
        Give a connection on which all reads of the body see the same committed frames.

        Raises
        ------
        StoreError
            If the pool is closed or the file cannot be read.

        """
        if self._closed:
            raise StoreError(f'{self.path}: memory is closed')
        with one_line_errors(self.path, 'read'):
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = connect(self.path, self._mode)
            try:
                connection.execute('BEGIN')
                yield connection
            finally:
                self._give_back(connection)

    def stream(
        self, connection: SqlConnection, sql: str, parameters: Sequence[Any], /
    ) -> Iterator[Any]:
        """Give the rows of a query one by one, however many there are."""
        return iter(connection.execute(sql, parameters))

    def _give_back(self, connection: sqlite3.Connection) -> None:
        if connection.in_transaction:
            connection.execute('ROLLBACK')
        self._idle.append(connection)
        if self._closed:  # asked after the append, so that a close meanwhile misses none
            self._drain()

    def close(self) -> None:
        """Close what is idle; a read in flight closes its own connection when it is done."""
        self._closed = True
        self._drain()

    def _drain(self) -> None:
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:  # another thread took the last one
                return
            connection.close()
