"""The prompt of a question, with the cues of the paper's interventions on request."""

from __future__ import annotations

from collections.abc import Mapping
import enum
import string
from typing import Any

from st_memory.benchmark.questions.question_checks import MAX_SECONDS
from st_memory.benchmark.questions.templates import CLASSES, time_token
from st_memory.core.errors import DatasetError

__all__ = ['SYSTEM_PROMPT', 'Cue', 'prompt_of']

SYSTEM_PROMPT = 'You are a helpful assistant for egocentric video understanding.'
"""What every question is preceded by, with the rate at which the video was sampled."""

_SAMPLED = 'The video is sampled at 1 frame per second.'
_SELECT = 'Select the best option and output only its letter.'
_OPEN = (
    'Give the time of the event and its place in the image at that time, in exactly one line: '
    '<TIME HH:MM:SS.s video 1>; Point=(<x>, <y>), with x and y from 0 to 1.'
)
_BRIEFLY = 'Answer briefly and directly.'
_FIRST_STEP = CLASSES['visibility']
_TIMES = (CLASSES['last_visible'], CLASSES['last_placed'])
_ASSUMPTION = 'assuming the previously moved {target} remains at its last known position, '


@enum.unique
class Cue(enum.Enum):
    """What a question is helped with."""

    NONE = 'none'
    MOVEMENTS = 'movements'
    UNSEEN = 'unseen'
    BOTH = 'both'


def prompt_of(record: Mapping[str, Any], step: Mapping[str, Any], cue: Cue = Cue.NONE) -> str:
    """
    Write the prompt of one step, which is asked by itself.

    Parameters
    ----------
    record : mapping
        The trajectory, as :func:`.read_records` gives it.
    step : mapping
        One of its steps.
    cue : Cue
        ``movements`` puts the intervals in which the target was moved before the question;
        ``unseen`` says in questions after the first that it is no longer visible, in place of the
        template's own assumption about where it is.

    Raises
    ------
    DatasetError
        If the record does not say what the cue needs.

    References
    ----------
    .. [1] Beyond3D (2026), sections 5.4 and 9.2.

    """
    question = step['question']
    lines = [f'{SYSTEM_PROMPT} {_SAMPLED}', '']
    if cue in (Cue.MOVEMENTS, Cue.BOTH):
        lines.append(_movements(record, cue))
    if cue in (Cue.UNSEEN, Cue.BOTH) and step['step_question_class'] != _FIRST_STEP:
        target = _target(record, cue)
        at = time_token(float(record['query_time_sec']))
        lines.append(f'At {at}, the {target} is no longer visible.')
        question = question.replace(_ASSUMPTION.format(target=target), '')
    lines.append(f'Question: {question}')
    if step['choices']:
        lines.append('Options:')
        lines += [
            f'{letter}. {choice}'
            for letter, choice in zip(string.ascii_uppercase, step['choices'], strict=False)
        ]
        lines.append(_SELECT)
    else:
        lines.append(_OPEN if step['step_question_class'] in _TIMES else _BRIEFLY)
    return '\n'.join(lines)


def _target(record: Mapping[str, Any], cue: Cue) -> str:
    target = record.get('object_a_name')
    if not isinstance(target, str):
        raise _missing(record, cue, 'object_a_name')
    return target


def _movements(record: Mapping[str, Any], cue: Cue) -> str:
    target = _target(record, cue)
    told = (record.get('generation_info') or {}).get('movements_sec')
    if not isinstance(told, list) or not told or not all(map(_is_span, told)):
        raise _missing(record, cue, 'pairs of seconds in generation_info.movements_sec')
    spans = [f'from {time_token(start_s)} to {time_token(end_s)}' for start_s, end_s in told]
    return f'The {target} was moved {", then ".join(spans)}.'


def _is_span(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    numbers = [v for v in value if isinstance(v, int | float) and not isinstance(v, bool)]
    return len(numbers) == 2 and 0.0 <= numbers[0] <= numbers[1] <= MAX_SECONDS


def _missing(record: Mapping[str, Any], cue: Cue, what: str) -> DatasetError:
    name = record['trajectory_id']
    return DatasetError(f'trajectory {name}: expected {what} for the cue {cue.value}, found none')
