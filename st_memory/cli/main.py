"""The entry point: one parser, one error policy."""

from __future__ import annotations

import logging
import os
import sys
from typing import TYPE_CHECKING

from st_memory.cli.parser import build_parser
from st_memory.core.errors import StMemoryError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ['EXIT_CHECK_FAILED', 'EXIT_ERROR', 'EXIT_OK', 'EXIT_USAGE', 'main']

EXIT_OK = 0
EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_CHECK_FAILED = 3

_INTERRUPTED = 130  # 128 + SIGINT, what shells report
# No path that is meant is longer.
_LONGEST = 200
_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)


def main(argv: Sequence[str] | None = None) -> int:
    """
    Run one command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program name; those of the process by default.

    Returns
    -------
    int
        0 done; 1 a known error, or one of the system about a file, said in one line on stderr;
        3 the command ran and a check failed. Wrong usage exits with 2 from within. Any other
        exception is a bug and comes through with its traceback.

    """
    words = list(sys.argv[1:] if argv is None else argv)
    arguments = build_parser(words).parse_args(words)
    level = _LEVELS[min(arguments.verbose, len(_LEVELS) - 1)]
    logging.basicConfig(level=level, stream=sys.stderr, format='st_memory: %(message)s')
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except StMemoryError as error:
        line = ' '.join(str(error).split())
        sys.stderr.write(f'st_memory: error: {line}\n')
        return EXIT_ERROR
    except KeyboardInterrupt:
        sys.stderr.write('st_memory: interrupted\n')
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less) has gone. Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except OSError as error:
        if error.filename is None:
            raise
        sys.stderr.write(f'st_memory: error: {_clip(error.filename)}: {error.strerror}\n')
        return EXIT_ERROR
    return code


def _clip(name: object) -> str:
    """Give the name of a file as a line can carry it."""
    text = os.fsdecode(name) if isinstance(name, (str, bytes, os.PathLike)) else str(name)
    line = ' '.join(text.split())
    return line if len(line) <= _LONGEST else f'{line[:_LONGEST]}...'


if __name__ == '__main__':
    sys.exit(main())
