"""Ways into a memory file: what is not ours is refused before anything is written."""

from __future__ import annotations

import os
from pathlib import Path
import sqlite3

from st_memory.core.errors import StoreError
from st_memory.storage.connections import connect, ConnectionPool, one_line_errors
from st_memory.storage.migrations import check, migrate, RECORDING
from st_memory.storage.writer_lock import WriterLock

__all__ = ['check_place', 'check_writable', 'reading_pool', 'writing_connection']

_MCAP_MAGIC = b'\x89MCAP0\r\n'


def check_place(path: Path, *, must_exist: bool) -> None:
    """Say what is wrong with a path before SQLite says it in fewer words."""
    try:
        if (path / 'metadata.yaml').is_file() or _is_mcap(path):
            raise StoreError(f'{path}: {RECORDING}')
        if path.is_dir():
            raise StoreError(f'{path}: expected a memory file, found a folder')
        if must_exist and not path.exists():
            raise StoreError(f'{path}: no such file')
        if not path.parent.is_dir():
            raise StoreError(f'{path}: the folder {path.parent} does not exist')
    except OSError as error:  # a name that is too long, a folder that may not be looked into
        raise StoreError(f'{path}: {error.strerror}') from error


def _is_mcap(path: Path) -> bool:
    """Whether a file begins as a recording does; what cannot be read is SQLite's to say."""
    try:
        with path.open('rb') as file:
            return file.read(len(_MCAP_MAGIC)) == _MCAP_MAGIC
    except OSError:
        return False


def check_writable(path: Path) -> None:
    """
    Refuse at once what another writer has open, before all that an edit needs is loaded.

    Raises
    ------
    StoreError
        If it is no memory file, or another writer holds it; opening it still may fail.

    """
    check_place(path, must_exist=True)
    WriterLock(path).release()


def writing_connection(path: Path, synchronous: str) -> sqlite3.Connection:
    """Open, check, switch to WAL and migrate, in this order: a strange file stays untouched."""
    connection = connect(path, 'rwc')
    try:
        if not os.access(path, os.W_OK):  # SQLite would only say so at the first frame
            raise StoreError(f'{path}: cannot be opened for writing: the file is read-only')
        check(connection, path)
        (mode,) = connection.execute('PRAGMA journal_mode = WAL').fetchone()
        if mode != 'wal':
            raise StoreError(f'{path}: expected a medium that can do WAL, got mode {mode!r}')
        connection.execute(f'PRAGMA synchronous = {synchronous.upper()}')
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def reading_pool(path: Path) -> ConnectionPool:
    """
    Open for reading; a file in a folder where nobody can write is read without locks.

    Raises
    ------
    StoreError
        If the file is missing, no memory file, or cannot be read.
    SchemaVersionError
        If its schema is not the one of this version.

    """
    check_place(path, must_exist=True)
    with one_line_errors(path, 'read'):
        try:
            connection, mode = connect(path, 'ro'), 'ro'
        except sqlite3.OperationalError:
            log = path.with_name(path.name + '-wal')
            if log.exists() and log.stat().st_size:
                raise  # frames in the log would be missed
            connection, mode = connect(path, 'immutable'), 'immutable'
        try:
            check(connection, path, complete=True)
        finally:
            connection.close()
    return ConnectionPool(path, mode)
