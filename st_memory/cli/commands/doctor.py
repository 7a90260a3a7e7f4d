"""``st_memory doctor``: what keeps a bag, or what a node is sent, from being remembered."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    from st_memory.doctor import Diagnosis

__all__ = ['configure', 'run']

_EXIT_CHECK_FAILED = 3
_COLUMNS = ('topic', 'type', 'count', 'Hz', 'longest gap', 'late by', 'encoding', 'used as')
_EPILOG = """\
examples:
  st_memory doctor rosbag_fixtures/kitchen_small.mcap
  st_memory doctor rosbag_fixtures/kitchen_small.mcap --json
  st_memory doctor --live
  st_memory doctor --live robot1/memory_node --about /head/depth/image_raw
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        'Go through a bag as a replay would, or ask a running node, and say what is missing. '
        'Exit code 3 when nothing could be remembered.'
    )
    parser.epilog = _EPILOG
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument('bag', metavar='FILE', type=Path, nargs='?', help='a bag, ROS 2 or ROS 1')
    source.add_argument(
        '--live', metavar='NODE', nargs='?', const='memory_node', help='a running memory_node'
    )
    parser.add_argument(
        '--about', metavar='NAME', default='', help='a topic, camera or object of the node'
    )
    parser.add_argument(
        '--timeout', metavar='S', type=_patience_s, default=10.0, help='wait so long for the node'
    )
    parser.add_argument('--settings', metavar='Y', type=Path, help='a settings file (YAML)')
    parser.add_argument('--json', action='store_true', help='print JSON')


def _patience_s(text: str) -> float:
    value = float(text)
    if not 0.0 < value <= 3600.0:
        raise argparse.ArgumentTypeError(f'expected more than 0 s and at most 3600 s, got {text}')
    return value


def _run_live(arguments: argparse.Namespace) -> int:
    """Ask a node and print."""
    from st_memory.cli.demo.processes import require_ros
    from st_memory.cli.live_doctor import ask_live_doctor, print_live
    from st_memory.cli.output import print_json

    require_ros('doctor --live')
    told = ask_live_doctor(arguments.live, arguments.about, arguments.timeout)
    if arguments.json:
        print_json(told)
    else:
        print_live(told)
    return _EXIT_CHECK_FAILED if told['missing'] else 0


def run(arguments: argparse.Namespace) -> int:
    """Diagnose and print."""
    if arguments.live is not None:
        return _run_live(arguments)
    from st_memory.cli.output import print_json
    from st_memory.cli.replay_inputs import effective_settings
    from st_memory.doctor import diagnose

    settings = effective_settings(arguments.settings)
    diagnosis = diagnose(arguments.bag, settings.assembler)
    if arguments.json:
        print_json(_fields(diagnosis))
    else:
        _print(diagnosis)
    return 0 if diagnosis.is_usable else _EXIT_CHECK_FAILED


def _fields(diagnosis: Diagnosis) -> dict[str, Any]:
    """Plain fields for JSON."""
    from st_memory.doctor import drawn_tree

    links = diagnosis.links
    gap_by_topic = {gap.topic: gap.longest_s for gap in diagnosis.gaps}
    return {
        'path': diagnosis.path,
        'topics': [
            {
                'name': t.topic,
                'type': t.type_name,
                'count': t.num_messages,
                'rate_hz': t.rate_hz,
                'role': t.role.kind.value if t.role else None,
                'stamp_offset_s': t.stamp_offset_s,
                'longest_gap_s': gap_by_topic.get(t.topic),
                'encoding': t.encoding,
                'frame_id': t.frame_id,
            }
            for t in diagnosis.survey.topics
        ],
        'tf': {
            'fixed_frame': diagnosis.fixed_frame,
            'frames': sorted({e.parent for e in links} | {e.child for e in links}),
            'edges': [vars(e) for e in links],
            'tree': drawn_tree(links),
        },
        'cameras': [
            {**vars(c), 'pose_problems': dict(c.pose_problems)} for c in diagnosis.cameras
        ],
        'num_frames': diagnosis.num_frames,
        'num_world_detections': diagnosis.num_world_detections,
        'counters': diagnosis.counters,
        'verdict': 'ok' if diagnosis.is_usable else 'unusable',
        'missing': list(diagnosis.missing),
        'warnings': list(diagnosis.warnings),
    }


def _seconds(value: float | None) -> str:
    return '-' if value is None else f'{value:.3f} s'


def _print(diagnosis: Diagnosis) -> None:
    """Print for people: topics, transforms, cameras, then the verdict."""
    from st_memory.cli.output import format_table
    from st_memory.doctor import drawn_tree

    gap_by_topic = {gap.topic: gap.longest_s for gap in diagnosis.gaps}
    rows = [
        (
            t.topic,
            t.type_name,
            str(t.num_messages),
            '-' if t.rate_hz is None else f'{t.rate_hz:.1f}',
            _seconds(gap_by_topic.get(t.topic)),
            _seconds(t.stamp_offset_s),
            t.encoding or '-',
            t.role.kind.value if t.role else 'not used',
        )
        for t in diagnosis.survey.topics
    ]
    print(format_table(_COLUMNS, rows))
    if diagnosis.links:
        print('tf:')
    for line in drawn_tree(diagnosis.links):
        print(f'  {line}')
    for c in diagnosis.cameras:
        numbers = ', '.join(f'{value:.6g}' for value in c.parameters)
        print(
            f'camera {c.camera_id}: {c.width}x{c.height} {c.model_name} ({numbers}): '
            f'{c.num_looks} looks, {c.num_posed} with a pose, {c.num_depth} with depth, '
            f'{c.num_reports} with a detector result; '
            f'{c.num_located} of {c.num_detections} detections have a position'
            + (f'; own body {100 * c.own_body_share:.1f} %' if c.own_body_share else '')
        )
    for line in diagnosis.warnings:
        print(f'note: {line}')
    for line in diagnosis.missing:
        print(f'missing: {line}')
    verdict = 'ok, it can be remembered' if diagnosis.is_usable else 'unusable as it is'
    print(f'verdict: {verdict}')
