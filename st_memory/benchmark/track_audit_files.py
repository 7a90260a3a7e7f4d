"""Files of a track audit: which recordings there are, and what people saw in them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

from st_memory.core.errors import DatasetError
from st_memory.core.visibility import preset_named, VisibilityPreset
from st_memory.datasets.tables import read_table, TableRow

__all__ = ['AuditedVideo', 'Item', 'Mark', 'read_marks', 'read_videos']

_VIDEOS = 'videos.csv'
_MARKS = 'marks.csv'
_VIDEO_COLUMNS = ('video_id', 'participant_id', 'bag', 'start_ns', 'preset')
_MARK_COLUMNS = ('video_id', 'object_id', 't_sec', 'annotator', 'visible', 'uncertain')


class AuditedVideo(NamedTuple):
    """
    One recording.

    Attributes
    ----------
    video_id, participant_id : str
        Its name, and whose it is.
    bag : Path
        The recording.
    start_ns : int
        Stamp of second 0 of the video, nanoseconds.
    preset : VisibilityPreset
        Rules by which the memory judges what can be seen.

    """

    video_id: str
    participant_id: str
    bag: Path
    start_ns: int
    preset: VisibilityPreset


class Item(NamedTuple):
    """What is judged: an object at a second of a video (whole milliseconds)."""

    video_id: str
    object_id: str
    t_sec: float


class Mark(NamedTuple):
    """Whether one person could see an object, and whether that person was not sure."""

    item: Item
    annotator: str
    is_visible: bool
    is_uncertain: bool


def read_videos(data: Path) -> dict[str, AuditedVideo]:
    """
    Read ``videos.csv``, by video id.

    Raises
    ------
    DatasetError
        If it is missing, a line is not what it should be, or a bag is not there. A bag must lie
        in the folder.

    """
    path = data / _VIDEOS
    videos: dict[str, AuditedVideo] = {}
    for row in read_table(path, _VIDEO_COLUMNS):
        video_id = _name(path, row, 'video_id')
        if video_id in videos:
            raise DatasetError(f'{path}: expected each video once, found {video_id} again')
        bag = data / row.text('bag')
        if not row.text('bag') or not bag.resolve().is_relative_to(data.resolve()):
            raise DatasetError(
                f'{path}: expected a bag in the folder, found {row.text("bag")!r} at {row.where}'
            )
        if not bag.exists():
            raise DatasetError(f'{data}: expected the bag {row.text("bag")}, found none')
        videos[video_id] = AuditedVideo(
            video_id,
            _name(path, row, 'participant_id'),
            bag,
            row.stamp_ns('start_ns'),
            preset_named(row.text('preset') or 'live'),
        )
    if not videos:
        raise DatasetError(f'{path}: expected videos, found none')
    return videos


def read_marks(data: Path) -> list[Mark]:
    """
    Read ``marks.csv``, in its order.

    Raises
    ------
    DatasetError
        If it is missing, a line is not what it should be, or somebody marked the same twice.

    """
    path = data / _MARKS
    marks: list[Mark] = []
    known: set[tuple[Item, str]] = set()
    for row in read_table(path, _MARK_COLUMNS):
        t_sec = row.number('t_sec')
        if not math.isfinite(t_sec):
            raise DatasetError(f'{path}: expected a finite t_sec, found {t_sec} at {row.where}')
        item = Item(_name(path, row, 'video_id'), _name(path, row, 'object_id'), round(t_sec, 3))
        annotator = _name(path, row, 'annotator')
        if (item, annotator) in known:
            raise DatasetError(
                f'{path}: expected one mark of each annotator, found another one of {annotator} '
                f'on {item.object_id} at {row.where}'
            )
        known.add((item, annotator))
        marks.append(
            Mark(item, annotator, _flag(path, row, 'visible'), _flag(path, row, 'uncertain'))
        )
    return marks


def _name(path: Path, row: TableRow, column: str) -> str:
    text = row.text(column).strip()
    if not text:
        raise DatasetError(f'{path}: expected a value for {column}, found none at {row.where}')
    return text


def _flag(path: Path, row: TableRow, column: str) -> bool:
    text = row.text(column).strip()
    if text not in ('0', '1'):
        raise DatasetError(f'{path}: expected 0 or 1 as {column}, found {text!r} at {row.where}')
    return text == '1'
