"""``st_memory edit``: tell a memory what its sensors cannot know."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from st_memory.cli.typed_time import parse_time

if TYPE_CHECKING:
    from st_memory.core.records import Edit

__all__ = ['configure', 'run']

_EPILOG = """\
examples:
  st_memory edit kitchen.db rename mug_1 --label cup --note hers
  st_memory edit kitchen.db mark --label keys --pose 1.2 0.4 0.9
  st_memory edit kitchen.db merge mug_1 mug_2
  st_memory edit kitchen.db split mug_1 mug_2
  st_memory edit kitchen.db forget bowl_1
  st_memory edit kitchen.db restore bowl_1
"""
_ACTIONS = ('mark', 'rename', 'merge', 'split', 'forget', 'restore')


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        'Tell a memory file something, as ~/edit_object tells a running one. What is said is kept '
        'as an event with source "human"; answers as of earlier times stay as they were.'
    )
    parser.epilog = _EPILOG
    parser.add_argument('db', metavar='F.db', type=Path, help='a memory file')
    parser.add_argument('action', choices=_ACTIONS, help='what to do')
    parser.add_argument('object', nargs='?', default='', help='id of the object (mark: or none)')
    parser.add_argument('other', nargs='?', default='', help='second object of merge and split')
    parser.add_argument('--label', default='', help='its name (mark, rename, split)')
    parser.add_argument(
        '--pose',
        nargs=3,
        type=float,
        metavar=('X', 'Y', 'Z'),
        help='where it is, fixed frame, metres (mark, split)',
    )
    parser.add_argument('--note', default='', help='why, in your words')
    parser.add_argument(
        '--at',
        metavar='T',
        type=parse_time,
        help='only for an empty memory: seconds (12.5) or nanoseconds (12500000000ns)',
    )
    parser.add_argument(
        '--settings',
        metavar='Y',
        type=Path,
        help='a settings file (default: the manifest has them)',
    )
    parser.add_argument('--json', action='store_true', help='print JSON')


def run(arguments: argparse.Namespace) -> int:
    """Tell it and print what changed."""
    from st_memory.cli.told_memory import check_tellable, told_memory

    check_tellable(arguments.db)
    from st_memory.asking.answer_fields import answer_fields
    from st_memory.cli.output import print_json
    from st_memory.core.queries import edit_answer
    from st_memory.replay import tell_edit

    edit = _edit(arguments)
    at_ns = None if arguments.at is None else arguments.at.ns
    with told_memory(arguments.db, arguments.settings) as told:
        delta = tell_edit(told.memory, told.store, edit, at_ns)
        answer = edit_answer(told.store, edit, delta)
    if arguments.json:
        print_json(answer_fields(answer, told.fixed_frame))
    else:
        print(answer.sentence)
    return 0


def _edit(arguments: argparse.Namespace) -> Edit:
    from st_memory.core.records import Edit, EditAction

    place = None if arguments.pose is None else tuple(arguments.pose)
    return Edit(
        EditAction[arguments.action.upper()],
        arguments.object,
        arguments.other,
        arguments.label,
        place,
        note=arguments.note,
    )
