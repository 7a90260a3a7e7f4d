"""``st_memory feed``: bring a copy of a memory up to date."""

from __future__ import annotations

import argparse

__all__ = ['configure', 'run']

_EPILOG = """\
examples:
  st_memory feed kitchen.db copy.db
  st_memory feed kitchen.db 'postgresql://fleet@db.lab/robots#kitchen'
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        'Append to a copy the frames that it lacks; makes the copy when there is none. The memory '
        'may be written to meanwhile. In a PostgreSQL database (extra fleet) each robot has a '
        'memory of its own name, after the #. A copy of another memory is refused.'
    )
    parser.epilog = _EPILOG
    parser.add_argument('db', metavar='F.db', help='the memory')
    parser.add_argument('copy', metavar='COPY', help='a memory file, or postgresql://...#memory')


def run(arguments: argparse.Namespace) -> int:
    """Feed, and say how much it was."""
    from st_memory.storage import feed_memory, open_memory

    with (
        open_memory(arguments.db, read_only=True) as source,
        open_memory(arguments.copy) as copy,
    ):
        count = feed_memory(source, copy)
        checkpoint = copy.checkpoint()
        held = 0 if checkpoint is None else checkpoint.frame.seq + 1
        noun = 'frame' if count == 1 else 'frames'
        print(f'{copy.name}: {count} {noun} added, {held} held')
    return 0
