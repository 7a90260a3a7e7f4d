"""``st_memory compact``: fewer observations, nothing else changed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from st_memory.storage import Retention

__all__ = ['configure', 'run']

_EPILOG = """\
examples:
  st_memory compact kitchen.db --older-than 86400 --every 60
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        'Thin out what was measured: of the older observations of an object by a camera the first '
        'stays, and the last of every piece of time. Placements, intervals, events and all counts '
        'are as before. Nobody may write to the memory meanwhile.'
    )
    parser.epilog = _EPILOG
    parser.add_argument('db', metavar='F.db', type=Path, help='a memory file')
    parser.add_argument(
        '--older-than',
        metavar='S',
        type=float,
        required=True,
        help='seconds before the newest frame of an epoch from which on observations are thinned',
    )
    parser.add_argument(
        '--every', metavar='S', type=float, required=True, help='length of a piece, seconds'
    )


def run(arguments: argparse.Namespace) -> int:
    """Thin out, and say what became of it."""
    from st_memory.core.errors import StoreError
    from st_memory.storage import SqliteMemoryStore

    policy = _policy(arguments)
    if not arguments.db.exists():
        raise StoreError(f'{arguments.db}: no such file')
    before = arguments.db.stat().st_size
    with SqliteMemoryStore.open(arguments.db) as store:
        report = store.compact(policy)
    after = arguments.db.stat().st_size
    print(
        f'{arguments.db}: {report.num_thinned} of {report.num_observations} observations thinned '
        f'out, {before / 1e6:.1f} MB became {after / 1e6:.1f} MB'
    )
    return 0


def _policy(arguments: argparse.Namespace) -> Retention:
    from st_memory.core.errors import ConfigError
    from st_memory.core.stamps import stamp_from_seconds
    from st_memory.storage import Retention

    try:
        return Retention(
            stamp_from_seconds(arguments.older_than), stamp_from_seconds(arguments.every)
        )
    except (ValueError, OverflowError) as error:
        raise ConfigError(
            f'expected --older-than of 0 or more and --every above 0 seconds, got '
            f'{arguments.older_than:g} and {arguments.every:g}'
        ) from error
