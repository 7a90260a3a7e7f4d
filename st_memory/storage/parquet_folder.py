"""
A memory as a folder of Parquet files, one a table, for tools that analyse many memories.

``manifest.json`` names each file with its rows and its SHA-256: a folder that lacks something or
was changed is told from a whole one before anything is read of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, ExitStack
import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from st_memory.core.errors import StoreError
from st_memory.core.ports import StoredFrame
from st_memory.core.records import Scene
from st_memory.storage.exchange import (
    fixture_of,
    FORMAT,
    frame_of,
    part_of,
    plain_part,
    WholeMemory,
)
from st_memory.storage.parquet_tables import plain_of_rows, rows_of, SCHEMAS
from st_memory.storage.plain_records import to_plain

__all__ = ['read_parquet', 'write_parquet']

_MANIFEST = 'manifest.json'
_ROWS_AT_ONCE = 20_000
_OF_FRAMES = tuple(name for name in SCHEMAS if name not in ('frames', 'scene_parts'))
_OF_FRAMES = tuple(name for name in _OF_FRAMES if name != 'scene_fixtures')


def write_parquet(folder: Path, memory: WholeMemory) -> int:
    """Write a memory to a new folder; give the number of its frames."""
    folder.mkdir()
    counts: Counter[str] = Counter()
    with ExitStack() as stack:
        tables = {
            name: stack.enter_context(_Table(_file(folder, name), schema))
            for name, schema in SCHEMAS.items()
        }
        for name, row in _rows(memory):
            tables[name].add(row)
            counts[name] += 1
    files = {
        name: {'rows': counts[name], 'sha256': _digest(_file(folder, name))} for name in SCHEMAS
    }
    manifest = {'kind': 'st_memory', 'format': FORMAT, 'files': files}
    (folder / _MANIFEST).write_text(json.dumps(manifest, indent=2) + '\n', encoding='utf-8')
    return counts['frames']


def _rows(memory: WholeMemory) -> Iterator[tuple[str, dict[str, Any]]]:
    for part in memory.scene.parts:
        yield 'scene_parts', plain_part(part)
    for fixture in memory.scene.fixtures:
        yield 'scene_fixtures', to_plain(fixture)
    for stored in memory.frames:
        yield from rows_of(stored)


@contextmanager
def read_parquet(folder: Path) -> Iterator[WholeMemory]:
    """
    Read a memory; its frames are read as they are asked for.

    Raises
    ------
    StoreError
        If the folder is none, of a later format, or a file is missing or was changed.

    """
    _check(folder)
    try:
        parts = tuple(part_of(row) for row in _read(folder, 'scene_parts'))
        fixtures = tuple(fixture_of(row) for row in _read(folder, 'scene_fixtures'))
        yield WholeMemory(Scene(parts, fixtures), _frames(folder))
    except (pa.ArrowException, ValueError, KeyError, TypeError) as error:
        reason = ' '.join(str(error).split())[:300]
        raise StoreError(f'{folder}: cannot be read: {reason}') from error


def _frames(folder: Path) -> Iterator[StoredFrame]:
    streams = {name: _Stream(_read(folder, name)) for name in _OF_FRAMES}
    for frame in _read(folder, 'frames'):
        rows = {name: stream.take(frame['seq']) for name, stream in streams.items()}
        yield frame_of(plain_of_rows(frame, rows))
    for name, stream in streams.items():
        if stream.has_more:
            raise StoreError(f'{folder}: {name} has a row of a frame that is not in frames')


class _Table:
    """Rows on their way to a file."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._schema = schema
        self._rows: list[dict[str, Any]] = []
        self._writer = pq.ParquetWriter(path, schema, compression='zstd')

    def add(self, row: dict[str, Any]) -> None:
        """Write a row, sooner or later."""
        self._rows.append(row)
        if len(self._rows) >= _ROWS_AT_ONCE:
            self._flush()

    def __enter__(self) -> _Table:
        return self

    def __exit__(self, *exc: object) -> None:
        try:
            self._flush()
        finally:
            self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, self._schema))
            self._rows.clear()


class _Stream:
    """Rows in the order of their frames, handed out frame by frame."""

    def __init__(self, rows: Iterator[dict[str, Any]]) -> None:
        self._rows = rows
        self._next = next(rows, None)

    @property
    def has_more(self) -> bool:
        """Whether a row is left."""
        return self._next is not None

    def take(self, seq: int) -> list[dict[str, Any]]:
        """Give the rows of a frame, without its number."""
        taken = []
        while self._next is not None and self._next['frame_seq'] == seq:
            del self._next['frame_seq']
            taken.append(self._next)
            self._next = next(self._rows, None)
        return taken


def _read(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    with pq.ParquetFile(_file(folder, name)) as file:
        if file.schema_arrow != SCHEMAS[name]:
            raise ValueError(f'{name}.parquet has other columns than this version writes')
        for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE):
            yield from batch.to_pylist()


def _check(folder: Path) -> None:
    """Compare every file with what the manifest says of it."""
    try:
        manifest = json.loads((folder / _MANIFEST).read_bytes())
        kind, found, files = manifest['kind'], manifest['format'], manifest['files']
        digests = {name: files[name]['sha256'] for name in SCHEMAS}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f'{folder}: expected a folder that st_memory export wrote, found no {_MANIFEST} of one'
        ) from error
    if kind != 'st_memory' or found != FORMAT:
        raise StoreError(f'{folder}: expected format {FORMAT}, found {str(found)[:80]}')
    for name, digest in digests.items():
        if _digest(_file(folder, name)) != digest:
            raise StoreError(
                f'{_file(folder, name)}: the file was changed or cut short: its SHA-256 is not '
                f'the one in {_MANIFEST}'
            )


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open('rb') as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise StoreError(f'{path}: cannot be read: {error.strerror}') from error
    return digest.hexdigest()


def _file(folder: Path, name: str) -> Path:
    return folder / f'{name}.parquet'
