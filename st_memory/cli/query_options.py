"""The options of ``st_memory query``, and which question each belongs to."""

from __future__ import annotations

import argparse
import math
import sys
from typing import NoReturn

from st_memory.cli.typed_time import parse_time, TIME_HELP

__all__ = ['ABOUT_ONE', 'QUESTIONS', 'add_options', 'check_usage']

# Questions about one object, which must be named.
ABOUT_ONE = (
    'where',
    'visible',
    'timeline',
    'first-seen',
    'last-seen',
    'last-detected',
    'last-placed',
    'static-since',
    'moves',
    'itinerary',
    'relative',
    'fixture',
    'find',
)
QUESTIONS = (*ABOUT_ONE, 'contents', 'changes', 'predict', 'list', 'events')

# Option -> the questions that it belongs to; the others ask nothing that it could change.
_BELONGS: dict[str, tuple[str, ...]] = {
    'label': (*ABOUT_ONE, 'contents', 'changes', 'list'),
    'text': ABOUT_ONE,
    'id': (*ABOUT_ONE, 'contents', 'changes', 'list', 'events'),
    'stay': ('where',),
    'camera': ('visible', 'timeline', 'last-seen'),
    'from': ('timeline',),
    'to': ('timeline',),
    'since': ('moves', 'changes'),
    'limit': ('timeline', 'itinerary', 'fixture', 'changes', 'predict'),
    'reference': ('relative',),
    'scheme': ('relative',),
    'point': ('fixture',),
    'start': ('find',),
    'actor': ('predict',),
    'horizon': ('predict',),
    'visibility': ('list',),
    'fixture': ('list',),
    'container': ('list',),
    'near': ('list',),
    'within': ('list',),
    'moved-since': ('list',),
    'out-of-sight-since': ('list',),
}
_DESTINATIONS = {'from': 'start_time', 'to': 'end_time', 'fixture': 'on_fixture'}
_VISIBILITIES = (
    'unknown',
    'visible',
    'out_of_view',
    'occluded',
    'ambiguous_fixture',
    'unconfirmed',
    'in_motion',
    'absent',
)
_PLACE = ('X', 'Y', 'Z')


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options; what was not given is None."""
    exact = parser.add_mutually_exclusive_group()
    exact.add_argument('--id', help='the object with this id')
    exact.add_argument('--label', help='the object(s) with this label')
    exact.add_argument('--text', help='the object(s) that these words fit, or mean')
    parser.add_argument('--at', type=parse_time, metavar='TIME', help=f'as of: {TIME_HELP}')
    parser.add_argument('--epoch', type=int, help='which epoch (default: the newest)')
    _add(parser, 'camera', help='only this camera')
    _add(
        parser,
        'stay',
        type=_length,
        metavar='S',
        help='say how likely it is still there; things stay for S seconds, as far as one knows',
    )
    _add(parser, 'from', type=parse_time, metavar='TIME', help='from then on')
    _add(parser, 'to', type=parse_time, metavar='TIME', help='up to then, exclusive')
    _add(parser, 'since', type=parse_time, metavar='TIME', help='compared with then')
    _add(parser, 'limit', type=_count, metavar='N', help='N only, the newest or best')
    _add(
        parser,
        'reference',
        help='camera (the one that looked last), camera:NAME, base, or an object id',
    )
    schemes = ('4', '8', 'clock', 'beyond3d', 'beyond3d_legacy')
    _add(parser, 'scheme', choices=schemes, help='classes of direction (default: 8)')
    _add(parser, 'point', type=_number, nargs=3, metavar=_PLACE, help='of a place, metres')
    _add(parser, 'start', help='who walks: base, camera or camera:NAME')
    _add(parser, 'actor', help='whose movement tells: camera, camera:NAME or base')
    _add(parser, 'horizon', type=_length, metavar='S', help='seconds ahead (default: 5)')
    _add(parser, 'visibility', choices=_VISIBILITIES, help='only in this state')
    _add(parser, 'fixture', help='only in or on this fixture')
    _add(parser, 'container', help='only inside this fixture or object')
    _add(
        parser, 'near', type=_number, nargs=3, metavar=_PLACE, help='only near this place, metres'
    )
    _add(parser, 'within', type=_length, metavar='M', help='how near, metres (default: 1)')
    _add(parser, 'moved-since', type=parse_time, metavar='TIME', help='put down since then')
    _add(
        parser,
        'out-of-sight-since',
        type=parse_time,
        metavar='TIME',
        help='not visible since then',
    )


def check_usage(arguments: argparse.Namespace) -> None:
    """
    Refuse what does not belong together.

    Raises
    ------
    SystemExit
        With 2, after one line on stderr: an option of another question, an object named twice or
        not at all.

    """
    question = arguments.question
    for option, questions in _BELONGS.items():
        if getattr(arguments, _destination(option)) is not None and question not in questions:
            _usage(f'--{option} belongs to {", ".join(questions)}, not to {question}')
    names = (arguments.id, arguments.label, arguments.text)
    named = sum(name is not None for name in names)
    if any(name == '' for name in names):
        _usage('expected a name, got an empty one')
    if arguments.selector and (named or question == 'predict'):
        _usage(
            'predict asks about no object'
            if question == 'predict'
            else 'give the object once: as SELECTOR, or with --id, --label or --text'
        )
    is_named = bool(arguments.selector) or named > 0
    if question == 'fixture' and arguments.point is not None:
        if is_named:
            _usage('fixture: give an object or --point, not both')
        return
    if question in ABOUT_ONE and not is_named:
        _usage(f'{question} needs an object: SELECTOR, --id, --label or --text')
    if question == 'contents' and not is_named:
        _usage('contents needs a fixture or object: SELECTOR, --id or --label')
    if arguments.within is not None and arguments.near is None:
        _usage('--within needs --near')


def _add(parser: argparse.ArgumentParser, name: str, *, help: str, **given: object) -> None:  # noqa: A002
    """Declare an option, its help beginning with the questions that it belongs to."""
    belongs = ', '.join(_BELONGS[name])
    destination = _destination(name)
    parser.add_argument(f'--{name}', dest=destination, help=f'{belongs}: {help}', **given)  # type: ignore[arg-type]


def _destination(option: str) -> str:
    return _DESTINATIONS.get(option, option.replace('-', '_'))


def _usage(message: str) -> NoReturn:
    sys.stderr.write(f'st_memory: error: {message}\ntry: st_memory query --help\n')
    raise SystemExit(2)


def _count(text: str) -> int:
    """Read how many; 0 asks for nothing and is wrong usage."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f'expected a number from 1 on, got {text!r}')
    return int(text)


def _number(text: str) -> float:
    """Read a finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f'expected a finite number, got {text!r}')
    return value


def _length(text: str) -> float:
    """Read a finite number above 0."""
    value = _number(text)
    if value <= 0.0:
        raise argparse.ArgumentTypeError(f'expected a number above 0, got {text!r}')
    return value
