"""``st_memory export``: a memory as JSON lines or Parquet."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ['configure', 'run']

_EPILOG = """\
examples:
  st_memory export kitchen.db kitchen.jsonl
  st_memory export kitchen.db kitchen.parquet
  st_memory export 'postgresql://fleet@db.lab/robots#kitchen' kitchen.parquet
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        'Write all of a memory as of now: a file of JSON lines, or a folder of Parquet tables '
        '(extra parquet). st_memory import makes the same memory of it, byte for byte in its dump.'
    )
    parser.epilog = _EPILOG
    parser.add_argument('db', metavar='F.db', help='a memory file, or postgresql://...#memory')
    parser.add_argument('out', metavar='OUT', type=Path, help='OUT.jsonl or OUT.parquet')
    parser.add_argument('--overwrite', action='store_true', help='replace what is there')


def run(arguments: argparse.Namespace) -> int:
    """Export, and say how much it was."""
    from st_memory.storage import check_format, export_memory, open_memory

    check_format(arguments.out)
    with open_memory(arguments.db, read_only=True) as store:
        count = export_memory(store, arguments.out, overwrite=arguments.overwrite)
    print(f'{arguments.out}: {count} frames')
    return 0
