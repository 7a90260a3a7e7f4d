"""What goes out: JSON and text on stdout, progress on stderr, files only where none was."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
import json
from pathlib import Path
import sys
from typing import Any

from st_memory.core.errors import StMemoryError

__all__ = [
    'Advance',
    'format_table',
    'print_json',
    'progress_bar',
    'refuse_existing',
    'write_text',
]

# Of a table's cell, characters.
_WIDEST = 500

Advance = Callable[[float, float], None]
"""Takes what is done and what there is to do, in any unit."""


def print_json(value: Any) -> None:
    """Print a value as JSON on stdout; NaN and infinity are refused, they are not JSON."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def format_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """
    Align rows under a header with spaces.

    What cannot be printed is a space, and an endless cell is cut: each is as wide as the widest.

    Examples
    --------
    >>> print(format_table(('id', 'label'), [('mug_1', 'mug')]))
    id     label
    mug_1  mug

    """
    lines = [header, *([_cell(c) for c in row] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    padded = [
        '  '.join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines
    ]
    return '\n'.join(padded)


def _cell(text: str) -> str:
    head = text if len(text) <= _WIDEST else f'{text[: _WIDEST - 1]}…'
    return head if head.isprintable() else ''.join(c if c.isprintable() else ' ' for c in head)


@contextmanager
def progress_bar(description: str) -> Iterator[Advance]:
    """
    Show how far a long work is, on stderr, if that is a terminal.

    Parameters
    ----------
    description : str
        What is being done.

    Yields
    ------
    Advance
        To be called with what is done and what there is to do.

    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console  # heavy, and only for people
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=None)

        def advance(done: float, total: float) -> None:
            bar.update(task, completed=done, total=total)

        yield advance


def refuse_existing(path: Path, *, overwrite: bool, inputs: Sequence[Path] = ()) -> None:
    """
    Make sure that a result may be written.

    Parameters
    ----------
    path : Path
        The file to write.
    overwrite : bool
        Replace a file that is there.
    inputs : sequence of Path
        What the result is made of, which it must not replace.

    Raises
    ------
    StMemoryError
        If a folder is there, or a file that may not be overwritten, or its own folder is not.

    """
    if path.is_dir():
        raise StMemoryError(f'{path}: expected a file to write, found a folder')
    if any(path.exists() and one.exists() and path.samefile(one) for one in inputs):
        raise StMemoryError(f'{path}: is what the result is made of, and is not written over')
    if path.exists() and not overwrite:
        raise StMemoryError(f'{path}: already exists; --overwrite replaces it')
    if not path.parent.is_dir():
        raise StMemoryError(f'{path}: the folder {path.parent} does not exist')


def write_text(path: Path, text: str) -> None:
    """
    Write a file whole or not at all.

    Raises
    ------
    StMemoryError
        If the medium refuses.

    """
    draft = path.with_name(f'{path.name}.part')
    try:
        draft.write_text(text, encoding='utf-8')
        draft.replace(path)
    except OSError as error:
        raise StMemoryError(f'{path}: cannot be written ({error.strerror})') from error
