"""Rows of truth and prediction of one block of kitchens, joined by object and stamp."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import csv
from dataclasses import dataclass
import math
from pathlib import Path
from typing import NamedTuple, TypeVar

from st_memory.core.errors import DatasetError
from st_memory.core.records.detections import Point

__all__ = ['MIN_PX', 'Block', 'Look', 'Said', 'Truth', 'read_block']

MIN_PX = 30
"""Pixels from which a look at an object counts, and from which it can be detected."""

_VISIBLE_FROM = 0.5
_HIDDEN_BELOW, _WHOLE_ABOVE = 0.1, 0.9

Key = tuple[str, int]
Row = dict[str, str]
Entry = TypeVar('Entry')


@dataclass(frozen=True)
class Truth:
    """
    What is true of one object in one image; fields as in the simulator's ``truth.csv``.

    Parameters
    ----------
    object_id : str
        With its kitchen's name in front.
    stamp_ns : int
        Of the image.
    visible_px, unoccluded_px : int
        Pixels with everything in the way, and without.
    box_in_image, in_hand, present : bool
        Wholly in the image; carried; not yet taken away for good.
    container : str
        Fixture it is inside; '' for none.
    container_open : float
        How far that is open, 0 to 1.
    occluder : str
        What hides most of it.
    position : (3,) float
        Centre, metres.

    """

    object_id: str
    stamp_ns: int
    visible_px: int
    unoccluded_px: int
    box_in_image: bool
    in_hand: bool
    present: bool
    container: str
    container_open: float
    occluder: str
    position: Point

    @property
    def is_counted(self) -> bool:
        """Whether the look at it is scored."""
        whole = self.present and not self.in_hand and self.box_in_image
        return whole and self.unoccluded_px >= MIN_PX

    @property
    def share(self) -> float:
        """Visible share; of counted looks only."""
        return self.visible_px / self.unoccluded_px

    @property
    def is_visible(self) -> bool:
        """Whether at least half of it shows."""
        return self.share >= _VISIBLE_FROM

    @property
    def is_hidden(self) -> bool:
        """Whether clearly none of it shows."""
        return self.share < _HIDDEN_BELOW

    @property
    def is_whole(self) -> bool:
        """Whether clearly all of it shows."""
        return self.share > _WHOLE_ABOVE

    @property
    def is_clear(self) -> bool:
        """Whether there is no doubt which of the two."""
        return self.is_hidden or self.is_whole


@dataclass(frozen=True)
class Said:
    """
    What was predicted; fields as in ``predictions.csv``.

    Parameters
    ----------
    geometry, state : str
        Names of the verdict of geometry and of the fused state.
    occluder : str
        Part or fixture named by the geometry, '' for none; parts are named ``FIXTURE/PART``.
    blocked_fraction : float
        NaN where not known.
    pixel_size : float
        Larger side of the projection, pixels; 0 when not in view.
    position : (3,) float
        Where it is remembered, metres.

    """

    geometry: str
    state: str
    occluder: str
    blocked_fraction: float
    pixel_size: float
    position: Point

    @property
    def fixture(self) -> str:
        """Fixture that the occluder is or belongs to."""
        return self.occluder.partition('/')[0]


class Look(NamedTuple):
    """One object in one image, with what was predicted of it if there is a row."""

    truth: Truth
    said: Said | None

    @property
    def gap_m(self) -> float:
        """Distance from where it is remembered to where it is, metres; NaN without a place."""
        return (
            math.nan if self.said is None else math.dist(self.said.position, self.truth.position)
        )


class Block(NamedTuple):
    """Looks in the order of the truth, and the number of rows about nothing that exists."""

    looks: list[Look]
    not_in_truth: int


def read_block(truth: Path, predictions: Path) -> Block:
    """
    Read and join the two tables of a block.

    Raises
    ------
    DatasetError
        If a table is missing, lacks a column, holds an object twice at a stamp, or a value
        that is none.

    """
    said = _read(predictions, _said)
    looks = [Look(row, said.pop(key, None)) for key, row in _read(truth, _truth).items()]
    return Block(looks, len(said))


def _read(path: Path, parse: Callable[[Row], Entry]) -> dict[Key, Entry]:
    entries: dict[Key, Entry] = {}
    for number, row in _rows(path):
        try:
            key = row['object_id'], int(row['stamp_ns'])
            entry = parse(row)
        except KeyError as error:
            raise DatasetError(f'{path}: expected a column {error}, found none') from error
        except (ValueError, TypeError) as error:
            raise DatasetError(f'{path}: row {number}: {error}') from error
        if key in entries:
            raise DatasetError(f'{path}: row {number}: expected {key[0]} once at {key[1]}')
        entries[key] = entry
    return entries


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    """Give the rows below the header, numbered from 1."""
    try:
        with path.open(newline='', encoding='utf-8') as file:
            yield from enumerate(csv.DictReader(file), 1)
    except OSError as error:
        raise DatasetError(
            f'{path}: expected a table of a block of kitchens, found none'
        ) from error


def _truth(row: Row) -> Truth:
    return Truth(
        object_id=row['object_id'],
        stamp_ns=int(row['stamp_ns']),
        visible_px=int(row['visible_px']),
        unoccluded_px=int(row['unoccluded_px']),
        box_in_image=_flag(row['box_in_image']),
        in_hand=_flag(row['in_hand']),
        present=_flag(row['present']),
        container=row['container'],
        container_open=float(row['container_open']),
        occluder=row['occluder'],
        position=_position(row),
    )


def _said(row: Row) -> Said:
    return Said(
        geometry=row['geometry'],
        state=row['state'],
        occluder=row['occluder'],
        blocked_fraction=float(row['blocked_fraction'] or 'nan'),
        pixel_size=float(row['pixel_size'] or 0.0),
        position=_position(row),
    )


def _position(row: Row) -> Point:
    return float(row['x'] or 'nan'), float(row['y'] or 'nan'), float(row['z'] or 'nan')


def _flag(text: str) -> bool:
    if text not in ('0', '1'):
        raise ValueError(f'expected 0 or 1, found {text!r}')
    return text == '1'
