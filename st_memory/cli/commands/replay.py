"""``st_memory replay``: a bag into a memory."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from st_memory.cli.output import Advance
    from st_memory.cli.peeked_source import PeekedSource
    from st_memory.core.stamps import Moment
    from st_memory.replay import ReplayManifest, ReplayProgress, ReplayReport
    from st_memory.settings import Settings

__all__ = ['configure', 'run']

_EPILOG = """\
examples:
  st_memory replay rosbag_fixtures/kitchen_small.mcap --db kitchen.db
  st_memory replay run_17/ --db lab.db --settings config/memory.yaml
  st_memory replay p01.mcap --db p01.db --preset beyond3d_questions_v1 --overwrite
  st_memory replay run_17/ --db lab.db --scene lab.urdf --package-path ~/ws/src
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    from st_memory.cli.scene_input import add_scene_arguments

    parser.description = (
        'Turn a bag into a memory: F.db, and F.db.manifest.json that says what went in. '
        'An interrupted run of the same bag with the same settings is gone on with.'
    )
    parser.epilog = _EPILOG
    parser.add_argument('bag', metavar='IN.mcap', type=Path, help='a bag, ROS 2 or ROS 1')
    parser.add_argument('--db', metavar='F.db', type=Path, required=True, help='the memory file')
    parser.add_argument('--settings', metavar='Y', type=Path, help='a settings file (YAML)')
    parser.add_argument('--preset', metavar='NAME', help='visibility preset, over the settings')
    add_scene_arguments(parser)
    parser.add_argument('--overwrite', action='store_true', help='replace an existing memory')
    parser.add_argument('--json', action='store_true', help='print the manifest as JSON')


def run(arguments: argparse.Namespace) -> int:
    """Check everything that can be checked, then replay."""
    from st_memory.bags import BagFrameSource
    from st_memory.cli.output import print_json, refuse_existing
    from st_memory.cli.replay_inputs import (
        check_resumable,
        effective_settings,
        naming,
        require_usable,
    )
    from st_memory.cli.scene_input import load_given_scene
    from st_memory.replay import build_manifest, hash_source

    refuse_existing(arguments.db, overwrite=True, inputs=(arguments.bag,))
    given = load_given_scene(arguments)
    settings = given.settings(effective_settings(arguments.settings, arguments.preset))
    with naming(arguments.bag):
        bag = BagFrameSource(arguments.bag, settings.assembler, given.scene)
    for line in bag.warnings:
        sys.stderr.write(f'st_memory: warning: {line}\n')
    source = require_usable(bag, arguments.bag)
    digest = hash_source(arguments.bag)
    plain = given.effective(settings)
    manifest = build_manifest(source.name, digest, plain)
    if arguments.db.exists() and not arguments.overwrite:
        check_resumable(arguments.db, manifest)
    begun = time.perf_counter()
    with naming(arguments.bag):
        report, num_objects = _replay(source, bag.covered_ns, settings, manifest, arguments)
    spent_s = time.perf_counter() - begun
    if arguments.json:
        print_json(asdict(build_manifest(source.name, digest, plain, report)))
    else:
        print(_summary(arguments.db, report, num_objects, spent_s))
    if not num_objects:
        sys.stderr.write(
            f'st_memory: note: nothing was remembered; st_memory doctor {arguments.bag} says why\n'
        )
    return 0


def _replay(
    source: PeekedSource,
    covered_ns: int,
    settings: Settings,
    manifest: ReplayManifest,
    arguments: argparse.Namespace,
) -> tuple[ReplayReport, int]:
    """Fold the bag into the file; the manifest is there before the first frame."""
    from st_memory.cli.manifest_file import write_manifest
    from st_memory.cli.output import progress_bar
    from st_memory.core.queries import list_objects
    from st_memory.replay import build_manifest, replay
    from st_memory.scene import ray_caster_named
    from st_memory.storage import SqliteMemoryStore

    scene = source.scene
    caster = ray_caster_named(settings.scene.ray_caster, scene) if scene.parts else None
    if arguments.overwrite:
        _remove(arguments.db)
    if not arguments.db.exists():
        write_manifest(arguments.db, manifest)
    with (
        SqliteMemoryStore.open(arguments.db, synchronous=settings.store.synchronous) as store,
        progress_bar('replaying') as advance,
    ):
        report = replay(
            source,
            store,
            settings.memory,
            caster,
            _in_seconds(advance, covered_ns),
            settings.visibility,
        )
        done = build_manifest(source.name, manifest.input_sha256, manifest.settings, report)
        write_manifest(arguments.db, done)
        return report, len(list_objects(store).objects)


def _in_seconds(advance: Advance, total_ns: int) -> ReplayProgress:
    """Show progress as sensor time gone through, of the time that the bag covers."""
    first_ns: list[int] = []

    def show(_num_frames: int, moment: Moment) -> None:
        if not first_ns:
            first_ns.append(moment.stamp_ns)
        advance(min(moment.stamp_ns - first_ns[0], total_ns), total_ns)

    return show


def _remove(db: Path) -> None:
    """Remove a memory file with what SQLite and we keep beside it, if nobody writes to it."""
    from st_memory.cli.manifest_file import manifest_path
    from st_memory.core.errors import StMemoryError
    from st_memory.storage import SqliteMemoryStore

    if not db.exists():
        return
    SqliteMemoryStore.open(db).close()  # refuses a strange file and one that is being written
    try:
        for name in (db, *(db.with_name(db.name + end) for end in ('-wal', '-shm'))):
            name.unlink(missing_ok=True)
        manifest_path(db).unlink(missing_ok=True)
    except OSError as error:
        raise StMemoryError(f'{db}: cannot be replaced ({error.strerror})') from error


def _summary(db: Path, report: ReplayReport, num_objects: int, spent_s: float) -> str:
    from st_memory.core.stamps import NS_PER_S

    if report.first is None or report.last is None:
        return f'{db}: no frames'
    objects = f'{num_objects} object{"" if num_objects == 1 else "s"}'
    left_out = sum(report.source_counters.values())
    dropped = f', {left_out} pieces of input left out (see the manifest)' if left_out else ''
    if not report.num_frames:
        return f'{db}: nothing new, all {report.num_resumed} frames were there, {objects}'
    if report.num_resumed:
        done = f'{report.num_frames} frames ({report.num_resumed} were there) in {spent_s:.1f} s'
    else:
        covered_s = (report.last.stamp_ns - report.first.stamp_ns) / NS_PER_S
        done = (
            f'{report.num_frames} frames, {covered_s:.1f} s in {spent_s:.1f} s '
            f'({covered_s / max(spent_s, 1e-9):.0f}x real time)'
        )
    return f'{db}: {done}, {objects}{dropped}'
