"""What the page asks for, checked: the words of a query string, and the moment they mean."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from decimal import Decimal, InvalidOperation

from st_memory.core.errors import StMemoryError
from st_memory.core.ports import MemoryReader
from st_memory.core.queries.as_of import no_such_epoch
from st_memory.core.stamps import Moment, NS_PER_S

__all__ = ['END_OF_TIME_NS', 'Asked']

END_OF_TIME_NS = 2**63 - 1
# Longer than any id or label that a memory keeps.
_LONGEST = 2000
_MOMENT = ('epoch', 'after')


class Asked:
    """
    The parameters of one request.

    Parameters
    ----------
    given : iterable of (str, str)
        Names and values as they came.
    known : collection of str
        The names that this question has, beside ``epoch`` and ``after``.

    Raises
    ------
    StMemoryError
        If a name is unknown or given twice, or a value is too long.

    """

    def __init__(self, given: Iterable[tuple[str, str]], known: Collection[str]) -> None:
        self._values: dict[str, str] = {}
        names = (*known, *_MOMENT)
        for name, value in given:
            if name not in names:
                raise StMemoryError(
                    f'parameter {name[:40]!r}: expected one of {", ".join(sorted(names))}'
                )
            if name in self._values:
                raise StMemoryError(f'parameter {name!r}: expected it once')
            if len(value) > _LONGEST:
                raise StMemoryError(
                    f'parameter {name!r}: expected at most {_LONGEST} characters, got {len(value)}'
                )
            self._values[name] = value

    def text(self, name: str) -> str:
        """Give a text; '' where there is none."""
        return self._values.get(name, '').strip()

    def choice(self, name: str, options: Collection[str], default: str) -> str:
        """
        Give one of some words.

        Raises
        ------
        StMemoryError
            If it is another one.

        """
        value = self.text(name) or default
        if value not in options:
            raise StMemoryError(
                f'parameter {name!r}: expected one of {", ".join(options)}, got {value[:40]!r}'
            )
        return value

    def whole(self, name: str, default: int, highest: int) -> int:
        """
        Give a whole number from 0 to ``highest``.

        Raises
        ------
        StMemoryError
            If it is none.

        """
        value = self.text(name)
        if not value:
            return default
        if not (value.isascii() and value.isdigit()) or len(value) > 18 or int(value) > highest:
            raise StMemoryError(
                f'parameter {name!r}: expected a whole number from 0 to {highest}, '
                f'got {value[:40]!r}'
            )
        return int(value)

    def moment(self, reader: MemoryReader) -> Moment | None:
        """
        Give the moment that is asked about, always a definite one; None for an empty memory.

        Every part of a page is asked for by itself, while a node may append to the memory:
        without a definite moment they would be as of different frames.

        Raises
        ------
        StMemoryError
            If there is no such epoch, or the time is none.

        """
        epochs = reader.epochs()
        if not epochs:
            return None
        epoch = self.whole('epoch', epochs[-1], END_OF_TIME_NS)
        return self.after(reader, 'after', epoch) or _newest(reader, epoch)

    def after(self, reader: MemoryReader, name: str, epoch: int) -> Moment | None:
        """
        Give a moment that is written as seconds after the epoch's first frame; None for none.

        Raises
        ------
        StMemoryError
            If there is no such epoch, or the time is none.

        """
        first = reader.first_moment(epoch)
        if first is None:
            raise StMemoryError(f'parameter {name!r}: {no_such_epoch(reader, epoch)}')
        value = self.text(name)
        if not value:
            return None
        try:
            seconds = Decimal(value)
        except InvalidOperation:
            seconds = Decimal('nan')
        if not seconds.is_finite() or not abs(seconds) < END_OF_TIME_NS // NS_PER_S:
            raise StMemoryError(
                f'parameter {name!r}: expected seconds after the first frame, got {value[:40]!r}'
            )
        stamp_ns = first.stamp_ns + int((seconds * NS_PER_S).to_integral_value())
        return Moment(epoch, max(-END_OF_TIME_NS, min(stamp_ns, END_OF_TIME_NS)))


def _newest(reader: MemoryReader, epoch: int) -> Moment | None:
    return reader.latest_moment(Moment(epoch, END_OF_TIME_NS))
