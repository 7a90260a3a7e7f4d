"""Tables and documents of a dataset: what is needed of them, and what is wrong with a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import csv
import json
import math
from pathlib import Path
from typing import Any, NamedTuple

from st_memory.core.errors import DatasetError
from st_memory.core.geometry import RigidTransform

__all__ = [
    'MALFORMED',
    'DatasetProblem',
    'TableRow',
    'read_json',
    'read_table',
    'sound_seconds',
    'sound_text',
]

# What reading a document of the wrong shape raises.
MALFORMED = (KeyError, IndexError, TypeError, ValueError, AttributeError)


# No recording lasts longer, and stamps of ROS messages count no more seconds than twice this.
_LATEST_SEC = 1e9


class DatasetProblem(NamedTuple):
    """
    Something that a dataset lacks and that its recording therefore lacks too.

    Attributes
    ----------
    what : str
        Kind, for counting: ``pose``, ``box``, ``depth``, ``color``, ``mesh``, ...
    where : str
        File and line, or what it is about.
    reason : str
        One clause, for people.

    """

    what: str
    where: str
    reason: str


class TableRow:
    """
    One line of a table.

    Parameters
    ----------
    path : Path
        The table.
    line : int
        Number of the line in it.
    values : dict of str to str
        By column.

    """

    def __init__(self, path: Path, line: int, values: dict[str, str]) -> None:
        self._path = path
        self._line = line
        self._values = values

    @property
    def where(self) -> str:
        """File name and line."""
        return f'{self._path.name}:{self._line}'

    def text(self, column: str) -> str:
        """Give a value as it is."""
        return self._values[column]

    def integer(self, column: str) -> int:
        """Give a whole number, exactly; DatasetError for anything else."""
        try:
            return int(self._values[column])
        except ValueError as error:
            raise self._wrong(column, 'a whole number') from error

    def stamp_ns(self, column: str, unit_ns: int = 1) -> int:
        """
        Give a stamp in nanoseconds.

        Parameters
        ----------
        column : str
            Holds a whole number of units.
        unit_ns : int
            The unit, nanoseconds.

        Raises
        ------
        DatasetError
            If it is not above 0: a recording knows no such stamp.

        """
        stamp = self.integer(column)
        if stamp <= 0:
            raise self._wrong(column, 'a stamp above 0')
        return stamp * unit_ns

    def number(self, column: str) -> float:
        """Give a number, which may be NaN; DatasetError for what is none."""
        try:
            return float(self._values[column])
        except ValueError as error:
            raise self._wrong(column, 'a number') from error

    def numbers(self, columns: Sequence[str]) -> tuple[float, ...]:
        """Give several; see :meth:`number`."""
        return tuple(self.number(column) for column in columns)

    def pose(self, position: Sequence[str], quat_xyzw: Sequence[str]) -> RigidTransform | str:
        """
        Give a pose.

        Parameters
        ----------
        position, quat_xyzw : sequence of str
            Three and four columns; the quaternion's in the order x, y, z, w.

        Returns
        -------
        RigidTransform or str
            The pose; when its numbers are none, a clause on what is wrong with them.

        Raises
        ------
        DatasetError
            If a value is not a number at all.

        """
        numbers = (self.numbers(position), self.numbers(quat_xyzw))
        if not all(math.isfinite(v) for part in numbers for v in part):
            return 'its pose is not finite'
        try:
            return RigidTransform(*numbers)  # type: ignore[arg-type]  # anything array-like does
        except ValueError as error:
            return f'its pose is none: {error}'

    def _wrong(self, column: str, expected: str) -> DatasetError:
        found = self._values[column]
        return DatasetError(
            f'{self._path}: expected {expected} as {column} in line {self._line}, found {found!r}'
        )


def read_table(path: Path, columns: Sequence[str]) -> Iterator[TableRow]:
    """
    Read a CSV table with a header, line by line.

    Parameters
    ----------
    path : Path
        The file.
    columns : sequence of str
        Columns that are needed; others are let be.

    Yields
    ------
    TableRow
        In the order of the file.

    Raises
    ------
    DatasetError
        If the file is missing or not text, a column is missing, or a line is too short.

    """
    if not path.is_file():
        raise DatasetError(f'{path.parent}: expected {path.name}, found none')
    with path.open(newline='', encoding='utf-8') as file:
        reader = csv.DictReader(file)
        try:
            missing = [c for c in columns if c not in (reader.fieldnames or ())]
            if missing:
                found = ', '.join(reader.fieldnames or ()) or 'an empty file'
                raise DatasetError(f'{path}: expected a column {missing[0]}, found {found}')
            for values in reader:
                short = [c for c in columns if values[c] is None]
                if short:
                    raise DatasetError(
                        f'{path}: expected a value for {short[0]} in line {reader.line_num}, '
                        'found the end of the line'
                    )
                yield TableRow(path, reader.line_num, values)
        except (UnicodeDecodeError, csv.Error) as error:
            raise DatasetError(f'{path}: expected a table of text, found {error}') from error


def read_json(path: Path) -> Any:
    """Read a JSON document; DatasetError if it is missing or none."""
    if not path.is_file():
        raise DatasetError(f'{path.parent}: expected {path.name}, found none')
    try:
        return json.loads(path.read_text(encoding='utf-8'))
    except ValueError as error:
        raise DatasetError(f'{path}: expected JSON, found {error}') from error


def sound_text(value: Any, what: str) -> str:
    """
    Give a value of a document that has to be text which can be written again.

    Raises
    ------
    TypeError
        If it is no text.
    ValueError
        If it holds half a character (a lone surrogate).

    """
    if not isinstance(value, str):
        raise TypeError(f'{what} {value!r}')
    value.encode('utf-8')
    return value


def sound_seconds(value: Any, what: str = 'a time of') -> float:
    """
    Give a value of a document that has to be a time of a recording, seconds from its start.

    Raises
    ------
    TypeError, ValueError
        If it is no number from 0 to a billion.

    """
    seconds = float(value)
    if not 0.0 <= seconds <= _LATEST_SEC:
        raise ValueError(f'{what} {seconds} s')
    return seconds
