"""Words for sentences: durations, places, lists of names."""

from __future__ import annotations

from collections.abc import Sequence

from st_memory.core.records import ObjectState, Visibility
from st_memory.core.stamps import NS_PER_S

__all__ = ['describe_duration', 'describe_place', 'describe_visibility', 'join_names']


def describe_duration(duration_ns: int) -> str:
    """
    Say a duration as people do.

    Examples
    --------
    >>> describe_duration(192_400_000_000)
    '3 min 12 s'
    >>> describe_duration(2_340_000_000)
    '2.3 s'

    """
    seconds = duration_ns / NS_PER_S
    if seconds < 10:
        return f'{seconds:.1f} s'
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, 'd'), (hours, 'h'), (minutes, 'min'), (rest, 's')]
    first = next(i for i, (value, _) in enumerate(parts) if value)
    return ' '.join(f'{value} {unit}' for value, unit in parts[first : first + 2] if value)


def describe_place(state: ObjectState) -> str:
    """Say where an object is, in terms of its container or fixture, else by coordinates."""
    if state.container_id:
        return f'inside {state.container_id}'
    if state.fixture_id:
        return f'at {state.fixture_id}'
    if state.world_p is None:
        return 'at an unknown place'
    x, y, z = state.world_p
    return f'at ({x:.2f}, {y:.2f}, {z:.2f}) m'


def describe_visibility(state: Visibility, cause: str, occluder: str) -> str:
    """Say a visibility state and why, to follow 'the mug is ...'."""
    reasons = {
        'behind_camera': 'behind the camera',
        'outside_image': 'outside the image',
        'outside_valid_circle': 'outside the lens circle',
        'beyond_range': 'too far away',
    }
    words = {
        Visibility.VISIBLE: 'visible',
        Visibility.OUT_OF_VIEW: f'out of view ({reasons.get(cause, cause)})',
        Visibility.OCCLUDED: f'hidden by {_occluder(occluder)}',
        Visibility.AMBIGUOUS_FIXTURE: f'possibly hidden inside {_occluder(occluder)}',
        Visibility.UNCONFIRMED: 'in view but not confirmed by the detector',
        Visibility.IN_MOTION: 'being moved',
        Visibility.ABSENT: 'no longer where it was',
        Visibility.UNKNOWN: f'in an unknown state ({cause or "no look yet"})',
    }
    return words[state]


def join_names(names: Sequence[str]) -> str:
    """
    Join names for a sentence.

    Examples
    --------
    >>> join_names(['a', 'b', 'c'])
    'a, b and c'

    """
    if len(names) < 2:
        return ''.join(names)
    return f'{", ".join(names[:-1])} and {names[-1]}'


def _occluder(name: str) -> str:
    return 'something in front of it' if name in ('', 'depth') else name
