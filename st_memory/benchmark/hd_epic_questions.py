"""
The questions of an HD-EPIC folder about objects that move, without their answers.

Of each question its video, its text and its options are read, and nothing else: the file also
holds the answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
import re
from typing import Any, NamedTuple

from st_memory.core.errors import DatasetError
from st_memory.datasets.hd_epic_files import is_video_id
from st_memory.datasets.tables import MALFORMED, read_json, sound_text

__all__ = ['KINDS', 'MotionQuestion', 'option_seconds', 'question_files', 'read_questions']

# File -> what it asks. The first three are the benchmark; the others are answered where they are.
KINDS = {
    'object_motion_object_movement_counting': 'movement_counting',
    'object_motion_stationary_object_localization': 'stationary',
    'object_motion_object_movement_itinerary': 'itinerary',
    '3d_perception_object_contents_retrieval': 'contents',
    '3d_perception_object_location': 'location',
}
_NEEDED = ('movement_counting', 'stationary', 'itinerary')

_TIME = re.compile(r'<TIME (\d{1,3}):(\d{1,2}):(\d{1,2}(?:\.\d{1,9})?) video 1>', re.ASCII)
_LONGER_THAN = re.compile(r'more than (\d{1,6}(?:\.\d{1,9})?) seconds', re.ASCII)


class MotionQuestion(NamedTuple):
    """
    One question.

    Attributes
    ----------
    question_id, kind, video_id : str
        Key, a value of :data:`KINDS`, and the video.
    time_sec : float
        When the object is pointed at, seconds of the video.
    longer_than_sec : float
        How long it is to rest, seconds, of a stationary question; else 0.
    choices : tuple of str
        The options.

    """

    question_id: str
    kind: str
    video_id: str
    time_sec: float
    longer_than_sec: float
    choices: tuple[str, ...]


def question_files(folder: Path) -> dict[str, Path]:
    """
    Find the question files of a folder, by kind.

    Raises
    ------
    DatasetError
        If one of those about movements is missing.

    """
    found = {kind: folder / 'vqa' / f'{stem}.json' for stem, kind in KINDS.items()}
    for kind, path in found.items():
        if kind in _NEEDED and not path.is_file():
            raise DatasetError(f'{path.parent}: expected {path.name}, found none')
    return {kind: path for kind, path in found.items() if path.is_file()}


def read_questions(path: Path, kind: str) -> list[MotionQuestion]:
    """
    Read all questions of a file, in its order.

    Raises
    ------
    DatasetError
        If the file is not what its format promises; the message names the question.

    """
    entries = read_json(path)
    where = ''
    try:
        questions = []
        for question_id, entry in entries.items():
            where = f' in {question_id}'
            questions.append(_question(sound_text(question_id, 'question'), kind, entry))
    except MALFORMED as error:
        found = f'{type(error).__name__}: {error}'.splitlines()[0]
        raise DatasetError(f'{path}: expected questions{where}, found {found}') from error
    return questions


def option_seconds(choice: str) -> float | None:
    """Give the time that an option names, seconds of the video; None when it names none."""
    return next(_times(choice), None)


def _question(question_id: str, kind: str, entry: dict[str, Any]) -> MotionQuestion:
    video_id, text, choices = entry['inputs']['video 1']['id'], entry['question'], entry['choices']
    if not isinstance(video_id, str) or not is_video_id(video_id):
        raise ValueError(f'the video id {video_id!r}')
    if not isinstance(choices, list) or not choices:
        raise TypeError(f'choices {choices!r}')
    if not all(isinstance(choice, str) for choice in choices):
        raise TypeError(f'choices {choices!r}')
    times = list(_times(text))
    if not times:
        raise ValueError(f'no time in {text!r}')
    longer_than_sec = 0.0
    if kind == 'stationary':
        found = _LONGER_THAN.search(text)
        if found is None:
            raise ValueError(f'no "more than N seconds" in {text!r}')
        longer_than_sec = float(found[1])
    return MotionQuestion(question_id, kind, video_id, times[0], longer_than_sec, tuple(choices))


def _times(text: str) -> Iterator[float]:
    """Give the times that a text names; seconds may lack their leading zero."""
    for hours, minutes, seconds in _TIME.findall(text):
        yield 3600.0 * int(hours) + 60.0 * int(minutes) + float(seconds)
