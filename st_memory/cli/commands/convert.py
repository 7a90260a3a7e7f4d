"""``st_memory convert``: a dataset, or the rendered kitchen, into a bag."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from st_memory.core.records import Scene
    from st_memory.datasets import AdtReport, Hot3dReport

__all__ = ['configure', 'run']

_EPILOG = """\
examples:
  st_memory convert rgbd ../shared/data/rgbd_7scenes_redkitchen redkitchen.mcap
  st_memory convert beyond3d ../shared/data/beyond3d_p01 p01.mcap
  st_memory convert adt ../shared/data/adt_kitchen adt.mcap
  st_memory convert hot3d ../shared/data/hot3d_sample hot3d.mcap
  st_memory convert kitchen --seed 7 --duration 20 kitchen.mcap --truth kitchen_truth
"""
# Each missing piece gets a line of its own, up to so many.
_LISTED = 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of each kind of source."""
    parser.description = 'Make a bag (MCAP) from a dataset, or from the rendered kitchen.'
    parser.epilog = _EPILOG
    kinds = parser.add_subparsers(title='sources', metavar='SOURCE', required=True)
    rgbd = _kind(kinds, 'rgbd', 'a folder of RGB-D frames (7-Scenes, 3DMatch)', _convert_rgbd)
    rgbd.epilog = _EPILOG.splitlines()[1].join(('example:\n', '\n'))
    rgbd.add_argument('src', metavar='SRC', type=Path, help='the folder')
    rgbd.add_argument('--rate', type=float, default=30.0, help='frames a second (default: 30)')
    beyond3d = _kind(kinds, 'beyond3d', 'a Beyond3D video folder', _convert_beyond3d)
    beyond3d.epilog = _EPILOG.splitlines()[2].join(('example:\n', '\n'))
    beyond3d.add_argument('src', metavar='SRC', type=Path, help='the folder')
    beyond3d.add_argument(
        '--scene', type=Path, help='the kitchen twin (default: the only .glb in SRC)'
    )
    beyond3d.add_argument(
        '--lookahead-first-location',
        action='store_true',
        help='write first locations at the start, before they are known; for the benchmark only',
    )
    adt = _kind(kinds, 'adt', 'an Aria Digital Twin folder', _convert_adt)
    adt.epilog = _EPILOG.splitlines()[3].join(('example:\n', '\n'))
    adt.add_argument('src', metavar='SRC', type=Path, help='the folder (with raw and extracted)')
    hot3d = _kind(kinds, 'hot3d', 'a HOT3D sequence of Aria glasses', _convert_hot3d)
    hot3d.epilog = _EPILOG.splitlines()[4].join(('example:\n', '\n'))
    hot3d.add_argument(
        'src', metavar='SRC', type=Path, help='the sequence, or the folder around it'
    )
    kitchen = _kind(kinds, 'kitchen', 'the rendered kitchen', _render_kitchen)
    kitchen.epilog = _EPILOG.splitlines()[5].join(('example:\n', '\n'))
    kitchen.add_argument('--seed', type=int, required=True, help='seed of everything')
    kitchen.add_argument(
        '--duration', type=float, default=60.0, metavar='S', help='seconds (default: 60)'
    )
    kitchen.add_argument('--noise', default='standard', help='noise preset (default: standard)')
    kitchen.add_argument(
        '--truth', type=Path, metavar='DIR', required=True, help='where the truth goes'
    )
    for sub in (rgbd, beyond3d, adt, hot3d, kitchen):
        sub.add_argument('out', metavar='OUT.mcap', type=Path, help='the bag to write')
        sub.add_argument('--overwrite', action='store_true', help='replace an existing bag')


def run(arguments: argparse.Namespace) -> int:
    """Convert, then say what was written and what was missing."""
    from st_memory.cli.output import refuse_existing

    refuse_existing(arguments.out, overwrite=arguments.overwrite)
    for line in arguments.convert(arguments):
        print(line)
    return 0


def _kind(
    kinds: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    summary: str,
    convert: object,
) -> argparse.ArgumentParser:
    parser = kinds.add_parser(
        name,
        help=summary,
        description=f'Make a bag from {summary}.',
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(convert=convert)
    return parser


def _convert_rgbd(arguments: argparse.Namespace) -> Sequence[str]:
    from st_memory.bags import BagRecorder
    from st_memory.cli.output import progress_bar
    from st_memory.core.errors import StMemoryError
    from st_memory.datasets import convert_rgbd

    if not arguments.rate > 0:
        raise StMemoryError(f'--rate: expected a rate above 0, got {arguments.rate}')
    with (
        BagRecorder(arguments.out, overwrite=arguments.overwrite) as sink,
        progress_bar('converting') as advance,
    ):
        report = convert_rgbd(arguments.src, sink, rate_hz=arguments.rate, progress=advance)
    seconds = (report.last_stamp_ns - report.first_stamp_ns) / 1e9
    missing = f', {len(report.problems)} pieces missing' if report.problems else ''
    gaps = f', {len(report.gaps)} gaps' if report.gaps else ''
    return (
        f'{arguments.out}: {report.num_poses} of {report.num_frames} frames over {seconds:.1f} s, '
        f'{report.num_color} colour, {report.num_depth} depth '
        f'({report.no_depth_fraction:.0%} of the pixels without depth){missing}{gaps}',
    )


def _convert_beyond3d(arguments: argparse.Namespace) -> Sequence[str]:
    from st_memory.bags import BagRecorder
    from st_memory.datasets import convert_beyond3d

    scene = _twin(arguments.src, arguments.scene)
    with BagRecorder(arguments.out, overwrite=arguments.overwrite) as sink:
        report = convert_beyond3d(
            arguments.src,
            sink,
            scene=scene,
            lookahead_first_location=arguments.lookahead_first_location,
        )
    ahead = f' ({report.num_lookahead} ahead of their time)' if report.num_lookahead else ''
    return (
        f'{arguments.out}: {report.num_poses} poses, {report.num_objects} objects, '
        f'{report.num_observations} positions{ahead}, {report.num_movements} movements, '
        f'{len(scene.fixtures)} fixtures',
    )


def _convert_adt(arguments: argparse.Namespace) -> Sequence[str]:
    from st_memory.bags import BagRecorder
    from st_memory.cli.output import progress_bar
    from st_memory.datasets import convert_adt

    with (
        BagRecorder(arguments.out, overwrite=arguments.overwrite) as sink,
        progress_bar('converting') as advance,
    ):
        report = convert_adt(arguments.src, sink, progress=advance)
    return (
        f'{arguments.out}: {report.num_poses} poses, {len(report.stream_by_camera)} cameras, '
        f'{report.num_depth} depth, {report.num_color} colour, {len(report.object_ids)} objects, '
        f'{report.num_observations} positions, {report.num_movements} movements',
        *_missing(report),
    )


def _convert_hot3d(arguments: argparse.Namespace) -> Sequence[str]:
    from st_memory.bags import BagRecorder
    from st_memory.cli.output import progress_bar
    from st_memory.datasets import convert_hot3d, find_hot3d
    from st_memory.scene import load_scene

    paths = find_hot3d(arguments.src).mesh_paths
    meshes = {object_id: load_scene(path, up='z') for object_id, path in paths.items()}
    with (
        BagRecorder(arguments.out, overwrite=arguments.overwrite) as sink,
        progress_bar('converting') as advance,
    ):
        report = convert_hot3d(arguments.src, sink, meshes=meshes, progress=advance)
    return (
        f'{arguments.out}: {report.num_poses} poses, {len(report.stream_by_camera)} cameras, '
        f'{report.num_looks} looks, {len(report.object_ids)} objects, {report.num_meshes} meshes, '
        f'{report.num_observations} positions, {report.num_movements} movements',
        *_missing(report),
    )


def _missing(report: AdtReport | Hot3dReport) -> list[str]:
    """Say what is missing: how much, then what, then the gaps in time."""
    lines = [f'missing: {p.what} ({p.where}: {p.reason})' for p in report.problems]
    lines += [f'gap: {(b - a) / 1e9:.3f} s after {a}' for a, b in report.gaps]
    listed = lines[:_LISTED]
    if len(lines) > _LISTED:
        listed.append(f'... and {len(lines) - _LISTED} more')
    count = f'{len(report.problems)} pieces missing, {len(report.gaps)} gaps'
    return [count, *listed] if lines else []


def _render_kitchen(arguments: argparse.Namespace) -> Sequence[str]:
    from st_memory.bags import BagRecorder
    from st_memory.core.errors import StMemoryError
    from st_memory.sim import KitchenSpec, render_kitchen

    if arguments.truth.exists() and not arguments.truth.is_dir():
        raise StMemoryError(f'{arguments.truth}: expected a folder for the truth, found a file')
    if arguments.truth.exists() and any(arguments.truth.iterdir()) and not arguments.overwrite:
        raise StMemoryError(f'{arguments.truth}: is not empty; --overwrite replaces the truth')
    try:
        spec = KitchenSpec(arguments.seed, arguments.duration, noise=arguments.noise)
    except ValueError as error:
        raise StMemoryError(str(error)) from error
    with BagRecorder(arguments.out, overwrite=arguments.overwrite) as sink:
        render_kitchen(spec, sink, arguments.truth)
    return (f'{arguments.out}: {spec.num_images} images over {spec.duration_s:g} s',)


def _twin(folder: Path, given: Path | None) -> Scene:
    """Load the kitchen twin: the file named, or the only one there is."""
    from st_memory.core.errors import DatasetError
    from st_memory.scene import load_scene

    if given is not None:
        return load_scene(given)
    found = sorted(folder.glob('*.glb'))
    if len(found) != 1:
        raise DatasetError(
            f'{folder}: expected one kitchen twin (*.glb), found {len(found)}; '
            'name it with --scene'
        )
    return load_scene(found[0])
