"""``st_memory query``: one question, one answer."""

from __future__ import annotations

import argparse
from pathlib import Path
import sys
from typing import TYPE_CHECKING

from st_memory.cli.query_options import add_options, check_usage, QUESTIONS

if TYPE_CHECKING:
    from st_memory.core.ports import MemoryReader
    from st_memory.core.queries import Answer
    from st_memory.core.stamps import Moment

__all__ = ['configure', 'run']

_EPILOG = """\
examples:
  st_memory query kitchen.db list
  st_memory query kitchen.db list --label mug --json
  st_memory query kitchen.db where mug_1
  st_memory query kitchen.db where --text 'coffee cup'
  st_memory query kitchen.db visible mug_1 --at +30
  st_memory query kitchen.db timeline mug_1 --from +10 --to +20 --limit 5
  st_memory query kitchen.db last-seen mug_1
  st_memory query kitchen.db last-placed mug_1
  st_memory query kitchen.db itinerary mug_1
  st_memory query kitchen.db moves mug_1 --since +10
  st_memory query kitchen.db relative mug_1 --scheme clock
  st_memory query kitchen.db fixture mug_1
  st_memory query kitchen.db find mug_1
  st_memory query kitchen.db contents cupboard_5
  st_memory query kitchen.db changes --since +20
  st_memory query kitchen.db predict --limit 3
  st_memory query kitchen.db events
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        'Ask a memory. An object that was not seen by then is an error (exit 1); any other '
        '"do not know" is an answer with a reason. A list of nothing is an answer too: exit 0, '
        'no objects with --json, otherwise one line on stderr. An option that does not belong to '
        'the question is wrong usage (exit 2).'
    )
    parser.epilog = _EPILOG
    parser.add_argument('db', metavar='F.db', help='a memory file, or postgresql://...#memory')
    parser.add_argument('question', choices=QUESTIONS, help='what to ask')
    parser.add_argument(
        'selector',
        nargs='?',
        default='',
        help='the object (contents: or fixture): its id, else its label, else words',
    )
    add_options(parser)
    parser.add_argument('--json', action='store_true', help='print JSON')


def run(arguments: argparse.Namespace) -> int:
    """Ask, print, and say with the exit code whether the object is known at all."""
    from st_memory.cli.moments import moment_of
    from st_memory.storage import open_memory

    check_usage(arguments)
    with open_memory(arguments.db, read_only=True) as store:
        at = moment_of(store, arguments.at, arguments.epoch)
        if arguments.question == 'events':
            return _events(store, at, arguments)
        return _ask(store, at, arguments)


def _ask(store: MemoryReader, at: Moment | None, arguments: argparse.Namespace) -> int:
    """Answer any question but that for events."""
    from st_memory.asking.answer_fields import answer_fields
    from st_memory.cli.answer_tables import answer_table, is_answered
    from st_memory.cli.manifest_file import fixed_frame
    from st_memory.cli.output import print_json
    from st_memory.cli.questions import answer_of
    from st_memory.cli.tables import Clock
    from st_memory.core.errors import StMemoryError
    from st_memory.core.queries import ListAnswer

    answer = answer_of(store, at, arguments)
    if arguments.json:
        print_json(answer_fields(answer, fixed_frame(Path(arguments.db))))
    if not is_answered(answer):
        raise StMemoryError(answer.reason)
    if arguments.json:
        return 0
    table = answer_table(answer, Clock(store, answer.at))
    if isinstance(answer, ListAnswer):
        if answer.reason:
            sys.stderr.write(f'note: {answer.status.name}: {answer.reason}\n')
        if not answer.objects:
            sys.stderr.write('no object passes the filter\n')
            return 0
    else:
        print(answer.sentence)
        _note(answer)
    if table:
        print(table)
    return 0


def _note(answer: Answer) -> None:
    """Say on stderr that others fit, or what was meant, unless the sentence does."""
    from st_memory.core.records import AnswerStatus

    if not answer.reason or answer.reason in answer.sentence:
        return
    is_told = 'others that fit' in answer.sentence and answer.status is AnswerStatus.AMBIGUOUS
    if answer.status in (AnswerStatus.AMBIGUOUS, AnswerStatus.KNOWN) and not is_told:
        sys.stderr.write(f'note: {answer.reason}\n')


def _events(store: MemoryReader, at: Moment | None, arguments: argparse.Namespace) -> int:
    """List what happened."""
    from st_memory.asking.answer_fields import event_fields
    from st_memory.asking.told_events import events_about
    from st_memory.cli.output import print_json
    from st_memory.cli.tables import Clock, event_table

    word, object_id = arguments.selector or '', arguments.id or ''
    events, reason = events_about(store, at, word=word, object_id=object_id)
    if reason:
        sys.stderr.write(f'note: {reason}\n')
    if arguments.json:
        print_json([event_fields(event) for event in events])
        return 0
    print(event_table(events, Clock(store, at)))
    return 0
