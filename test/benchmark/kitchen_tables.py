"""Hand-made tables of a block of kitchens: every row is plain until a test says otherwise."""

from __future__ import annotations

from collections.abc import Iterable
import csv
from pathlib import Path

from st_memory.benchmark.kitchen_visibility_follow import Prediction
from st_memory.sim.truth_files import TRUTH_COLUMNS

Row = dict[str, object]

_TRUE = {
    'object_id': 'k1/mug_1',
    'stamp_ns': 0,
    'visible_px': 100,
    'unoccluded_px': 100,
    'box_in_image': 1,
    'in_hand': 0,
    'container': '',
    'label': 'mug',
    'x': 1.0,
    'y': 2.0,
    'z': 0.9,
    'present': 1,
    'container_open': 1.0,
    'occluder': '',
}
_SAID = {
    'object_id': 'k1/mug_1',
    'stamp_ns': 0,
    'geometry': 'VISIBLE',
    'state': 'VISIBLE',
    'occluder': '',
    'blocked_fraction': '0.0',
    'pixel_size': '20.0',
    'x': 1.0,
    'y': 2.0,
    'z': 0.9,
}


def true(**values: object) -> Row:
    """Give a row of the truth: a mug on a table, all of it in view."""
    return {**_TRUE, **values}


def said(**values: object) -> Row:
    """Give a prediction: that very mug, seen."""
    return {**_SAID, **values}


def write_tables(folder: Path, truth: Iterable[Row], predictions: Iterable[Row]) -> None:
    """Write both tables of a block."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / 'truth.csv', TRUTH_COLUMNS, truth)
    _write(folder / 'predictions.csv', Prediction._fields, predictions)


def _write(path: Path, columns: tuple[str, ...], rows: Iterable[Row]) -> None:
    with path.open('w', newline='', encoding='utf-8') as file:
        writer = csv.DictWriter(file, columns, restval='')
        writer.writeheader()
        writer.writerows(rows)
