"""``st_memory inspect``: what a memory file holds."""

from __future__ import annotations

import argparse
from pathlib import Path
import sys
from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    from st_memory.storage import StoreSummary

__all__ = ['configure', 'run']

_EPILOG = """\
examples:
  st_memory inspect kitchen.db
  st_memory inspect kitchen.db --json
  st_memory inspect kitchen.db --dump > kitchen.jsonl
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        'Say what a memory file holds. --dump prints all of it as JSON lines; equal memories give '
        'equal bytes.'
    )
    parser.epilog = _EPILOG
    parser.add_argument('db', metavar='F.db', type=Path, help='a memory file')
    how = parser.add_mutually_exclusive_group()
    how.add_argument('--dump', action='store_true', help='print everything as JSON lines')
    how.add_argument('--json', action='store_true', help='print the summary as JSON')


def run(arguments: argparse.Namespace) -> int:
    """Print the summary or the dump."""
    from st_memory.cli.manifest_file import read_manifest
    from st_memory.cli.output import print_json
    from st_memory.storage import inspect

    if arguments.dump:
        return _dump(arguments.db)
    summary = inspect(arguments.db)
    manifest = read_manifest(arguments.db)
    if arguments.json:
        print_json({**_fields(summary), 'manifest': manifest})
        return 0
    print(f'{summary.path}: {summary.size_bytes / 1e6:.1f} MB, schema {summary.schema_version}')
    if manifest is not None:
        state = 'complete' if manifest.get('is_complete') else 'interrupted'
        print(f'from {manifest.get("source")} by st_memory {manifest.get("version")}, {state}')
    for epoch in summary.epochs:
        seconds = (epoch.last_ns - epoch.first_ns) / 1e9
        retired = f' ({epoch.num_retired} more merged or forgotten)' if epoch.num_retired else ''
        print(
            f'epoch {epoch.epoch}: {epoch.num_frames} frames in {seconds:.1f} s, '
            f'{epoch.num_objects} objects{retired}'
        )
    rows = ', '.join(f'{count} {name}' for name, count in summary.counts.items() if count)
    print(f'rows: {rows}')
    return 0


def _fields(summary: StoreSummary) -> dict[str, Any]:
    """Plain fields for JSON."""
    return {
        'path': summary.path,
        'size_bytes': summary.size_bytes,
        'schema_version': summary.schema_version,
        'migrations': list(summary.migrations),
        'epochs': [vars(epoch) for epoch in summary.epochs],
        'counts': dict(summary.counts),
    }


def _dump(db: Path) -> int:
    """Print canonical lines, byte for byte."""
    from st_memory.storage import dump_lines, SqliteMemoryStore

    with SqliteMemoryStore.open(db, read_only=True) as store:
        for line in dump_lines(store):
            sys.stdout.write(line.decode('utf-8'))
    return 0
