"""Where a memory lies in a PostgreSQL server, without its password."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

from st_memory.core.errors import MissingExtraError, StoreError

__all__ = ['PostgresPlace', 'import_psycopg', 'is_postgres', 'place_of']

_SCHEMES = ('postgresql://', 'postgres://')
_DEFAULT_MEMORY = 'memory'
_LONGEST_NAME = 63  # bytes; the server would cut a longer one short


@dataclass(frozen=True)
class PostgresPlace:
    """
    A memory of a server: several lie side by side in one database, each in its own schema.

    Parameters
    ----------
    dsn : str
        What libpq connects with; may hold a password and is never shown.
    memory : str
        Name of the schema.
    name : str
        What messages call it.

    """

    dsn: str
    memory: str
    name: str

    def __repr__(self) -> str:
        return f'PostgresPlace({self.name})'


def import_psycopg() -> ModuleType:
    """
    Import psycopg when it is first needed: it is an extra.

    Raises
    ------
    MissingExtraError
        If it is not installed.

    """
    try:
        import psycopg
    except ImportError as error:
        raise MissingExtraError('psycopg', 'fleet', 'a memory in PostgreSQL') from error
    return psycopg


def is_postgres(place: str) -> bool:
    """Whether a place is an address of a server rather than a file."""
    return place.startswith(_SCHEMES)


def place_of(url: str) -> PostgresPlace:
    """
    Take ``postgresql://user@host:port/database#memory`` apart.

    Parameters
    ----------
    url : str
        Everything before ``#`` is a connection URI of libpq; the rest names the memory
        (``memory`` by default).

    Raises
    ------
    StoreError
        If it is none; the message does not repeat it, for it may hold a password.

    """
    psycopg = import_psycopg()
    dsn, _, memory = url.partition('#')
    memory = memory or _DEFAULT_MEMORY
    try:
        if not is_postgres(dsn):
            raise ValueError(dsn)
        found = psycopg.conninfo.conninfo_to_dict(dsn)
    except (ValueError, psycopg.Error) as error:
        del error  # it repeats what was given
        raise StoreError(
            'expected postgresql://user@host:port/database#memory, found something else'
        ) from None
    size = len(memory.encode('utf-8', 'replace'))
    if size > _LONGEST_NAME or '\x00' in memory or memory.startswith('pg_'):
        raise StoreError(
            f'memory {memory[:80]!r}: expected a name of at most {_LONGEST_NAME} bytes that does '
            f"not begin with 'pg_', found {size} bytes"
        )
    user = f'{found["user"]}@' if 'user' in found else ''
    port = f':{found["port"]}' if 'port' in found else ''
    where = f'{user}{found.get("host", "")}{port}/{found.get("dbname", "")}'
    return PostgresPlace(dsn, memory, f'postgresql://{where}#{memory}')
