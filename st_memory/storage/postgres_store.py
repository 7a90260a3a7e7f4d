"""The store of a fleet: several memories in one PostgreSQL server, one transaction a frame."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from st_memory.core.errors import StoreError
from st_memory.storage.postgres_connection import (
    connect_postgres,
    one_line_postgres_errors,
    PostgresConnection,
    PostgresPool,
)
from st_memory.storage.postgres_place import place_of, PostgresPlace
from st_memory.storage.postgres_schema import check_postgres, migrate_postgres
from st_memory.storage.sql_store import SqlMemoryStore
from st_memory.storage.sql_writer import SqlWriter
from st_memory.storage.writer_lock import BEING_WRITTEN

__all__ = ['PostgresMemoryStore']

# Held by the session that writes a memory: the server lets go of it when the writer dies.
_LOCK = 'SELECT pg_try_advisory_lock(1398033741, hashtext(?))'


class PostgresMemoryStore(SqlMemoryStore):
    """
    A ``MemoryStore`` in a schema of a PostgreSQL database; make one with :meth:`open`.

    One writer a memory, any number of readers in any thread or process while it writes. Methods
    may be called from any thread; commits of several threads take turns.
    """

    @classmethod
    def open(
        cls, url: str, *, read_only: bool = False, robot_id: str | None = None
    ) -> PostgresMemoryStore:
        """
        Open a memory; makes it when missing, and brings an older schema up to date.

        Parameters
        ----------
        url : str
            ``postgresql://user@host:port/database#memory``. The database must exist, in UTF-8; a
            password is best left to ``~/.pgpass`` or PGPASSWORD, and is never shown.
        read_only : bool
            Never write.
        robot_id : str, optional
            Whose the frames committed from now on are; None for that of the newest frame, or a
            random one that the memory keeps.

        Raises
        ------
        StoreError
            If the memory is missing (read-only), another program's, or being written by another
            process, or the server refuses.
        SchemaVersionError
            If a later version of ``st_memory`` wrote it.
        MissingExtraError
            If psycopg is not installed.

        """
        place = place_of(url)
        if read_only:
            with one_line_postgres_errors(place.name, 'read'):
                connection = connect_postgres(place)
                try:
                    check_postgres(connection, place, complete=True)
                finally:
                    connection.close()
            return cls(place.name, PostgresPool(place), None)
        medium = _PostgresMedium(place)
        try:
            writer = SqlWriter(medium, robot_id)
        except BaseException:
            medium.close()
            raise
        return cls(place.name, PostgresPool(place), writer)


class _PostgresMedium:
    """The one session that writes, and the lock that keeps it the one."""

    def __init__(self, place: PostgresPlace) -> None:
        self.name = place.name
        with self.errors('open'):
            self.connection: PostgresConnection = connect_postgres(place)
            try:
                found = check_postgres(self.connection, place)
                (is_mine,) = self.connection.execute(_LOCK, (place.memory,)).fetchone()
                if not is_mine:
                    raise StoreError(f'{place.name}: {BEING_WRITTEN}')
                migrate_postgres(self.connection, place, found)
            except BaseException:
                self.connection.close()
                raise

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the body in one transaction: all of it or nothing."""
        # In a pipeline only statements whose rows are asked for wait for the server.
        with self.connection.raw.pipeline(), self.connection.raw.transaction():
            yield

    def reclaim(self) -> None:
        """Let the server use the space of deleted rows again."""
        self.connection.raw.execute('VACUUM observation')

    def errors(self, doing: str) -> AbstractContextManager[None]:
        """Turn what the server raises into one line."""
        return one_line_postgres_errors(self.name, doing)

    def close(self) -> None:
        """End the session, and with it the lock."""
        self.connection.close()
