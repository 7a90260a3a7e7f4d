"""What somebody calls a thing: any text, and nothing that is none."""

from __future__ import annotations

from st_memory.core.errors import StMemoryError

__all__ = ['check_asker', 'check_names']

_SHOWN = 40


def check_names(**names: str) -> None:
    """
    Refuse a name that no object, fixture or camera can have.

    Parameters
    ----------
    **names : str
        By the name of what was given.

    Raises
    ------
    StMemoryError
        If a name holds half of a surrogate pair, which no encoding writes (Python puts it where
        bytes were no UTF-8), or U+0000, which ends a text in a message and in a database.

    Examples
    --------
    >>> check_names(label='Übertopf ☕', camera='')

    """
    for what, name in names.items():
        if name.isascii() and '\0' not in name:
            continue
        wrong = next((c for c in name if c == '\0' or '\ud800' <= c <= '\udfff'), '')
        if wrong:
            raise StMemoryError(
                f'{what}: expected a name, got {name[:_SHOWN]!a}, which holds U+{ord(wrong):04X}'
            )


def check_asker(**who: str) -> None:
    """
    Refuse what is neither a camera nor the base: the answer would be of another one.

    Parameters
    ----------
    **who : str
        By the name of what was given; '' for nobody in particular.

    Raises
    ------
    StMemoryError
        If it is none of ``base``, ``camera`` and ``camera:<id>``.

    Examples
    --------
    >>> check_asker(start='camera:head', actor='')

    """
    check_names(**who)
    for what, name in who.items():
        if name not in ('', 'base', 'camera') and not name.startswith('camera:'):
            raise StMemoryError(
                f'{what}: expected base, camera or camera:NAME, got {name[:_SHOWN]!r}'
            )
