"""``st_memory rebase``: bring a memory into a new map, or onto a corrected trajectory."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, TYPE_CHECKING

from st_memory.cli.typed_time import parse_time, TIME_HELP

if TYPE_CHECKING:
    from st_memory.cli.told_memory import ToldMemory
    from st_memory.core.queries import RebaseAnswer
    from st_memory.core.records import Rebase

__all__ = ['configure', 'run']

_EPILOG = """\
examples:
  st_memory rebase kitchen.db new-origin --dry-run
  st_memory rebase kitchen.db new-origin --translation 1.5 0 0 --rotation 0 0 0.7071068 0.7071068
  st_memory rebase kitchen.db corrected poses.csv --frame head --note loop

poses.csv has the columns stamp_ns, x, y, z, qx, qy, qz, qw: corrected poses of the frame in the
fixed frame, metres, as dense as its motion demands (between two of them it is interpolated).
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        'Tell a memory file that the map has another origin (objects known from an earlier epoch '
        'only are brought along), or where its cameras really were. Opens a new epoch; answers as '
        'of earlier times stay as they were.'
    )
    parser.epilog = _EPILOG
    parser.add_argument('db', metavar='F.db', type=Path, help='a memory file')
    kinds = parser.add_subparsers(dest='kind', required=True, metavar='KIND')
    origin = kinds.add_parser('new-origin', help='every place is moved')
    origin.add_argument(
        '--translation',
        nargs=3,
        type=float,
        metavar=('X', 'Y', 'Z'),
        default=(0.0, 0.0, 0.0),
        help='origin of the old frame in the new one, metres (default: the same)',
    )
    origin.add_argument(
        '--rotation',
        nargs=4,
        type=float,
        metavar=('QX', 'QY', 'QZ', 'QW'),
        default=(0.0, 0.0, 0.0, 1.0),
        help='attitude of the old frame in the new one (default: the same)',
    )
    corrected = kinds.add_parser('corrected', help='what was measured is projected anew')
    corrected.add_argument('poses', metavar='P.csv', type=Path, help='corrected poses')
    corrected.add_argument(
        '--frame', required=True, help='whose poses they are: a camera, or base'
    )
    corrected.add_argument(
        '--until',
        metavar='T',
        type=parse_time,
        help=f'only what was observed by then: {TIME_HELP}',
    )
    for kind in (origin, corrected):
        kind.add_argument('--dry-run', action='store_true', help='only say what would change')
        kind.add_argument('--note', default='', help='why, in your words')
        kind.add_argument(
            '--settings',
            metavar='Y',
            type=Path,
            help='a settings file (default: the manifest has them)',
        )
        kind.add_argument('--json', action='store_true', help='print JSON')


def run(arguments: argparse.Namespace) -> int:
    """Plan, carry out unless told not to, and print."""
    from st_memory.cli.told_memory import check_tellable, told_memory

    check_tellable(arguments.db)
    from st_memory.asking.answer_fields import answer_fields
    from st_memory.cli.output import print_json
    from st_memory.core.queries import rebase_answer
    from st_memory.core.stamps import Moment
    from st_memory.replay import tell_rebase

    with told_memory(arguments.db, arguments.settings) as told:
        plan = _plan(told, arguments)
        delta = None if arguments.dry_run else tell_rebase(told.memory, told.store, plan)
        answer = rebase_answer(plan, delta, told.store.now() or Moment(0, 0))
    if arguments.json:
        print_json({**answer_fields(answer, told.fixed_frame), **_special_fields(answer)})
    else:
        print(answer.sentence)
    return 0


def _special_fields(answer: RebaseAnswer) -> dict[str, Any]:
    return {
        'epoch': answer.epoch,
        'num_observations': answer.num_observations,
        'num_left': answer.num_left,
        'num_objects': answer.num_objects,
        'merged': [list(pair) for pair in answer.merged],
        'max_shift_m': answer.max_shift_m,
    }


def _plan(told: ToldMemory, arguments: argparse.Namespace) -> Rebase:
    from st_memory.cli.moments import moment_of
    from st_memory.cli.pose_file import read_poses
    from st_memory.core.errors import EditError
    from st_memory.core.geometry import RigidTransform
    from st_memory.core.memory.corrected_trajectory import CorrectedTrajectory
    from st_memory.core.memory.rebase import plan_correction, plan_new_origin
    from st_memory.core.records import BASE_LOOK

    numbers = told.settings.memory
    if arguments.kind == 'new-origin':
        try:
            new_T_old = RigidTransform(arguments.translation, arguments.rotation)
        except ValueError as error:
            raise EditError(f'new origin: {error}') from error
        return plan_new_origin(told.store, new_T_old, numbers, arguments.note)
    frame = BASE_LOOK if arguments.frame == 'base' else arguments.frame
    if told.store.look_at(frame) is None:
        names = {look.camera_id for look in told.store.looks(None)}
        known = sorted('base' if name == BASE_LOOK else name for name in names)
        if not known:
            raise EditError(
                f'--frame {arguments.frame}: nothing has looked yet in the newest epoch of this '
                'memory, so there is no trajectory to correct'
            )
        raise EditError(
            f'--frame {arguments.frame}: expected one of {", ".join(known)}: the memory '
            'knows no pose of it'
        )
    until = moment_of(told.store, arguments.until, None)
    trajectory = CorrectedTrajectory(
        read_poses(arguments.poses),
        until_ns=None if until is None else until.stamp_ns,
        frame=frame,
    )
    return plan_correction(told.store, trajectory, numbers, arguments.note)
