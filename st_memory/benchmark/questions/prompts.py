"""The prompt of a question, with the cues of the paper's interventions on request."""

from __future__ import annotations

from collections.abc import Mapping
import enum
import string
from typing import Any

from st_memory.benchmark.questions.templates import time_token

__all__ = ['SYSTEM_PROMPT', 'Cue', 'prompt_of']

SYSTEM_PROMPT = 'You are a helpful assistant for egocentric video understanding.'
"""What every question is preceded by, with the rate at which the video was sampled."""

_SAMPLED = 'The video is sampled at 1 frame per second.'
_SELECT = 'Select the best option and output only its letter.'
_OPEN = (
    'Give the time of the event and its place in the image at that time, in exactly one line: '
    '<TIME HH:MM:SS.s video 1>; Point=(<x>, <y>), with x and y from 0 to 1.'
)
_FIRST_STEP = 'oos_step1_visibility'
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
        The trajectory, as :func:`.question_records.record_of` makes it.
    step : mapping
        One of its steps.
    cue : Cue
        ``movements`` puts the intervals in which the target was moved before the question;
        ``unseen`` says in questions after the first that it is no longer visible, in place of the
        template's own assumption about where it is.

    References
    ----------
    .. [1] Beyond3D (2026), sections 5.4 and 9.2.

    """
    target, question = record['object_a_name'], step['question']
    lines = [f'{SYSTEM_PROMPT} {_SAMPLED}', '']
    if cue in (Cue.MOVEMENTS, Cue.BOTH):
        lines.append(_movements(record, target))
    if cue in (Cue.UNSEEN, Cue.BOTH) and step['step_question_class'] != _FIRST_STEP:
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
        lines.append(_OPEN)
    return '\n'.join(lines)


def _movements(record: Mapping[str, Any], target: str) -> str:
    spans = [
        f'from {time_token(start_s)} to {time_token(end_s)}'
        for start_s, end_s in record['generation_info']['movements_sec']
    ]
    return f'The {target} was moved {", then ".join(spans)}.'
