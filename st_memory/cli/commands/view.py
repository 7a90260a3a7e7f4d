"""``st_memory view``: look at a memory in a browser."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ['configure', 'run']

_PORT = 8765
_LAST_PORT = 65535
_EPILOG = """\
examples:
  st_memory view kitchen.db
  st_memory view kitchen.db --port 0
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        'Show a memory as a web page on this machine, until Ctrl-C: a map and timelines as of any '
        'time, every object, and every question. It reads only, also while a node writes.'
    )
    parser.epilog = _EPILOG
    parser.add_argument('db', metavar='F.db', type=Path, help='a memory file')
    parser.add_argument(
        '--port', type=_port, default=_PORT, metavar='N', help=f'0: any (default: {_PORT})'
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from st_memory.cli.manifest_file import fixed_frame
    from st_memory.view import serve

    frame = fixed_frame(arguments.db)
    serve(arguments.db, port=arguments.port, frame=frame, on_ready=_say)
    return 0


def _say(address: str) -> None:
    print(f'{address} (Ctrl-C ends)', flush=True)


def _port(text: str) -> int:
    """Read a port."""
    if not (text.isascii() and text.isdigit()) or int(text) > _LAST_PORT:
        raise argparse.ArgumentTypeError(f'expected a port from 0 to {_LAST_PORT}, got {text!r}')
    return int(text)
