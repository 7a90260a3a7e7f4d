"""``st_memory import``: a memory of what was exported."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ['configure', 'run']

_EPILOG = """\
examples:
  st_memory import kitchen.jsonl --db kitchen2.db
  st_memory import kitchen.parquet --db kitchen2.db --overwrite
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        'Make a memory file of what st_memory export wrote. What was cut short or changed is '
        'refused, and nothing is half imported.'
    )
    parser.epilog = _EPILOG
    parser.add_argument('source', metavar='IN', type=Path, help='IN.jsonl or IN.parquet')
    parser.add_argument('--db', metavar='F.db', type=Path, required=True, help='the memory file')
    parser.add_argument('--overwrite', action='store_true', help='replace an existing memory')


def run(arguments: argparse.Namespace) -> int:
    """Import, and say how much it was."""
    from st_memory.cli.manifest_file import manifest_path
    from st_memory.storage import import_memory

    count = import_memory(arguments.source, arguments.db, overwrite=arguments.overwrite)
    manifest_path(arguments.db).unlink(missing_ok=True)  # of the memory that was there
    print(f'{arguments.db}: {count} frames')
    return 0
