"""Ways into a memory file: what is not ours is refused before anything is written."""

from __future__ import annotations

import os
from pathlib import Path
import sqlite3

from st_memory.core.errors import StoreError
from st_memory.storage.connections import connect, ConnectionPool, one_line_errors
from st_memory.storage.migrations import check, migrate

__all__ = ['check_place', 'reading_pool', 'writing_connection']


def check_place(path: Path, *, must_exist: bool) -> None:
    """Say what is wrong with a path before SQLite says it in fewer words."""
    if path.is_dir():
        raise StoreError(f'{path}: expected a memory file, found a folder')
    if must_exist and not path.exists():
        raise StoreError(f'{path}: no such file')
    if not path.parent.is_dir():
        raise StoreError(f'{path}: the folder {path.parent} does not exist')


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
