"""Words for sentences: durations, places, lists of names."""

from __future__ import annotations

from collections.abc import Sequence

from st_memory.core.records import LifeCycle, ObjectState, Visibility
from st_memory.core.stamps import NS_PER_S

__all__ = [
    'clip_name',
    'describe_count',
    'describe_direction',
    'describe_doubt',
    'describe_duration',
    'describe_place',
    'describe_visibility',
    'describe_when',
    'is_gone',
    'is_just_now',
    'join_names',
    'name_first',
]


# No name that people use is longer.
_MAX_NAME = 60

_OF_YOU = {
    'front': 'in front of you',
    'front-right': 'in front of you to the right',
    'right': 'to your right',
    'back-right': 'behind you to the right',
    'back': 'behind you',
    'back-left': 'behind you to the left',
    'left': 'to your left',
    'front-left': 'in front of you to the left',
}


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


def clip_name(name: str) -> str:
    """
    Give a name as a sentence can carry it: on one line, and not endless.

    Examples
    --------
    >>> clip_name('red mug'), clip_name('two' + chr(10) + 'lines'), len(clip_name('x' * 1000))
    ('red mug', 'two lines', 60)
    >>> clip_name(' '), clip_name('')
    ("' '", '')

    """
    if len(name) <= _MAX_NAME and name.isprintable() and not name.isspace():
        return name
    head = name[: 4 * _MAX_NAME]
    flat = ' '.join(''.join(c if c.isprintable() else ' ' for c in head).split()) or ascii(head)
    return flat if len(flat) <= _MAX_NAME else f'{flat[: _MAX_NAME - 1]}…'


def describe_count(count: int) -> str:
    """
    Say how many times.

    Examples
    --------
    >>> [describe_count(n) for n in (0, 1, 2)]
    ['0 times', 'once', '2 times']

    """
    return 'once' if count == 1 else f'{count} times'


def is_just_now(ago_ns: int) -> bool:
    """Whether that is no time at all, as durations are said: what a person says takes 1 ns."""
    return ago_ns < NS_PER_S // 20


def describe_when(ago_ns: int, *, lagging: bool) -> str:
    """
    Say how long ago something was, to follow 'it was last visible ...'.

    Parameters
    ----------
    ago_ns : int
        Nanoseconds before the newest frame.
    lagging : bool
        That frame itself is long before the time asked about.

    """
    if lagging:
        before = 'in' if is_just_now(ago_ns) else f'{describe_duration(ago_ns)} before'
        return f'{before} the newest frame'
    return 'now' if is_just_now(ago_ns) else f'{describe_duration(ago_ns)} ago'


def name_first(state: ObjectState) -> str:
    """Name the object at the start of a sentence."""
    name = clip_name(state.label)
    if state.object_id == state.label:
        return f'The {name}'
    return f'The {name} ({clip_name(state.object_id)})'


def describe_doubt(state: ObjectState) -> str:
    """Say who else it may be, to follow a clause; '' when there is no doubt."""
    if not state.identity_alternatives:
        return ''
    others = ' or '.join(map(clip_name, state.identity_alternatives))
    return f'; it may be {others} (confidence {state.identity_confidence:.2f})'


def is_gone(state: ObjectState) -> bool:
    """Whether its last place was shown to be empty."""
    return state.life_cycle is LifeCycle.ABSENT or state.visibility is Visibility.ABSENT


def describe_direction(direction: str, reference: str = '') -> str:
    """
    Say a class of direction, to follow a distance.

    Parameters
    ----------
    direction : str
        As :mod:`st_memory.core.queries.directions` names it; '' when it cannot be told.
    reference : str
        The object it is relative to, as the viewer sees it; '' for the viewer.

    Examples
    --------
    >>> describe_direction('back-left')
    'behind you to the left'
    >>> describe_direction("5 o'clock")
    "away at your 5 o'clock"
    >>> describe_direction('front', 'cup_1')
    'from cup_1, to the front of it as you see it'

    """
    if not direction:
        return f'from {reference or "you"}, in no clear direction'
    if direction[0].isdigit():
        hour = direction.removesuffix(" o'clock")
        if reference:
            return f"from {reference}, at {hour} o'clock of it as you see it"
        return f"away at your {hour} o'clock"
    if reference:
        return f'from {reference}, to the {direction} of it as you see it'
    return _OF_YOU[direction]


def describe_place(state: ObjectState) -> str:
    """Say where an object is, in terms of its container or fixture, else by coordinates."""
    if state.container_id:
        return f'inside {clip_name(state.container_id)}'
    if state.fixture_id:
        return f'at {clip_name(state.fixture_id)}'
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
    why = reasons.get(cause, cause)
    words = {
        Visibility.VISIBLE: 'visible',
        Visibility.OUT_OF_VIEW: f'out of view ({why})' if why else 'out of view',
        Visibility.OCCLUDED: f'hidden by {_occluder(occluder)}',
        Visibility.AMBIGUOUS_FIXTURE: f'possibly hidden inside {_occluder(occluder)}',
        Visibility.UNCONFIRMED: 'in view but not confirmed by the detector',
        Visibility.IN_MOTION: 'being moved',
        Visibility.ABSENT: 'no longer where it was',
        Visibility.UNKNOWN: f'in an unknown state ({cause or "no look yet"})',
    }
    return words[state]


def join_names(names: Sequence[str], more: int = 0) -> str:
    """
    Join names for a sentence.

    Parameters
    ----------
    names : sequence of str
        What to join.
    more : int
        How many further ones there are, which are not named.

    Examples
    --------
    >>> join_names(['a', 'b', 'c'])
    'a, b and c'
    >>> join_names(['a', 'b'], more=2)
    'a, b and 2 more'

    """
    if more > 0:
        return f'{", ".join(names)} and {more} more'
    if len(names) < 2:
        return ''.join(names)
    return f'{", ".join(names[:-1])} and {names[-1]}'


def _occluder(name: str) -> str:
    if name == 'self':
        return 'the body that carries the camera'
    return 'something in front of it' if name in ('', 'depth') else clip_name(name)
