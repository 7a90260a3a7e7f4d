"""Times as a person types them."""

from __future__ import annotations

from argparse import ArgumentTypeError
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

__all__ = ['TIME_HELP', 'TypedTime', 'parse_time']

_NS_PER_S = 1_000_000_000
_END_OF_TIME_NS = 2**63 - 1

TIME_HELP = 'seconds (12.5), nanoseconds (12500000000ns), or seconds after the first frame (+12.5)'


class TypedTime(NamedTuple):
    """Nanoseconds since the clock's zero or, if relative, since the first frame."""

    ns: int
    is_relative: bool = False


def parse_time(text: str) -> TypedTime:
    """
    Read a time exactly: no float touches it.

    Parameters
    ----------
    text : str
        As in :data:`TIME_HELP`.

    Raises
    ------
    argparse.ArgumentTypeError
        If it is none: wrong usage.

    Examples
    --------
    >>> parse_time('1700000000.000000001').ns
    1700000000000000001

    """
    try:
        if text.endswith('ns'):
            ns = int(text[:-2])
            if abs(ns) > _END_OF_TIME_NS:
                raise OverflowError(text)
            return TypedTime(ns)
        value = Decimal(text) * _NS_PER_S
        if value.is_finite() and abs(value) > _END_OF_TIME_NS:
            raise OverflowError(text)
        return TypedTime(int(value.to_integral_value()), text.startswith('+'))
    except (ValueError, InvalidOperation, OverflowError) as error:
        # Its text reaches the user as it is; that of a ValueError would not.
        raise ArgumentTypeError(f'expected a time, got {text!r}: {TIME_HELP}') from error
