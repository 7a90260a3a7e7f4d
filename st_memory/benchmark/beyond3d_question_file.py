"""
The questions of a Beyond3D folder, without their answers.

Of each step its class and its options are read, of its trajectory the object, the time and the
reference object, and nothing else: the file also holds the answers.
"""

from __future__ import annotations

from collections.abc import Iterator
import json
import math
from pathlib import Path
from typing import Any, NamedTuple

from st_memory.core.errors import DatasetError
from st_memory.datasets.tables import MALFORMED, sound_text

__all__ = ['KINDS', 'Question', 'question_file', 'read_questions', 'steps_of']

# Class of a step -> what it asks. Legacy files number the last three otherwise than final ones.
KINDS = {
    'oos_step1_visibility': 'visibility',
    'oos_step2_last_visible': 'last_visible',
    'oos_step3_last_placement': 'last_placed',
    'oos_step4_fixture': 'fixture',
    'oos_branch_object_camera_relative_position': 'direction',
    'oos_branch_object_object_relation': 'relation',
    'oos_branch_object_object_distance': 'distance',
}


class Question(NamedTuple):
    """
    One step of one trajectory.

    Attributes
    ----------
    trajectory_id, step : str
        Key of the question.
    kind : str
        A value of :data:`KINDS`; for other classes the class itself.
    object_id, anchor_id : str
        The object asked about, and the reference object ('' for none).
    query_time_sec : float
        Seconds of the video.
    choices : tuple of str
        The options; empty for an open question.

    """

    trajectory_id: str
    step: str
    kind: str
    object_id: str
    query_time_sec: float
    anchor_id: str
    choices: tuple[str, ...]


def question_file(folder: Path) -> Path | None:
    """
    Give the folder's question file; None when there is none.

    Raises
    ------
    DatasetError
        If there are several.

    """
    found = sorted(folder.glob('questions_*.json'))
    if len(found) > 1:
        raise DatasetError(f'{folder}: expected one questions_*.json, found {len(found)}')
    return found[0] if found else None


def read_questions(path: Path) -> list[Question]:
    """
    Read all questions of a file, in its order.

    Raises
    ------
    DatasetError
        If the file is not what its format promises; the message names the trajectory.

    """
    where = ''
    try:
        questions: list[Question] = []
        for trajectory_id, trajectory in json.loads(path.read_text(encoding='utf-8')).items():
            where = f' in trajectory {trajectory_id}'
            name = sound_text(trajectory_id, 'trajectory')
            questions += _questions(name, trajectory)
    except MALFORMED as error:
        found = f'{type(error).__name__}: {error}'.splitlines()[0]
        raise DatasetError(f'{path}: expected questions{where}, found {found}') from error
    return questions


def steps_of(trajectory: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the steps of a trajectory: those in a row, then those of its branches."""
    yield from trajectory['incremental_steps']
    for branch in (trajectory.get('branch_groups') or {}).values():
        yield from branch


def _questions(trajectory_id: str, trajectory: dict[str, Any]) -> Iterator[Question]:
    object_id = sound_text(trajectory['object_a_assoc_id'], 'object_a_assoc_id')
    query_time_sec = float(trajectory['query_time_sec'])
    if not (math.isfinite(query_time_sec) and query_time_sec >= 0.0):
        raise ValueError(f'query_time_sec {query_time_sec}')
    anchor_id = (trajectory.get('generation_info') or {}).get('anchor_assoc_id') or ''
    known: set[str] = set()
    for step in steps_of(trajectory):
        asked = sound_text(step['question_class'], 'question_class')
        name = sound_text(str(step['step']), 'step')
        if name in known:
            raise ValueError(f'step {name} twice')
        known.add(name)
        choices = step.get('choices') or []
        if not isinstance(choices, list):
            raise TypeError(f'step {step["step"]}: choices {choices!r}')
        yield Question(
            trajectory_id=trajectory_id,
            step=name,
            kind=KINDS.get(asked, asked),
            object_id=object_id,
            query_time_sec=query_time_sec,
            anchor_id=sound_text(anchor_id, 'anchor_assoc_id'),
            choices=tuple(sound_text(choice, 'choice') for choice in choices),
        )
