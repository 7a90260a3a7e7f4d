"""
A memory as JSON lines: a header, the scene, a line for each frame, and an end that vouches for it.

Floats have their shortest exact form, text is UTF-8. The last line holds the SHA-256 of all bytes
before it: a file that is cut short or was changed is told from a whole one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import hashlib
import json
from pathlib import Path
from typing import Any, BinaryIO

from st_memory.core.errors import StoreError
from st_memory.core.ports import StoredFrame
from st_memory.core.records import Fixture, Scene, ScenePart
from st_memory.storage.exchange import (
    fixture_of,
    FORMAT,
    frame_of,
    part_of,
    plain_frame,
    plain_part,
    WholeMemory,
)
from st_memory.storage.plain_records import to_plain

__all__ = ['read_jsonl', 'write_jsonl']


def write_jsonl(path: Path, memory: WholeMemory) -> int:
    """Write a memory to a new file; give the number of its frames."""
    digest, count = hashlib.sha256(), 0
    with path.open('wb') as stream:
        for kind, content in _lines(memory):
            line = _line(kind, content)
            digest.update(line)
            stream.write(line)
            count += kind == 'frame'
        stream.write(_line('end', {'num_frames': count, 'sha256': digest.hexdigest()}))
    return count


def _lines(memory: WholeMemory) -> Iterator[tuple[str, dict[str, Any]]]:
    yield 'st_memory', {'format': FORMAT}
    for part in memory.scene.parts:
        yield 'scene_part', plain_part(part)
    for fixture in memory.scene.fixtures:
        yield 'scene_fixture', to_plain(fixture)
    for stored in memory.frames:
        yield 'frame', plain_frame(stored)


def _line(kind: str, content: dict[str, Any]) -> bytes:
    text = json.dumps({'kind': kind, **content}, ensure_ascii=False, separators=(',', ':'))
    return text.encode('utf-8') + b'\n'


@contextmanager
def read_jsonl(path: Path) -> Iterator[WholeMemory]:
    """
    Read a memory; its frames are read as they are asked for.

    Raises
    ------
    StoreError
        At once or when its frame is reached: if the file is none, of a later format, cut short,
        or was changed. Only who has read all frames knows that all of it is right.

    """
    try:
        stream = path.open('rb')
    except OSError as error:
        raise StoreError(f'{path}: cannot be read: {error.strerror}') from error
    with stream:
        yield _memory(_Lines(path, stream))


def _memory(lines: _Lines) -> WholeMemory:
    parts: list[ScenePart] = []
    fixtures: list[Fixture] = []
    for kind, content in lines:
        if kind == 'scene_part':
            parts.append(lines.made(part_of, content))
        elif kind == 'scene_fixture':
            fixtures.append(lines.made(fixture_of, content))
        else:
            lines.push_back(kind, content)
            break
    scene = lines.made(lambda rows: Scene(*rows), (tuple(parts), tuple(fixtures)))
    return WholeMemory(scene, _frames(lines))


def _frames(lines: _Lines) -> Iterator[StoredFrame]:
    for kind, content in lines:
        if kind != 'frame':
            raise lines.error(f"expected 'frame', found {kind[:80]!r}")
        yield lines.made(frame_of, content)


class _Lines:
    """Lines of a file, checked as they are read."""

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self._path = path
        self._stream = stream
        self._number = 0
        self._pushed: tuple[str, dict[str, Any]] | None = None
        self._ended = False
        self._digest = hashlib.sha256()
        self._num_frames = 0
        kind, content = self._read()
        if kind != 'st_memory':
            raise self.error('expected the first line of an exported memory, found another')
        if content.get('format') != FORMAT:
            raise self.error(f'expected format {FORMAT}, found {str(content.get("format"))[:80]}')

    def __iter__(self) -> Iterator[tuple[str, dict[str, Any]]]:
        while not self._ended:
            if self._pushed is not None:
                pushed, self._pushed = self._pushed, None
                yield pushed
                continue
            before = self._digest.hexdigest()
            kind, content = self._read()
            if kind == 'end':
                self._check_end(content, before)
                self._ended = True
                return
            self._num_frames += kind == 'frame'
            yield kind, content

    def push_back(self, kind: str, content: dict[str, Any]) -> None:
        """Give a line again."""
        self._pushed = (kind, content)

    def made(self, make: Any, content: Any) -> Any:
        """Turn a line into a record, or say which line cannot be."""
        try:
            return make(content)
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            reason = f'{error} is missing' if isinstance(error, KeyError) else str(error)
            raise self.error(' '.join(reason.split())) from error

    def error(self, reason: str) -> StoreError:
        """Give the error of the line read last."""
        return StoreError(f'{self._path}: line {self._number}: {reason}')

    def _read(self) -> tuple[str, dict[str, Any]]:
        self._number += 1
        try:
            line = self._stream.readline()
        except OSError as error:
            raise StoreError(f'{self._path}: cannot be read: {error.strerror}') from error
        if not line.endswith(b'\n'):
            raise self.error('expected more, found the end: the file is cut short')
        self._digest.update(line)
        try:
            content = json.loads(line)
            kind = content.pop('kind')
            if not isinstance(kind, str):
                raise TypeError
        except (ValueError, RecursionError, AttributeError, KeyError, TypeError) as error:
            raise self.error('expected a JSON object with a kind, found something else') from error
        return kind, content

    def _check_end(self, content: dict[str, Any], found: str) -> None:
        expected = {'num_frames': self._num_frames, 'sha256': found}
        if content != expected:
            raise self.error('the file was changed: its end does not fit what comes before')
        if self._stream.read(1):
            raise self.error('expected the end, found more')
