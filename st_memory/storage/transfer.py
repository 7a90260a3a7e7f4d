"""Memories from one place to another: into files and out of them, and from a robot to a fleet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

from st_memory.core.errors import MissingExtraError, StoreError
from st_memory.core.ports import FrameName, MemoryReader
from st_memory.storage.exchange import is_same_scene, WholeMemory, written_whole
from st_memory.storage.jsonl_file import read_jsonl, write_jsonl
from st_memory.storage.sql_store import SqlMemoryStore
from st_memory.storage.sqlite_store import SqliteMemoryStore

__all__ = ['check_format', 'export_memory', 'feed_memory', 'import_memory']


class _Format(NamedTuple):
    """How a memory is written and read."""

    write: Callable[[Path, WholeMemory], int]
    read: Callable[[Path], AbstractContextManager[WholeMemory]]


def _format_of(path: Path) -> _Format:
    if path.suffix == '.jsonl':
        return _Format(write_jsonl, read_jsonl)
    if path.suffix != '.parquet':
        raise StoreError(f'{path}: expected a name that ends in .jsonl or .parquet')
    try:
        from st_memory.storage.parquet_folder import read_parquet, write_parquet
    except ImportError as error:
        raise MissingExtraError('pyarrow', 'parquet', 'a memory in Parquet files') from error

    return _Format(write_parquet, read_parquet)


def check_format(path: Path) -> None:
    """
    Refuse a name that says of no format what it is, or one whose extra is not installed.

    Raises
    ------
    StoreError, MissingExtraError
        With what is expected.

    """
    _format_of(path)


def export_memory(reader: MemoryReader, path: Path, *, overwrite: bool = False) -> int:
    """
    Write all of a memory as of now, without loss.

    Parameters
    ----------
    reader : MemoryReader
        The memory; it may be written to meanwhile.
    path : Path
        ``.jsonl`` (a file of JSON lines) or ``.parquet`` (a folder).
    overwrite : bool
        Replace what is there.

    Returns
    -------
    int
        Number of frames.

    Raises
    ------
    StoreError
        If it is there already, has another ending, or cannot be written; nothing is left then.
        What no export wrote is not replaced: a folder of that name, or one with other files.
    MissingExtraError
        If Parquet is asked for and pyarrow is not installed.

    """
    form = _format_of(path)
    _check_replaceable(path)
    with written_whole(path, overwrite=overwrite) as draft:
        return form.write(draft, WholeMemory(reader.scene(), reader.deltas_after(-1)))


def _check_replaceable(path: Path) -> None:
    """Refuse to put an export in the place of what is none; a missing place is fine."""
    is_folder = path.suffix == '.parquet'
    try:
        if not path.exists():
            return
        if path.is_dir() is not is_folder:
            kinds = ('a folder', 'a file') if is_folder else ('a file', 'a folder')
            raise StoreError(f'{path}: expected {kinds[0]} of that ending, found {kinds[1]}')
        names = sorted(p.name for p in path.iterdir()) if is_folder else []
    except OSError as error:
        raise StoreError(f'{path}: cannot be written: {error.strerror}') from error
    for name in names:
        if name != 'manifest.json' and not name.endswith('.parquet'):
            raise StoreError(f'{path}: holds {name!r}, which no export wrote')


def import_memory(path: Path, db: Path, *, overwrite: bool = False) -> int:
    """
    Make a memory file of what :func:`export_memory` wrote.

    Parameters
    ----------
    path : Path
        ``.jsonl`` or ``.parquet``.
    db : Path
        The memory file to make; it is there when, and only when, all of it is right.
    overwrite : bool
        Replace a memory that nobody writes to.

    Returns
    -------
    int
        Number of frames.

    Raises
    ------
    StoreError
        If ``db`` is there already, or what is read is cut short, changed, or no such thing.
    MissingExtraError
        If pyarrow is needed and not installed.

    """
    form = _format_of(path)
    if db.exists() and overwrite:
        SqliteMemoryStore.open(db).close()  # refuses a strange file and one being written
    with (
        written_whole(db, overwrite=overwrite) as draft,
        form.read(path) as memory,
        _naming(path, draft, db),
        SqliteMemoryStore.open(draft) as store,
    ):
        store.put_scene(memory.scene)
        return store.restore_all(memory.frames)


@contextmanager
def _naming(path: Path, draft: Path, db: Path) -> Iterator[None]:
    """Let errors name what was read and what was to be made, and not the draft of it."""
    try:
        yield
    except (StoreError, ValueError) as error:
        line = str(error).replace(str(draft), str(db))
        is_named = str(path) in line or str(db) in line
        raise StoreError(line if is_named else f'{path}: {line}') from error


def feed_memory(source: MemoryReader, target: SqlMemoryStore) -> int:
    """
    Bring a copy of a memory up to date: append the frames that it lacks, and the scene.

    A frame's name is (robot, boot, seq): the copy's newest frame must be the source's frame of
    that number.

    Returns
    -------
    int
        Number of frames appended.

    Raises
    ------
    StoreError
        If the copy is one of another memory, or either medium refuses. What was appended stays;
        feeding again goes on from there.

    """
    checkpoint = target.checkpoint()
    newest = -1 if checkpoint is None else checkpoint.frame.seq
    if checkpoint is not None:
        _check_copy(source, target, newest)
    scene = source.scene()
    if not is_same_scene(scene, target.scene()):
        target.put_scene(scene)
    return target.restore_all(source.deltas_after(newest))


def _check_copy(source: MemoryReader, target: MemoryReader, newest: int) -> None:
    ours, theirs = source.frame_at(newest), target.frame_at(newest)
    if ours == theirs:
        return
    if theirs is None:
        raise StoreError(f'the copy is of another memory: it has no frame {newest}')
    found = 'has no such frame'
    if ours is not None:
        found = f'has one that {_told(ours, theirs)}'
    raise StoreError(
        'the copy is of another memory, or went on by itself since it was one: its frame '
        f'{newest} {_told(theirs, ours)}, the source {found}'
    )


def _told(one: FrameName, other: FrameName | None) -> str:
    """Say of a frame what the other one does not share."""
    said = {
        f'is of {one.moment}': other is None or one.moment != other.moment,
        f'is of robot {one.origin.robot_id!r}': other is None
        or one.origin.robot_id != other.origin.robot_id,
        f'was written in boot {one.origin.boot_id}': other is None
        or one.origin.boot_id != other.origin.boot_id,
    }
    return ' and '.join(text for text, differs in said.items() if differs)
