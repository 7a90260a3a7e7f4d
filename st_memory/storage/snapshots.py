"""Copies of a memory file that is being written, in one folder and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
import hashlib
import os
from pathlib import Path
import sqlite3
from typing import NamedTuple

from st_memory.core.errors import StoreError
from st_memory.core.stamps import Moment
from st_memory.storage.connections import connect, one_line_errors
from st_memory.storage.delta_checks import moment_of
from st_memory.storage.sqlite_store import SqliteMemoryStore

__all__ = ['Snapshot', 'checkpoint_file', 'snapshot_path', 'write_snapshot']

_CHUNK = 1 << 20
_LONGEST_NAME = 1000


class Snapshot(NamedTuple):
    """A file that was written, and the SHA-256 of its bytes ('' where it was not read)."""

    path: Path
    num_bytes: int
    sha256: str = ''


def snapshot_path(folder: str | os.PathLike[str], asked: str) -> Path:
    """
    Give the place of a new snapshot.

    Parameters
    ----------
    folder : path-like
        Where snapshots may be; '' for nowhere.
    asked : str
        A name in that folder, or an absolute path below it.

    Returns
    -------
    Path
        Absolute, with every link followed.

    Raises
    ------
    StoreError
        If there is no such folder, the place is not below it (by ``..``, a link or otherwise),
        its own folder is missing, or something is there already.

    """
    if not os.fspath(folder):
        raise StoreError('snapshot: no folder is configured for them (parameter snapshot_folder)')
    if not asked or len(asked) > _LONGEST_NAME or not asked.isprintable():
        raise StoreError(f'snapshot: expected the name of a new file, got {asked[:80]!r}')
    try:
        root = Path(folder).resolve(strict=True)
        place = (root / asked).resolve()
    except (OSError, RuntimeError) as error:
        reason = getattr(error, 'strerror', None) or 'links that lead in a circle'
        raise StoreError(f'snapshot: {asked!r} in {folder}: {reason}') from error
    if not root.is_dir():
        raise StoreError(f'snapshot: expected the folder {folder}, found a file')
    if place == root or not place.is_relative_to(root):
        raise StoreError(f'snapshot: expected a file below {root}, got {asked!r}')
    if not place.parent.is_dir():
        raise StoreError(f'snapshot: the folder {place.parent} does not exist')
    if os.path.lexists(place):
        raise StoreError(f'snapshot: {place} already exists')
    return place


def write_snapshot(store: SqliteMemoryStore, path: Path, at: Moment | None = None) -> Snapshot:
    """
    Write a complete copy of a memory; it may be written to meanwhile.

    Parameters
    ----------
    store : SqliteMemoryStore
        The memory.
    path : Path
        From :func:`snapshot_path`. The file appears there whole, or not at all.
    at : Moment, optional
        None for the newest one: the copy can be gone on with. Else it holds nothing later than
        that, answers as the memory did then, and is for questions only: what the fold thought
        at earlier moments is not kept.

    Raises
    ------
    StoreError
        If the medium refuses, or a file has come to be there meanwhile.

    """
    with _draft(path) as draft:
        if at is None:
            _copy(store.path, draft)
        else:
            _copy_until(store, draft, at)
    digest = hashlib.sha256()
    with path.open('rb') as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return Snapshot(path, path.stat().st_size, digest.hexdigest())


def checkpoint_file(store: SqliteMemoryStore) -> Snapshot:
    """
    Put on the medium whatever has been committed, so that a power cut takes nothing of it.

    Raises
    ------
    StoreError
        If the medium refuses, or readers keep the log for too long.

    """
    path = store.path.absolute()
    with one_line_errors(path, 'make durable'), closing(connect(path, 'rwc')) as connection:
        connection.execute('PRAGMA synchronous = FULL')
        is_busy, _, _ = connection.execute('PRAGMA wal_checkpoint(FULL)').fetchone()
    if is_busy:
        raise StoreError(f'{path}: cannot make durable: the memory is busy, try again')
    return Snapshot(path, path.stat().st_size)


@contextmanager
def _draft(path: Path) -> Iterator[Path]:
    """Give a place beside the file; what is written there becomes the file at the end."""
    draft = path.with_name(f'.{path.name[:200]}.{os.getpid()}.part')
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o644))
    except OSError as error:
        raise StoreError(f'{path}: cannot be written: {error.strerror}') from error
    try:
        yield draft
        with draft.open('rb') as stream:
            os.fsync(stream.fileno())
        os.link(draft, path)  # refuses to replace what has come to be there meanwhile
    except OSError as error:
        raise StoreError(f'{path}: cannot be written: {error.strerror}') from error
    finally:
        for end in ('', '-wal', '-shm', '-lock'):
            draft.with_name(draft.name + end).unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    with (
        one_line_errors(target, 'write'),
        closing(connect(source, 'ro')) as reader,
        closing(sqlite3.connect(target)) as writer,
    ):
        reader.backup(writer)  # all pages in one step: of one moment


def _copy_until(store: SqliteMemoryStore, target: Path, at: Moment) -> None:
    with SqliteMemoryStore.open(target) as copy:
        copy.put_scene(store.scene())
        for frame in store.deltas_after(-1):
            if moment_of(frame.delta.frame) > at:
                break
            copy.restore(frame)
