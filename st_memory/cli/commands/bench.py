"""``st_memory bench``: predict and score benchmarks."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path
from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ['configure', 'run']

_EPILOG = """\
examples:
  st_memory bench list
  st_memory bench predict beyond3d-track --data beyond3d_p01 --out build/track
  st_memory bench score beyond3d-track --data beyond3d_p01 --out build/track
  st_memory bench run beyond3d-track --data beyond3d_p01 --out build/track --json
  st_memory -v bench run kitchen-visibility --out build/kitchens --seed 7
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        'Score the memory on recorded data in two stages: predict reads no truth and writes '
        'per-item files, score compares them with the truth; run does both.'
    )
    parser.epilog = _EPILOG
    stages = parser.add_subparsers(dest='stage', required=True, metavar='STAGE')
    listing = stages.add_parser('list', help='name the benchmarks')
    listing.add_argument('--json', action='store_true', help='print JSON')
    for stage, text in (
        ('predict', 'write the per-item predictions; needs no truth'),
        ('score', 'score predictions that are there'),
        ('run', 'predict, then score'),
    ):
        sub = stages.add_parser(stage, help=text)
        sub.add_argument('name', metavar='NAME', help='a benchmark, see bench list')
        sub.add_argument(
            '--data',
            metavar='DIR',
            type=Path,
            help='its data; what is rendered goes there (default: into --out)',
        )
        sub.add_argument('--out', metavar='DIR', type=Path, required=True, help='for the results')
        sub.add_argument(
            '--seed',
            metavar='N',
            type=int,
            help='of what is random (default: 0, or a fresh one for what is rendered)',
        )
        sub.add_argument('--json', action='store_true', help='print JSON')


def run(arguments: argparse.Namespace) -> int:
    """Run the stages asked for."""
    from st_memory.benchmark import benchmark_named, BENCHMARKS, run_predict, run_score
    from st_memory.cli.output import format_table, print_json

    if arguments.stage == 'list':
        rows = [(b.name, b.summary) for b in BENCHMARKS.values()]
        if arguments.json:
            print_json([{'name': name, 'summary': summary} for name, summary in rows])
        else:
            print(format_table(('name', 'what it measures'), rows))
        return 0
    benchmark = benchmark_named(arguments.name)
    # Some run for minutes: how far they are is said without being asked for.
    logging.getLogger('st_memory.benchmark').setLevel(logging.INFO)
    result: Mapping[str, Any] = {}
    if arguments.stage in ('predict', 'run'):
        result = run_predict(benchmark, arguments.data, arguments.out, arguments.seed)
    if arguments.stage in ('score', 'run'):
        result = run_score(benchmark, arguments.data, arguments.out)
    if arguments.json:
        print_json(result)
    else:
        figures = {name: value for name, value in result.items() if name != 'details'}
        print(format_table(('figure', 'value'), _flat(figures)))
    return 0


def _flat(values: Mapping[str, Any], prefix: str = '') -> list[tuple[str, str]]:
    """Nested figures as rows; {correct, total} in one."""
    rows: list[tuple[str, str]] = []
    for name, value in values.items():
        if isinstance(value, dict) and set(value) == {'correct', 'total'}:
            rows.append((f'{prefix}{name}', f'{value["correct"]}/{value["total"]}'))
        elif isinstance(value, dict):
            rows += _flat(value, f'{prefix}{name}.')
        else:
            rows.append((f'{prefix}{name}', str(value)))
    return rows
