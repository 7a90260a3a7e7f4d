"""``st_memory scene``: what a scene file holds, and a mesh of a place from a recording."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from st_memory.scene import BuildSettings

__all__ = ['configure', 'run']

_EPILOG = """\
examples:
  st_memory scene info ../shared/data/beyond3d_p01/P01_final.glb
  st_memory scene info lab.urdf --package-path ~/ws/src --json
  st_memory scene build redkitchen.mcap --out redkitchen.glb --hold-out 10
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of each action."""
    parser.description = 'Look at a scene file, or build a mesh from depth images with poses.'
    parser.epilog = _EPILOG
    actions = parser.add_subparsers(title='actions', metavar='ACTION', required=True)
    info = _action(actions, 'info', 'say what a scene file holds', _info)
    info.epilog = 'example:\n' + '\n'.join(_EPILOG.splitlines()[1:3])
    info.add_argument('file', metavar='FILE', type=Path, help='mesh, URDF or scene description')
    info.add_argument(
        '--package-path',
        metavar='DIR',
        type=Path,
        action='append',
        default=[],
        help="where a URDF's package:// names are looked for; may be repeated",
    )
    info.add_argument('--up', choices=('y', 'z'), help='axis of a mesh file that points up')
    info.add_argument('--unit-m', type=float, metavar='M', help="a mesh file's unit in metres")
    build = _action(actions, 'build', 'make a mesh from depth images (extra open3d)', _build)
    build.epilog = 'example:\n' + _EPILOG.splitlines()[3]
    _configure_build(build)
    for action in (info, build):
        action.add_argument('--json', action='store_true', help='print JSON')


def _configure_build(build: argparse.ArgumentParser) -> None:
    build.add_argument('bag', metavar='BAG', type=Path, help='a bag with poses and depth')
    build.add_argument(
        '--out', metavar='MESH', type=Path, required=True, help='the .glb or .ply file to write'
    )
    build.add_argument('--camera', metavar='NAME', default='', help='only this camera')
    build.add_argument(
        '--voxel-m', type=float, default=0.02, metavar='M', help='side of a voxel (default: 0.02)'
    )
    build.add_argument(
        '--truncation-m',
        type=float,
        metavar='M',
        help='how far behind a surface a measurement tells of space (default: 4 voxels)',
    )
    build.add_argument(
        '--max-depth-m',
        type=float,
        default=4.0,
        metavar='M',
        help='farther is not used (default: 4)',
    )
    build.add_argument(
        '--min-weight',
        type=float,
        default=3.0,
        metavar='N',
        help='about how many looks must agree on a surface (default: 3)',
    )
    build.add_argument(
        '--stride', type=int, default=1, metavar='N', help='use every N-th look (default: 1)'
    )
    build.add_argument('--max-looks', type=int, metavar='N', help='stop after N used looks')
    build.add_argument(
        '--hold-out',
        type=int,
        default=0,
        metavar='N',
        help='keep every N-th look back and measure the mesh against it',
    )
    build.add_argument('--settings', metavar='Y', type=Path, help='a settings file (YAML)')
    build.add_argument('--overwrite', action='store_true', help='replace an existing mesh')


def run(arguments: argparse.Namespace) -> int:
    """Run the action."""
    code: int = arguments.act(arguments)
    return code


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    summary: str,
    act: object,
) -> argparse.ArgumentParser:
    parser = actions.add_parser(
        name,
        help=summary,
        description=f'{summary[0].upper()}{summary[1:]}.',
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(act=act)
    return parser


def _info(arguments: argparse.Namespace) -> int:
    from st_memory.cli.output import print_json
    from st_memory.cli.scene_report import described_scene, scene_lines
    from st_memory.core.errors import StMemoryError
    from st_memory.scene import read_scene

    try:
        loaded = read_scene(
            arguments.file,
            up=arguments.up,
            unit_m=arguments.unit_m,
            package_paths=arguments.package_path,
        )
    except ValueError as error:
        raise StMemoryError(str(error)) from error
    described = described_scene(loaded)
    if arguments.json:
        print_json(described)
    else:
        print('\n'.join(scene_lines(arguments.file, described)))
    return 0


def _build(arguments: argparse.Namespace) -> int:
    from st_memory.bags import BagFrameSource
    from st_memory.cli.output import print_json, progress_bar, refuse_existing
    from st_memory.cli.replay_inputs import naming
    from st_memory.cli.scene_report import described_mesh, mesh_lines
    from st_memory.core.errors import StMemoryError
    from st_memory.core.records import Scene
    from st_memory.scene import build_mesh, EmbreeRayCaster, write_mesh, WRITTEN_SUFFIXES
    from st_memory.settings import load_settings

    if arguments.out.suffix.lower() not in WRITTEN_SUFFIXES:
        known = ' or '.join(WRITTEN_SUFFIXES)
        raise StMemoryError(f'--out: expected a name that ends in {known}, got {arguments.out}')
    refuse_existing(arguments.out, overwrite=arguments.overwrite)
    settings = _build_settings(arguments)
    assembler = load_settings(arguments.settings).assembler
    with naming(arguments.bag), progress_bar('building') as advance:
        source = BagFrameSource(arguments.bag, assembler)
        total = settings.max_looks or 0
        built = build_mesh(source.frames(), settings, lambda done: advance(done, max(total, done)))
    agreement = None
    if len(built.held_out):
        agreement = built.held_out.compare(EmbreeRayCaster(Scene((built.part,))))
    write_mesh(arguments.out, [built.part])
    if arguments.json:
        print_json(described_mesh(arguments.out, built, agreement))
    else:
        print('\n'.join(mesh_lines(arguments.out, built, agreement)))
    return 0


def _build_settings(arguments: argparse.Namespace) -> BuildSettings:
    from st_memory.core.errors import StMemoryError
    from st_memory.scene import BuildSettings

    truncation = 4.0
    try:
        if arguments.truncation_m is not None and arguments.voxel_m > 0:
            truncation = arguments.truncation_m / arguments.voxel_m
        return BuildSettings(
            voxel_m=arguments.voxel_m,
            truncation_voxels=truncation,
            max_depth_m=arguments.max_depth_m,
            min_weight=arguments.min_weight,
            stride=arguments.stride,
            max_looks=arguments.max_looks,
            hold_out=arguments.hold_out,
            camera_id=arguments.camera,
        )
    except ValueError as error:
        raise StMemoryError(str(error)) from error
