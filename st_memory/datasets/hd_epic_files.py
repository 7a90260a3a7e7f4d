"""Object movements of HD-EPIC: ``assoc_info.json``, plain or gzipped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
import gzip
import json
from pathlib import Path
import re
from typing import Any
import zlib

from st_memory.core.errors import DatasetError
from st_memory.datasets.tables import MALFORMED, sound_seconds, sound_text

__all__ = ['MovedObject', 'is_video_id', 'read_movements']

ASSOCIATIONS = 'assoc_info.json'
_VIDEO_ID = re.compile(r'[A-Za-z0-9][A-Za-z0-9_-]*')


@dataclass(frozen=True)
class MovedObject:
    """
    One annotated object of one video.

    Parameters
    ----------
    object_id, name : str
        The association's id, and what annotators call it.
    movements : tuple of (float, float)
        Start and end of each movement, seconds of the video, by start.

    """

    object_id: str
    name: str
    movements: tuple[tuple[float, float], ...]


def is_video_id(text: str) -> bool:
    """Whether a text can be the id of a video: letters, digits, dashes and underscores."""
    return _VIDEO_ID.fullmatch(text) is not None


def read_movements(folder: Path) -> dict[str, tuple[MovedObject, ...]]:
    """
    Read the movements of all objects of all videos.

    Parameters
    ----------
    folder : Path
        Holds ``assoc_info.json`` or ``assoc_info.json.gz``.

    Returns
    -------
    dict
        Objects by video id, each video's by object id. Of each movement only its time is read.

    Raises
    ------
    DatasetError
        If there is no such file, or it is not what its format promises; the message names video
        and object.

    """
    path = _associations(folder)
    where = ''
    try:
        videos: dict[str, tuple[MovedObject, ...]] = {}
        for video_id, objects in json.loads(_bytes_of(path)).items():
            where = f' in video {video_id}'
            if not is_video_id(video_id):
                raise ValueError(f'the video id {video_id!r}')
            videos[video_id] = tuple(_objects(objects))
    except MALFORMED as error:
        found = f'{type(error).__name__}: {error}'.splitlines()[0]
        raise DatasetError(f'{path}: expected objects{where}, found {found}') from error
    return videos


def _associations(folder: Path) -> Path:
    for name in (ASSOCIATIONS, f'{ASSOCIATIONS}.gz'):
        if (folder / name).is_file():
            return folder / name
    raise DatasetError(f'{folder}: expected {ASSOCIATIONS} or {ASSOCIATIONS}.gz, found none')


def _bytes_of(path: Path) -> bytes:
    if path.suffix != '.gz':
        return path.read_bytes()
    try:
        with gzip.open(path) as file:
            return file.read()
    except (OSError, EOFError, zlib.error) as error:
        raise DatasetError(f'{path}: expected a whole gzip file, found {error}') from error


def _objects(objects: dict[str, Any]) -> Iterator[MovedObject]:
    for object_id, entry in sorted(objects.items()):
        name = sound_text(
            entry['name'], f'object {sound_text(object_id, "object")!r} with the name'
        )
        if not name.strip() or not object_id:
            raise ValueError(f'object {object_id!r} with the name {name!r}')
        movements = sorted(_span(object_id, track['time_segment']) for track in entry['tracks'])
        yield MovedObject(object_id, name.strip(), tuple(movements))


def _span(object_id: str, segment: Any) -> tuple[float, float]:
    start, end = (sound_seconds(t, f'object {object_id}: a time of') for t in segment)
    if end < start:
        raise ValueError(f'object {object_id}: a movement from {start} to {end}')
    return start, end
