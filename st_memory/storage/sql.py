"""What the readers and writers of rows need of a database: SQL that both engines understand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

__all__ = ['Rows', 'SnapshotPool', 'SqlConnection']


class Rows(Protocol):
    """What a statement gives: rows as tuples, floats bit by bit."""

    def fetchone(self) -> Any:
        """Next row, or None."""

    def fetchall(self) -> list[Any]:
        """All rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...


class SqlConnection(Protocol):
    """A connection inside a transaction; values are bound to ``?``."""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Rows:
        """Run one statement."""

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> object:
        """Run one statement for each row of values."""


class SnapshotPool(Protocol):
    """Connections to read with, from any thread."""

    def snapshot(self) -> AbstractContextManager[SqlConnection]:
        """Give a connection on which all reads see the same committed frames."""

    def close(self) -> None:
        """Release what is idle; further calls of :meth:`snapshot` raise ``StoreError``."""

    def stream(
        self, connection: SqlConnection, sql: str, parameters: Sequence[Any], /
    ) -> Iterator[Any]:
        """Give the rows of a query one by one, however many there are."""
