"""Texts that fit a message: names of any length and script, cut to so many bytes."""

from __future__ import annotations

from collections.abc import Iterable
import itertools

__all__ = ['MAX_ID_BYTES', 'MAX_NAMES_BYTES', 'MAX_NAME_BYTES', 'clipped', 'fitting_texts']

# An id can be asked back, so it is cut last: detections with longer ones are not taken.
MAX_ID_BYTES = 200
MAX_NAME_BYTES = 120
# Of a list of names, and how many: the store has them all.
MAX_NAMES_BYTES, MAX_NAMES = 200, 8


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
