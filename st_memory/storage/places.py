"""A memory by its place: a file, or an address of a PostgreSQL server."""

from __future__ import annotations

import os

from st_memory.storage.postgres_place import import_psycopg, is_postgres
from st_memory.storage.sql_store import SqlMemoryStore
from st_memory.storage.sqlite_store import SqliteMemoryStore

__all__ = ['open_memory']


def open_memory(
    place: str | os.PathLike[str], *, read_only: bool = False, robot_id: str | None = None
) -> SqlMemoryStore:
    """
    Open a memory; unless it is only read it is made when missing.

    Parameters
    ----------
    place : str or path-like
        A file, or ``postgresql://user@host:port/database#memory``.
    read_only : bool
        Never write.
    robot_id : str, optional
        Whose the frames committed from now on are; None for that of the newest frame.

    Raises
    ------
    StoreError
        If it cannot be opened; see :meth:`SqliteMemoryStore.open`.
    MissingExtraError
        If a server is named and psycopg is not installed.

    """
    if not is_postgres(os.fspath(place)):
        return SqliteMemoryStore.open(place, read_only=read_only, robot_id=robot_id)
    import_psycopg()
    from st_memory.storage.postgres_store import PostgresMemoryStore

    return PostgresMemoryStore.open(os.fspath(place), read_only=read_only, robot_id=robot_id)
