"""``st_memory questions``: write out-of-sight questions from a memory, prompt and score them."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from st_memory.core.geometry import CameraModel

__all__ = ['configure', 'run']

_EPILOG = """\
examples:
  st_memory questions write kitchen.db --bag kitchen.mcap --out questions.jsonl
  st_memory questions write kitchen.db --bag kitchen.mcap --format legacy --out questions.json
  st_memory questions prompt questions.jsonl --cue movements --out prompts.jsonl
  st_memory questions check questions.jsonl
  st_memory questions score questions.jsonl replies.jsonl --json
"""
_EXIT_LEAKS = 3
_FORMATS = ('final', 'legacy')
_CUES = ('none', 'movements', 'unseen', 'both')


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Out-of-sight questions about a memory's own objects by the rules of Beyond3D: moved, at "
        'rest since and surely out of sight, with visible controls, balanced answers and '
        'distractors; prompts for a model, and the score of its replies.'
    )
    parser.epilog = _EPILOG
    stages = parser.add_subparsers(dest='stage', required=True, metavar='STAGE')
    write = stages.add_parser('write', help='write questions with their keys')
    write.add_argument('db', metavar='F.db', type=Path, help='a memory file')
    write.add_argument(
        '--bag', type=Path, required=True, help='what it was made of: gives the calibration'
    )
    write.add_argument('--format', choices=_FORMATS, default='final', help='default: final')
    write.add_argument('--out', metavar='FILE', type=Path, required=True, help='the file to write')
    write.add_argument(
        '--count', metavar='N', type=int, default=60, help='trajectories, at most (default: 60)'
    )
    write.add_argument(
        '--seed', metavar='N', type=int, default=42, help='of what is drawn (default: 42)'
    )
    write.add_argument('--camera', metavar='ID', default='', help='default: the first of the bag')
    write.add_argument('--overwrite', action='store_true', help='replace an existing file')
    prompt = stages.add_parser('prompt', help='write one prompt for each question')
    prompt.add_argument('questions', metavar='FILE', type=Path, help='a question file')
    prompt.add_argument(
        '--cue',
        choices=_CUES,
        default='none',
        help='say when the target was moved, or that it is no longer visible (default: none)',
    )
    prompt.add_argument('--out', metavar='FILE', type=Path, required=True, help='JSON lines')
    prompt.add_argument('--overwrite', action='store_true', help='replace an existing file')
    check = stages.add_parser(
        'check', help='say what can be answered without looking; exit code 3 when something leaks'
    )
    check.add_argument('questions', metavar='FILE', type=Path, help='a question file')
    check.add_argument('--json', action='store_true', help='print JSON')
    score = stages.add_parser('score', help='score replies')
    score.add_argument('questions', metavar='FILE', type=Path, help='a question file')
    score.add_argument(
        'replies', metavar='REPLIES', type=Path, help='lines with id and reply or choice_idx'
    )
    score.add_argument('--json', action='store_true', help='print JSON')


def run(arguments: argparse.Namespace) -> int:
    """Run the stage asked for."""
    stages = {'write': _write, 'prompt': _prompt, 'check': _check, 'score': _score}
    return stages[arguments.stage](arguments)


def _write(arguments: argparse.Namespace) -> int:
    from st_memory.benchmark.questions import write_trajectories, WritingRules
    from st_memory.benchmark.questions.memory_tracks import tracks_of_memory
    from st_memory.benchmark.questions.question_files import read_records, write_records
    from st_memory.benchmark.questions.question_records import record_of
    from st_memory.benchmark.questions.shortcuts import check_shortcuts, leaks_of
    from st_memory.cli.output import refuse_existing, write_text
    from st_memory.core.errors import StMemoryError
    from st_memory.storage import SqliteMemoryStore

    for name in ('count', 'seed'):
        if getattr(arguments, name) < 0:
            raise StMemoryError(f'--{name}: expected >= 0, got {getattr(arguments, name)}')
    report = arguments.out.with_name(f'{arguments.out.name}.shortcuts.json')
    for path in (arguments.out, report):
        inputs = (arguments.db, arguments.bag)
        refuse_existing(path, overwrite=arguments.overwrite, inputs=inputs)
    form = f'beyond3d_{arguments.format}'
    camera_id, camera = _camera(arguments.bag, arguments.camera)
    with SqliteMemoryStore.open(arguments.db, read_only=True) as store:
        tracks = tracks_of_memory(store, camera, arguments.bag.stem, camera_id)
    rules = WritingRules(format=form, may_point_out=False)
    written = write_trajectories(tracks, arguments.count, rules, arguments.seed)
    if not written:
        raise StMemoryError(
            f'{arguments.db}: expected objects that were moved, seen at rest and then out of '
            f'sight for at least {rules.horizons_s[0][0]:g} s, found none'
        )
    write_records(arguments.out, [record_of(tracks, t, form) for t in written], form)
    checked = check_shortcuts(read_records(arguments.out))
    write_text(report, json.dumps(checked, indent=2) + '\n')
    hidden = sum(t.horizon != '' for t in written)
    count = sum(len(t.steps) for t in written)
    print(f'{arguments.out}: {count} questions about {hidden} times out of sight, with '
          f'{len(written) - hidden} visible controls')  # fmt: skip
    for leak in leaks_of(checked):
        print(f'{arguments.out}: can be answered without looking: {leak}', file=sys.stderr)
    return 0


def _camera(bag: Path, camera_id: str) -> tuple[str, CameraModel]:
    """Give the id and the calibration of a camera of a bag."""
    from st_memory.bags import BagFrameSource
    from st_memory.core.errors import StMemoryError

    found: set[str] = set()
    for frame in BagFrameSource(bag).frames():
        for camera in frame.cameras:
            if camera_id in ('', camera.camera_id):
                return camera.camera_id, camera.model
            found.add(camera.camera_id)
    what = f'a camera {camera_id!r}' if camera_id else 'a camera'
    raise StMemoryError(f'{bag}: expected {what}, found {", ".join(sorted(found)) or "none"}')


def _prompt(arguments: argparse.Namespace) -> int:
    from st_memory.benchmark.json_lines import write_lines
    from st_memory.benchmark.questions.prompts import Cue, prompt_of
    from st_memory.benchmark.questions.question_files import read_records, step_key
    from st_memory.cli.output import refuse_existing
    from st_memory.core.errors import DatasetError

    refuse_existing(arguments.out, overwrite=arguments.overwrite, inputs=(arguments.questions,))
    cue = Cue(arguments.cue)
    records = read_records(arguments.questions)
    try:
        rows = [
            {
                'id': step_key(record, step),
                'video_id': record['video_id'],
                'query_time_sec': record['query_time_sec'],
                'prompt': prompt_of(record, step, cue),
            }
            for record in records
            for step in record['steps']
        ]
    except DatasetError as error:
        raise DatasetError(f'{arguments.questions}: {error}') from error
    write_lines(arguments.out, rows)
    print(f'{arguments.out}: {len(rows)} prompts')
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from st_memory.benchmark.questions.question_files import read_records
    from st_memory.benchmark.questions.shortcuts import check_shortcuts, leaks_of
    from st_memory.cli.output import format_table, print_json

    checked = check_shortcuts(read_records(arguments.questions))
    leaks = leaks_of(checked)
    if arguments.json:
        print_json(checked)
    else:
        columns = ('total', 'chance', 'answer_prior', 'position', 'latest_row', 'limit')
        rows = [
            (name, *(_short(figures.get(column)) for column in columns))
            for name, figures in checked.items()
        ]
        print(format_table(('class', *columns), rows))
        for leak in leaks:
            print(f'leaks: {leak}')
    return _EXIT_LEAKS if leaks else 0


def _short(value: float | None) -> str:
    if value is None:
        return '-'
    return str(value) if isinstance(value, int) else f'{value:.2f}'


def _score(arguments: argparse.Namespace) -> int:
    from st_memory.benchmark.questions.question_files import read_records
    from st_memory.benchmark.questions.question_scores import read_replies, score_records
    from st_memory.cli.output import format_table, print_json

    records = read_records(arguments.questions)
    result = score_records(records, read_replies(arguments.replies))
    if arguments.json:
        print_json(result)
        return 0
    rows = [(name, str(value)) for name, value in result.items() if not isinstance(value, dict)]
    for name, group in result.items():
        if isinstance(group, dict):
            rows += [(f'{name}.{key}', _cell(value)) for key, value in group.items()]
    print(format_table(('figure', 'value'), rows))
    return 0


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return f'{value["correct"]}/{value["total"]}'
    return str(value)
