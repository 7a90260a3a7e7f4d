"""What is published for a Beyond3D folder: the track and the answers. Only scores read it."""

from __future__ import annotations

from collections.abc import Iterator
import csv
from pathlib import Path
from typing import Any, NamedTuple

from st_memory.benchmark.beyond3d_question_file import KINDS, question_file, steps_of
from st_memory.core.errors import DatasetError
from st_memory.datasets.tables import MALFORMED, read_json, sound_text

__all__ = [
    'CLOSED_FIXTURE',
    'Published',
    'has_answers',
    'published_answers',
    'published_track',
    'read_items',
]

CLOSED_FIXTURE = 'occluded_inside_closed_fixture'

_TIMES = {
    'last_visible': 'sampled_last_visible_time_sec',
    'last_placed': 'last_placement_time_sec',
}


class Published(NamedTuple):
    """The published answer of one step: the right options, or a time and a pixel."""

    trajectory_id: str
    step: str
    kind: str
    choices: tuple[int, ...]
    time_sec: float | None
    pixel: tuple[float, float] | None


def published_track(data: Path) -> dict[str, dict[str, Any]]:
    """
    Read the published track: object id -> its samples at 1 Hz.

    Raises
    ------
    DatasetError
        If there is not exactly one, or it is not what its format promises.

    """
    found = sorted(data.glob('inview_track_*.json'))
    if len(found) != 1:
        raise DatasetError(f'{data}: expected one inview_track_*.json to score against')
    where = ''
    try:
        tracks: dict[str, dict[str, Any]] = read_json(found[0])['object_tracks']
        for object_id, track in tracks.items():
            where = f' of {object_id}'
            statuses, pixels = track['status_samples'], track['projected_pixel_samples']
            if len(statuses) != len(pixels):
                raise ValueError(f'{len(statuses)} statuses and {len(pixels)} pixels')
            for status, pixel in zip(statuses, pixels, strict=True):
                sound_text(status, 'status')
                if pixel is not None:
                    u_px, v_px = pixel
                    float(u_px - v_px)
    except MALFORMED as error:
        clause = f'{type(error).__name__}: {error}'.splitlines()[0]
        raise DatasetError(f'{found[0]}: expected samples{where}, found {clause}') from error
    return tracks


def has_answers(data: Path) -> bool:
    """Whether the folder holds questions to score against."""
    return question_file(data) is not None


def published_answers(data: Path) -> list[Published]:
    """
    Read the published answers.

    Raises
    ------
    DatasetError
        If there is no question file, or a question of it has no answer.

    """
    path = question_file(data)
    if path is None:
        raise DatasetError(f'{data}: expected one questions_*.json to score against')
    try:
        trajectories = read_json(path).items()
        return [a for name, trajectory in trajectories for a in _answers(str(name), trajectory)]
    except MALFORMED as error:
        found = f'{type(error).__name__}: {error}'.splitlines()[0]
        raise DatasetError(f'{path}: expected answers to score against, found {found}') from error


def _answers(trajectory_id: str, trajectory: dict[str, Any]) -> Iterator[Published]:
    for step in steps_of(trajectory):
        kind = KINDS.get(step['question_class'], step['question_class'])
        key = trajectory_id, str(step['step']), kind
        if step.get('choices'):
            right = step.get('acceptable_idxs') or [step['correct_idx']]
            yield Published(*key, tuple(int(index) for index in right), None, None)
        elif kind in _TIMES:
            answer = step['answer_metadata']
            pixel = None
            if answer['projected_pixel'] is not None:
                u, v = (float(number) for number in answer['projected_pixel'])
                pixel = u, v
            yield Published(*key, (), float(answer[_TIMES[kind]]), pixel)


def read_items(path: Path) -> list[dict[str, str]]:
    """
    Read the rows of a per-item file.

    Raises
    ------
    DatasetError
        If it is no table that can be read, a field of it being too long, say.

    """
    try:
        with path.open(newline='', encoding='utf-8') as file:
            return list(csv.DictReader(file))
    except (csv.Error, UnicodeDecodeError) as error:
        raise DatasetError(f'{path}: expected a table of items, found {error}') from error
