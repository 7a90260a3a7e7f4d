"""Texts that fit a message: names of any length and script, cut to so many bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import enum
import itertools
from typing import TypeVar

from st_memory.core.errors import ConversionError

__all__ = [
    'MAX_ID_BYTES',
    'MAX_NAMES_BYTES',
    'MAX_NAME_BYTES',
    'clipped',
    'fitting_texts',
    'number_of',
    'one_of',
]

# An id can be asked back, so it is cut last: detections with longer ones are not taken.
MAX_ID_BYTES = 200
MAX_NAME_BYTES = 120
# Of a list of names, and how many: the store has them all.
MAX_NAMES_BYTES, MAX_NAMES = 200, 8
_SHORT_NAME = 40

Number = TypeVar('Number', bound=enum.IntEnum)


def clipped(text: str, max_bytes: int = MAX_NAME_BYTES) -> str:
    """
    Give a text that fits, whatever script it is in; what cannot be encoded becomes '?'.

    Examples
    --------
    >>> clipped('mug'), len(clipped('é' * 5_000_000).encode()) <= MAX_NAME_BYTES
    ('mug', True)

    """
    if len(text) <= max_bytes and text.isascii():
        return text
    head = text[:max_bytes]
    encoded = head.encode('utf-8', errors='replace')
    if len(encoded) <= max_bytes and len(head) == len(text):
        return encoded.decode('utf-8')
    return encoded[: max_bytes - 3].decode('utf-8', errors='ignore') + '…'


def fitting_texts(texts: Iterable[str], max_bytes: int = MAX_NAMES_BYTES) -> list[str]:
    """Give the first few texts that fit together, each as :func:`clipped` gives it."""
    left = max_bytes
    fitting: list[str] = []
    for text in itertools.islice(texts, MAX_NAMES):
        short = clipped(text)
        left -= len(short.encode('utf-8'))
        if left < 0:
            break
        fitting.append(short)
    return fitting


def one_of(names: Sequence[str]) -> str:
    """
    Say what is possible in a line, or how much more there is.

    Examples
    --------
    >>> one_of(['map']), one_of(['map', 'base_link', 'eye'])
    ('map', 'map, base_link or eye')

    """
    shown = [clipped(name, _SHORT_NAME) for name in names[:MAX_NAMES]]
    if len(names) > MAX_NAMES:
        return f'{", ".join(shown)} or {len(names) - MAX_NAMES} more'
    return f'{", ".join(shown[:-1])} or {shown[-1]}' if len(shown) > 1 else ''.join(shown)


def number_of(kind: type[Number], number: int, field: str) -> Number:
    """
    Give the member of an enumeration that a number of a request means.

    Raises
    ------
    ConversionError
        If there is none; it names the field, what was expected and what was found.

    """
    try:
        return kind(number)
    except ValueError as error:
        known = one_of([f'{member.value} ({member.name})' for member in kind])
        raise ConversionError(f'{field}: expected {known}, got {number}') from error
