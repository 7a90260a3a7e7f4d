"""The argument parser, of which only the part that is needed is filled in."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import importlib
from typing import NoReturn

from st_memory import __version__
from st_memory.cli.registry import Command, COMMANDS

__all__ = ['build_parser']

_DESCRIPTION = 'An object memory that survives leaving the field of view.'
_EPILOG = """\
exit codes:
  0 done; 1 an error, said in one line; 2 wrong usage; 3 it ran, and a check failed

example:
  st_memory replay rosbag_fixtures/kitchen_small.mcap --db kitchen.db
  st_memory query kitchen.db where mug
"""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, and how to get help in another."""

    def error(self, message: str) -> NoReturn:
        """Exit with 2."""
        self.exit(2, f'st_memory: error: {message}\ntry: {self.prog} --help\n')


def build_parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """
    Build the parser.

    Parameters
    ----------
    words : sequence of str, optional
        The words to be parsed: only the command they name is imported and filled in, so that
        help stays quick. None fills in every command.

    Returns
    -------
    argparse.ArgumentParser
        Its result has ``run``, a function of the parsed arguments that gives the exit code.

    """
    parser = _Parser(
        prog='st_memory',
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument('--version', action='version', version=f'st_memory {__version__}')
    parser.add_argument(
        '-v', '--verbose', action='count', default=0, help='log more on stderr; twice for all'
    )
    commands = parser.add_subparsers(title='commands', metavar='COMMAND', required=True)
    named = next((w for w in words if not w.startswith('-')), '') if words is not None else None
    for command in COMMANDS:
        sub = commands.add_parser(
            command.name,
            help=command.summary,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if named in (None, command.name):
            _fill(sub, command)
    return parser


def _fill(parser: argparse.ArgumentParser, command: Command) -> None:
    """Let the command's module declare its arguments."""
    module = importlib.import_module(command.module)
    module.configure(parser)
    parser.set_defaults(run=module.run)
