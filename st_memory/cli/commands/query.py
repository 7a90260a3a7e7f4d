"""``st_memory query``: one question, one answer."""

from __future__ import annotations

import argparse
from pathlib import Path
import sys
from typing import Any, TYPE_CHECKING

from st_memory.cli.typed_time import parse_time, TIME_HELP

if TYPE_CHECKING:
    from st_memory.core.ports import MemoryReader
    from st_memory.core.stamps import Moment

__all__ = ['configure', 'run']

_EPILOG = """\
examples:
  st_memory query kitchen.db list
  st_memory query kitchen.db list --label mug --json
  st_memory query kitchen.db where mug_1
  st_memory query kitchen.db visible mug_1 --at +30
  st_memory query kitchen.db timeline mug_1 --from +10 --to +20 --limit 5
  st_memory query kitchen.db last-seen mug_1
  st_memory query kitchen.db last-placed mug_1
  st_memory query kitchen.db relative mug_1 --scheme clock
  st_memory query kitchen.db events
"""
_ABOUT_ONE = ('where', 'visible', 'timeline', 'last-seen', 'last-placed', 'relative')
_QUESTIONS = (*_ABOUT_ONE, 'list', 'events')
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


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        'Ask a memory. An object that was not seen by then is an error (exit 1); any other '
        '"do not know" is an answer with a reason. A list of nothing is an answer too: exit 0, '
        '[] with --json, otherwise one line on stderr.'
    )
    parser.epilog = _EPILOG
    parser.add_argument('db', metavar='F.db', type=Path, help='a memory file')
    parser.add_argument('question', choices=_QUESTIONS, help='what to ask')
    parser.add_argument(
        'selector', nargs='?', default='', help='the object: its id, else its label, else words'
    )
    exact = parser.add_mutually_exclusive_group()
    exact.add_argument('--id', default='', help='the object with this id')
    exact.add_argument('--label', default='', help='the object(s) with this label')
    exact.add_argument('--text', default='', help='the object(s) that all these words fit')
    parser.add_argument('--at', type=parse_time, metavar='TIME', help=f'as of: {TIME_HELP}')
    parser.add_argument('--epoch', type=int, help='which epoch (default: the newest)')
    parser.add_argument('--camera', default='', help='visible, timeline: only this camera')
    parser.add_argument(
        '--from', dest='start', type=parse_time, metavar='TIME', help='timeline: from then on'
    )
    parser.add_argument(
        '--to', dest='end', type=parse_time, metavar='TIME', help='timeline: up to then, exclusive'
    )
    parser.add_argument(
        '--limit', type=_count, metavar='N', help='timeline: the newest N intervals only'
    )
    parser.add_argument(
        '--reference',
        default='camera',
        help='relative: camera (the one that looked last), camera:NAME, or an object id',
    )
    parser.add_argument(
        '--scheme',
        choices=('4', '8', 'clock', 'beyond3d', 'beyond3d_legacy'),
        default='8',
        help='relative: classes of direction (default: 8)',
    )
    parser.add_argument('--visibility', choices=_VISIBILITIES, help='list: only in this state')
    parser.add_argument('--fixture', default='', help='list: only in or on this fixture')
    parser.add_argument(
        '--moved-since', type=parse_time, metavar='TIME', help='list: put down since then'
    )
    parser.add_argument(
        '--out-of-sight-since',
        type=parse_time,
        metavar='TIME',
        help='list: not visible since then',
    )
    parser.add_argument('--json', action='store_true', help='print JSON')


def run(arguments: argparse.Namespace) -> int:
    """Ask, print, and say with the exit code whether the object is known at all."""
    from st_memory.cli.moments import moment_of
    from st_memory.storage import SqliteMemoryStore

    _check_usage(arguments)
    with SqliteMemoryStore.open(arguments.db, read_only=True) as store:
        at = moment_of(store, arguments.at, arguments.epoch)
        if arguments.question == 'list':
            return _list(store, at, arguments)
        if arguments.question == 'events':
            return _events(store, at, arguments)
        return _ask(store, at, arguments)


def _count(text: str) -> int:
    """Read how many; 0 asks for nothing and is wrong usage."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f'expected a number from 1 on, got {text!r}')
    return int(text)


def _check_usage(arguments: argparse.Namespace) -> None:
    named = [arguments.id, arguments.label, arguments.text]
    if arguments.selector and any(named):
        _usage('give the object once: as SELECTOR, or with --id, --label or --text')
    if arguments.question in _ABOUT_ONE and not (arguments.selector or any(named)):
        _usage(f'{arguments.question} needs an object: SELECTOR, --id, --label or --text')


def _usage(message: str) -> None:
    sys.stderr.write(f'st_memory: error: {message}\ntry: st_memory query --help\n')
    raise SystemExit(2)


def _ask(store: MemoryReader, at: Moment | None, arguments: argparse.Namespace) -> int:
    """Answer a question about one object."""
    from st_memory.cli.answer_fields import answer_fields
    from st_memory.cli.output import print_json
    from st_memory.cli.questions import answer_of
    from st_memory.cli.tables import Clock, timeline_table
    from st_memory.core.errors import StMemoryError
    from st_memory.core.queries import VisibilityAnswer
    from st_memory.core.records import AnswerStatus

    answer = answer_of(store, at, arguments)
    if arguments.json:
        print_json(answer_fields(answer, _fixed_frame(arguments.db)))
    if answer.object is None:
        raise StMemoryError(answer.reason)
    if not arguments.json:
        print(answer.sentence)
        if answer.status is AnswerStatus.AMBIGUOUS:
            _note_ambiguity(answer.sentence, answer.reason)
        if arguments.question == 'timeline' and isinstance(answer, VisibilityAnswer):
            print(timeline_table(answer.intervals, Clock(store, answer.at)))
    return 0


def _note_ambiguity(sentence: str, reason: str) -> None:
    """Say on stderr that others fit, unless the sentence does."""
    if reason not in sentence and 'others that fit' not in sentence:
        sys.stderr.write(f'note: {reason}\n')


def _list(store: MemoryReader, at: Moment | None, arguments: argparse.Namespace) -> int:
    """List the objects that pass the filters; none is an answer too."""
    from st_memory.cli.answer_fields import object_fields
    from st_memory.cli.output import print_json
    from st_memory.cli.tables import object_table
    from st_memory.core.queries import list_objects

    answer = list_objects(store, _filter(store, arguments), at)
    wanted = arguments.selector or arguments.id
    objects = [s for s in answer.objects if not wanted or wanted in (s.object_id, s.label)]
    if arguments.json:
        frame = _fixed_frame(arguments.db)
        print_json([object_fields(state, answer.at, frame) for state in objects])
        return 0
    if objects:
        print(object_table(objects, answer.at))
    else:
        sys.stderr.write('no object passes the filter\n')
    return 0


def _filter(store: MemoryReader, arguments: argparse.Namespace) -> Any:
    from st_memory.cli.moments import moment_of
    from st_memory.core.queries import ObjectFilter
    from st_memory.core.records import Visibility

    moved = moment_of(store, arguments.moved_since, None)
    unseen = moment_of(store, arguments.out_of_sight_since, None)
    return ObjectFilter(
        label=arguments.label,
        visibility=Visibility[arguments.visibility.upper()] if arguments.visibility else None,
        fixture_id=arguments.fixture,
        moved_since_ns=moved.stamp_ns if moved else None,
        out_of_sight_since_ns=unseen.stamp_ns if unseen else None,
    )


def _events(store: MemoryReader, at: Moment | None, arguments: argparse.Namespace) -> int:
    """List what happened."""
    from st_memory.cli.answer_fields import event_fields
    from st_memory.cli.output import print_json
    from st_memory.cli.tables import Clock, event_table

    object_id = arguments.id or arguments.selector or None
    events = store.events(at, object_id=object_id)
    if arguments.json:
        print_json([event_fields(event) for event in events])
        return 0
    print(event_table(events, Clock(store, at)))
    return 0


def _fixed_frame(db: Path) -> str:
    """Name of the fixed frame, from the manifest beside the memory."""
    from st_memory.cli.manifest_file import read_manifest

    manifest = read_manifest(db) or {}
    frame = manifest.get('settings', {}).get('assembler', {}).get('fixed_frame', 'map')
    return str(frame)
