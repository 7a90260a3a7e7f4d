"""What a memory file holds, at a glance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
import os
from pathlib import Path
import sqlite3

from st_memory.core.records import LifeCycle
from st_memory.core.stamps import Moment
from st_memory.storage.migrations import applied
from st_memory.storage.opening import reading_pool

__all__ = ['EpochSummary', 'StoreSummary', 'inspect']


@dataclass(frozen=True)
class EpochSummary:
    """
    First and last stamp of an epoch, and the number of its frames and objects.

    Parameters
    ----------
    epoch, first_ns, last_ns, num_frames : int
        The epoch, its stamps, and how many frames it has.
    num_objects : int
        Objects that are told of at its end, with those that are gone from their place.
    num_retired : int
        Others, merged into one of these or forgotten by a person.

    """

    epoch: int
    first_ns: int
    last_ns: int
    num_frames: int
    num_objects: int
    num_retired: int = 0


@dataclass(frozen=True)
class StoreSummary:
    """
    What :func:`inspect` found.

    Parameters
    ----------
    path : str
        The file.
    migrations : tuple of str
        Names of the schema's steps, in order.
    counts : mapping of str to int
        Rows by table name, sorted by name.
    epochs : tuple of EpochSummary
        Ascending.
    size_bytes : int
        Size of the file and its write-ahead log.

    """

    path: str
    migrations: tuple[str, ...]
    counts: Mapping[str, int]
    epochs: tuple[EpochSummary, ...]
    size_bytes: int

    @property
    def schema_version(self) -> int:
        """Number of migrations the file has."""
        return len(self.migrations)

    @property
    def first_moment(self) -> Moment | None:
        """Moment of the first frame; None for an empty memory."""
        return Moment(self.epochs[0].epoch, self.epochs[0].first_ns) if self.epochs else None

    @property
    def last_moment(self) -> Moment | None:
        """Moment of the newest frame; None for an empty memory."""
        return Moment(self.epochs[-1].epoch, self.epochs[-1].last_ns) if self.epochs else None


def inspect(path: str | os.PathLike[str]) -> StoreSummary:
    """
    Count what a memory file holds; writes nothing.

    Raises
    ------
    StoreError
        If the file is missing or no memory file.

    Notes
    -----
    Reads every table once: seconds for a file of gigabytes.

    """
    file = Path(path)
    pool = reading_pool(file)
    try:
        with pool.snapshot() as connection:
            migrations = applied(connection)
            counts = _counts(connection)
            epochs = _epochs(connection)
    finally:
        pool.close()
    log = file.with_name(file.name + '-wal')
    size = file.stat().st_size + (log.stat().st_size if log.exists() else 0)
    return StoreSummary(str(file), migrations, counts, epochs, size)


def _counts(connection: sqlite3.Connection) -> dict[str, int]:
    tables = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
        "AND name NOT GLOB 'here_*' ORDER BY name"
    ).fetchall()
    return {
        name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
        for (name,) in tables
    }


def _epochs(connection: sqlite3.Connection) -> tuple[EpochSummary, ...]:
    rows = connection.execute(
        'SELECT e.epoch, e.first_ns, max(f.stamp_ns), count(f.seq), '
        '(SELECT count(*) FROM known k WHERE k.epoch = e.epoch), '
        '(SELECT count(*) FROM known k JOIN slow_state s ON s.id = ('
        'SELECT v.slow FROM version v WHERE v.object = k.object AND v.epoch = k.epoch '
        'ORDER BY v.stamp_ns DESC LIMIT 1) '
        'WHERE k.epoch = e.epoch AND s.life_cycle = ?) '
        'FROM epoch e JOIN frame f ON f.epoch = e.epoch GROUP BY e.epoch ORDER BY e.epoch',
        (int(LifeCycle.RETIRED),),
    )
    return tuple(
        EpochSummary(epoch, first_ns, last_ns, num_frames, num_known - num_retired, num_retired)
        for epoch, first_ns, last_ns, num_frames, num_known, num_retired in rows
    )
