"""Find the files of a bag, and say in one line what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, ExitStack
from pathlib import Path
import shutil
import sqlite3
import struct
import tempfile
import zlib

import apsw
from backports import zstd
from rosbags.highlevel import AnyReaderError
from rosbags.rosbag1 import ReaderError as Reader1Error
from rosbags.rosbag2 import ReaderError as Reader2Error
from rosbags.serde import SerdeError
from rosbags.typesys import TypesysError

from st_memory.core.errors import BagError

__all__ = ['locate', 'reading_errors']

_SUFFIXES = ('.mcap', '.db3', '.bag')
_MAGIC = {
    '.mcap': b'\x89MCAP0\r\n',
    '.db3': b'SQLite format 3\x00',
    '.bag': b'#ROSBAG V2.0\n',
}
# What the library says, and what it means.
_HINTS = {
    'Profile is not ros2': 'its MCAP profile is not ros2, so its messages cannot be read',
    'seems to be empty': 'the file is empty (0 bytes)',
    'end magic': 'the file is cut off: it does not end as MCAP (was the recorder killed?)',
    'Invalid MCAP footer': 'the file is cut off: it does not end as MCAP',
    'Truncated record': 'the file is cut off',
    'index': 'the file is cut off: it has no index (rosbag reindex may repair it)',
}


def locate(path: Path, stack: ExitStack) -> list[Path]:
    """
    Give the files that the library opens for a path.

    Parameters
    ----------
    path : Path
        A file, a rosbag2 folder, or a folder of bag files without ``metadata.yaml``.
    stack : ExitStack
        Takes temporary copies along.

    Raises
    ------
    BagError
        If there is nothing, or something that is not a bag.

    """
    if not path.exists():
        raise BagError(f'{path}: no such file or folder')
    if path.is_dir():
        if (path / 'metadata.yaml').exists():
            for file in sorted(path.glob('*.db3')):
                _check_magic(file)
            return [_with_journals(path, stack)]
        files = sorted(p for p in path.iterdir() if p.suffix in _SUFFIXES)
        if len({p.suffix for p in files}) != 1:
            raise BagError(
                f'{path}: expected a bag folder with metadata.yaml or bag files of one kind, '
                f'found {len(files)} bag files'
            )
    else:
        files = [path]
    for file in files:
        _check_magic(file)
    if any(_has_journal(file) for file in files):
        folder = _fold_journals(files, stack)
        return [folder / file.name for file in files]
    return files


def _check_magic(file: Path) -> None:
    """Refuse what is not a bag before a library guesses from its name."""
    if file.suffix not in _MAGIC:
        raise BagError(f'{file}: not a bag: expected .mcap, .db3, .bag or a rosbag2 folder')
    magic = _MAGIC[file.suffix]
    try:
        with file.open('rb') as stream:
            start = stream.read(len(magic))
    except OSError as error:
        raise BagError(f'{file}: cannot be read: {error.strerror}') from error
    if not start:
        raise BagError(f'{file}: the file is empty (0 bytes)')
    if start != magic:
        raise BagError(f'{file}: not a bag: it does not begin as a {file.suffix} file')
    if file.suffix == '.db3':
        _check_database_size(file)


def _check_database_size(file: Path) -> None:
    """
    Refuse a database that lost its end; SQLite notices only when it comes to a missing page.

    References
    ----------
    "Database File Format", sqlite.org: page size at byte 16, size in pages at byte 28, valid if
    the counters at bytes 24 and 92 agree.

    """
    with file.open('rb') as stream:
        header = stream.read(100)
    page_size, changes, num_pages, valid_for = struct.unpack_from(
        '>16xH6xII60xI', header + b'\0' * 100
    )
    expected = num_pages * (65536 if page_size == 1 else page_size)
    if changes == valid_for and file.stat().st_size < expected:
        raise BagError(
            f'{file}: the database is damaged or cut off: it has {file.stat().st_size} bytes '
            f'of {expected}'
        )


def _has_journal(file: Path) -> bool:
    journal = file.with_name(f'{file.name}-wal')
    return file.suffix == '.db3' and journal.exists() and journal.stat().st_size > 0


def _with_journals(path: Path, stack: ExitStack) -> Path:
    """Give a rosbag2 folder whose databases are complete in themselves."""
    files = sorted(path.glob('*.db3'))
    if not any(_has_journal(file) for file in files):
        return path
    folder = _fold_journals(files, stack)
    shutil.copyfile(path / 'metadata.yaml', folder / 'metadata.yaml')
    return folder


def _fold_journals(files: list[Path], stack: ExitStack) -> Path:
    """
    Copy databases to a temporary folder and fold their journals in.

    The library opens databases as immutable and so misses what still stands in a journal
    (``-wal``) that an unclean stop left; it is never folded in in place.
    """
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix='st_memory_bag_')))
    for file in files:
        shutil.copyfile(file, folder / file.name)
        if _has_journal(file):
            shutil.copyfile(file.with_name(f'{file.name}-wal'), folder / f'{file.name}-wal')
        with closing(sqlite3.connect(folder / file.name)) as connection:
            connection.execute('PRAGMA wal_checkpoint(TRUNCATE)')
    return folder


@contextmanager
def reading_errors(path: Path, what: str = '') -> Iterator[None]:
    """Turn what the reading libraries raise into a BagError of one line."""
    try:
        yield
    except (AnyReaderError, Reader1Error, Reader2Error, SerdeError, TypesysError) as error:
        raise BagError(f'{path}: {_explain(str(error), what)}') from error
    except (apsw.Error, sqlite3.DatabaseError) as error:
        raise BagError(f'{path}: the database is damaged or cut off ({error})') from error
    except (
        AssertionError,
        EOFError,
        IndexError,
        KeyError,
        OSError,
        RuntimeError,
        TypeError,
        ValueError,
        struct.error,
        zlib.error,
        zstd.ZstdError,
    ) as error:
        # Damaged bytes surface from the libraries as any of these.
        detail = f'{type(error).__name__}: {error}'.splitlines()[0]
        raise BagError(f'{path}: {what or "the bag"} is damaged or cut off ({detail})') from error


def _explain(text: str, what: str) -> str:
    for sign, meaning in _HINTS.items():
        if sign in text:
            return meaning
    line = ' '.join(text.split())
    return f'{what} cannot be read: {line}' if what else line
