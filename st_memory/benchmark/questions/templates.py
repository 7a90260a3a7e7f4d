"""Words of the questions, as facts of the format: its class names, steps and templates."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ['CLASSES', 'DISTANCES', 'STEPS', 'StepKind', 'direction_text', 'time_token', 'wording']


class StepKind(NamedTuple):
    """Name of a step in a format, and what it asks."""

    step: str
    kind: str


CLASSES = {
    'visibility': 'oos_step1_visibility',
    'last_visible': 'oos_step2_last_visible',
    'last_placed': 'oos_step3_last_placement',
    'fixture': 'oos_step4_fixture',
    'direction': 'oos_branch_object_camera_relative_position',
    'camera_distance': 'oos_branch_object_camera_distance',
    'relation': 'oos_branch_object_object_relation',
    'distance': 'oos_branch_object_object_distance',
}
"""What is asked -> name of the class in the files."""

_FIRST_STEPS = tuple(
    StepKind(str(i + 1), kind)
    for i, kind in enumerate(('visibility', 'last_visible', 'last_placed', 'fixture'))
)
STEPS = {
    'beyond3d_final': (
        *_FIRST_STEPS,
        StepKind('5a', 'direction'),
        StepKind('5b', 'camera_distance'),
        StepKind('5c', 'relation'),
        StepKind('5d', 'distance'),
    ),
    'beyond3d_legacy': (
        *_FIRST_STEPS,
        StepKind('5a', 'direction'),
        StepKind('5b', 'relation'),
        StepKind('5c', 'distance'),
    ),
}
"""Steps of a trajectory by format: legacy files number relation and distance otherwise."""

DISTANCES = {
    'beyond3d_final': {
        'close': 'Under 1 m',
        'medium': '1 to under 1.5 m',
        'far': '1.5 m or more',
    },
    'beyond3d_legacy': {name: name for name in ('very close', 'close', 'medium', 'far')},
}
"""Class of distance -> its option; one of the legacy options is never right."""

_FINAL = {
    'visibility': 'At {time}, is the previously moved {target} visible in the current frame?',
    'last_visible': 'Which timestamp is closest to when the {target} was last visible?',
    'last_placed': (
        'The {target} was moved earlier in the video. Which timestamp is closest to when it last '
        'stopped being moved?'
    ),
    'fixture': (
        'At {time}, based on the last known position of the {target} that was moved earlier, '
        'which {what} is closest to it?'
    ),
    'direction': (
        'At {time}, assuming the previously moved {target} remains at its last known position, in '
        'which direction is the {target} from your viewpoint?'
    ),
    'camera_distance': (
        'At {time}, assuming the previously moved {target} remains at its last known position, '
        'what is the distance between the camera and where the {target} was left?'
    ),
    'relation': (
        'At {time}, assuming the previously moved {target} remains at its last known position, '
        'where is it relative to the {reference} (marked in red in the current frame) from your '
        'viewpoint?'
    ),
    'distance': (
        'At {time}, assuming the previously moved {target} remains at its last known position, '
        'how far is it relative to the {reference} (marked in red in the current frame)?'
    ),
}

_NOW = 'At the current time {time}, '
_UNSEEN = _NOW + 'the {target} that was moved earlier is not visible. Based on '
_LEGACY = {
    'visibility': _NOW + 'is the previously moved {target} visible in the current frame?',
    'last_visible': (
        'When was the previously moved {target} last visible, and where was it located in the '
        'image at that moment?'
    ),
    'last_placed': (
        'At what time did the previously moved {target} stop moving? Where was it located in the '
        'image at that moment?'
    ),
    'fixture': (
        _NOW + 'based on the last known position of the {target} that was moved earlier, which '
        'fixture is closest to it?'
    ),
    'direction': (
        _UNSEEN + 'its last known position, in which direction is the {target} from your '
        'viewpoint?'
    ),
    'relation': (
        _UNSEEN + 'the last known position of the {target} and the position of the marked '
        '{reference} in the current frame, where is the {target} relative to {reference} from '
        'your viewpoint?'
    ),
    'distance': (
        _UNSEEN + 'the last known position of the {target}, and the position of the marked '
        '{reference} in the current frame, how far is the {target} from the {reference}?'
    ),
}

_TEMPLATES = {'beyond3d_final': _FINAL, 'beyond3d_legacy': _LEGACY}


def time_token(seconds: float) -> str:
    """
    Write a time of the video as questions do.

    Examples
    --------
    >>> time_token(94.0)
    '<TIME 00:01:34.0 video 1>'

    """
    tenths = round(seconds * 10)
    minutes, rest = divmod(tenths, 600)
    return f'<TIME {minutes // 60:02d}:{minutes % 60:02d}:{rest // 10:02d}.{rest % 10} video 1>'


def wording(
    form: str, kind: str, *, query_s: float, target: str, reference: str = '', what: str = ''
) -> str:
    """
    Word a question.

    Parameters
    ----------
    form : str
        ``beyond3d_final`` or ``beyond3d_legacy``.
    kind : str
        A key of :data:`CLASSES`.
    query_s : float
        Time of the question, seconds of the video.
    target, reference : str
        What the two objects are called.
    what : str
        What the options of a fixture question are: ``fixture type`` or ``counter area``.

    """
    return _TEMPLATES[form][kind].format(
        time=time_token(query_s), target=target, reference=reference, what=what
    )


def direction_text(form: str, kind: str, name: str) -> str:
    """Write a class of direction or relation as its option."""
    if kind == 'relation' and form == 'beyond3d_final':
        return f"{name} o'clock"
    return name.capitalize()
