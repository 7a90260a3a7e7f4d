"""``st_memory demo``: a recording through the real nodes, asked as a planner would."""

from __future__ import annotations

import argparse
from dataclasses import asdict
import json
from pathlib import Path
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from st_memory.cli.demo import MarkedAnswer

__all__ = ['configure', 'run']

_BAG = Path('rosbag_fixtures/kitchen_small.mcap')
_OUT = Path('build/demo')
_FAILED = 3
_EPILOG = """\
examples:
  st_memory demo
  st_memory demo --rate 0 --out build/demo_fast
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        'Replay a kitchen through memory_node and replay_node, ask while the things are out of '
        'sight, and mark the answers against the truth beside the bag. Writes answers.json and '
        'report.html. Exit 3 when fewer than half of the answers are right, a service did not '
        'answer, or nothing asked about was out of sight.'
    )
    parser.epilog = _EPILOG
    parser.add_argument('--bag', type=Path, default=_BAG, help=f'default: {_BAG}')
    parser.add_argument('--out', type=Path, default=_OUT, help=f'default: {_OUT}')
    parser.add_argument(
        '--rate', type=float, default=4.0, help='speed; 0: as fast as it goes (default: 4)'
    )
    parser.add_argument('--timeout', type=float, default=150.0, help='seconds (default: 150)')
    parser.add_argument('--json', action='store_true', help='print answers.json instead')


def run(arguments: argparse.Namespace) -> int:
    """Choose, run, mark, draw, print, and say with the exit code whether it is good enough."""
    from st_memory.cli.demo import choose_questions, find_truth, mark, run_nodes, Truth
    from st_memory.cli.demo.processes import require_ros
    from st_memory.cli.demo.report import write_report
    from st_memory.cli.demo.verdict import failures
    from st_memory.cli.output import write_text

    require_ros()
    bag = _find(arguments.bag)
    truth = Truth.load(find_truth(bag))
    questions = choose_questions(truth)
    if not questions:
        return _fail([f'{bag}: nothing is out of sight for long enough to be asked about'])
    out = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    nodes = run_nodes(bag, questions, out, arguments.rate, arguments.timeout)
    marked = [
        mark(question, answer['response'], answer['latency_ms'], truth)
        for question, answer in zip(questions, nodes.answers, strict=True)
    ]
    write_text(out / 'answers.json', json.dumps([asdict(m) for m in marked], indent=2) + '\n')
    write_report(out / 'report.html', bag.name, nodes.database, marked, truth)
    _print(marked, bag.name, arguments)
    return _fail(failures(marked))


def _print(marked: Sequence[MarkedAnswer], name: str, arguments: argparse.Namespace) -> None:
    """Print the transcript, the files and, last, the share of right answers."""
    from st_memory.cli.demo.transcript import transcript
    from st_memory.cli.demo.verdict import score
    from st_memory.cli.output import print_json

    if arguments.json:
        print_json([asdict(m) for m in marked])
        return
    print(transcript(marked, name))
    print(f'\n{arguments.out / "answers.json"}\n{arguments.out / "report.html"}')
    print(score(marked))


def _fail(reasons: Sequence[str]) -> int:
    """Say on stderr what is not good enough; gives the exit code."""
    for reason in reasons:
        sys.stderr.write(f'st_memory: demo failed: {reason}\n')
    return _FAILED if reasons else 0


def _find(bag: Path) -> Path:
    """Look where we are, then in the checkout."""
    checkout = Path(__file__).resolve().parents[3]
    return bag if bag.exists() or bag.is_absolute() else checkout / bag
