"""Kitchens from one seed: rendered, each followed by a process that has its bag alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
import csv
from dataclasses import dataclass, field
import logging
import os
from pathlib import Path
import shutil
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np

import st_memory
from st_memory.bags import BagRecorder
from st_memory.core.errors import StMemoryError
from st_memory.sim import KitchenSpec, render_kitchen

__all__ = [
    'BAG',
    'TRUTH_FOLDER',
    'KitchenBlock',
    'distinct_seeds',
    'package_environment',
    'predict_apart',
    'render',
    'write_blocks',
]

BAG = 'bag.mcap'
TRUTH_FOLDER = 'truth'
_CHILD = 'st_memory.benchmark.kitchen_visibility_follow'
_MAX_SEED = 2**31

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class KitchenBlock:
    """
    Kitchens that are scored together.

    Parameters
    ----------
    name : str
        Folder of its files.
    num_kitchens : int
        How many, each of a seed of its own.
    options : mapping
        Of :class:`st_memory.sim.KitchenSpec`, but for the seed.

    """

    name: str
    num_kitchens: int
    options: Mapping[str, Any] = field(default_factory=dict)

    def kitchens(self, seeds: list[int]) -> list[KitchenSpec]:
        """Take the next seeds off the list."""
        return [KitchenSpec(seeds.pop(0), **self.options) for _ in range(self.num_kitchens)]


def write_blocks(
    blocks: tuple[KitchenBlock, ...],
    recordings: Path,
    out: Path,
    seed: int,
    truth_name: str,
    predictions_name: str,
) -> dict[str, Any]:
    """
    Render all kitchens, predict each, and join both by block.

    Ids of objects get their kitchen's name in front (``k1/mug_1``), so that id and stamp are
    unique in a block: all kitchens begin at the same stamp.

    Parameters
    ----------
    blocks : tuple of KitchenBlock
        What to render.
    recordings : Path
        Receives a folder per kitchen with its bag and its truth.
    out : Path
        Receives a folder per block with the two tables.
    seed : int
        All kitchens follow from it.
    truth_name, predictions_name : str
        Names of the tables.

    Returns
    -------
    dict
        Per block and kitchen the seed and the seconds; ``not_hard_enough`` where a kitchen
        misses one of the simulator's floors.

    Raises
    ------
    MissingExtraError, RenderingUnavailableError
        If nothing can be rendered here.
    StMemoryError
        If a kitchen's process fails.

    """
    total = sum(block.num_kitchens for block in blocks)
    seeds = distinct_seeds(seed, total)
    said: dict[str, Any] = {}
    number = 0
    for block in blocks:
        folder = out / block.name
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            append_truth = _table(stack, folder / truth_name)
            append_predictions = _table(stack, folder / predictions_name)
            told = said[block.name] = {}
            for spec in block.kitchens(seeds):
                number += 1
                name = f'k{number}'
                _logger.info('kitchen %d of %d: %s, seed %d', number, total, block.name, spec.seed)
                place = recordings / name
                told[name] = render(spec, place)
                append_truth(place / TRUTH_FOLDER / 'truth.csv', name)
                with tempfile.TemporaryDirectory() as scratch:
                    rows = Path(scratch) / 'rows.csv'
                    predict_apart(place / BAG, rows)
                    append_predictions(rows, name)
    return said


def distinct_seeds(seed: int, count: int) -> list[int]:
    """Draw seeds of kitchens, none twice."""
    rng = np.random.default_rng(seed)
    seeds: dict[int, None] = {}
    while len(seeds) < count:
        seeds[int(rng.integers(_MAX_SEED))] = None
    return list(seeds)


def render(spec: KitchenSpec, place: Path) -> dict[str, Any]:
    """Render one kitchen anew; gives what the manifest says of it."""
    place.mkdir(parents=True, exist_ok=True)
    with BagRecorder(place / BAG, overwrite=True) as sink:
        report = render_kitchen(spec, sink, place / TRUTH_FOLDER)
    return {
        'seed': spec.seed,
        'seconds': spec.duration_s,
        'images': report.num_images,
        'not_hard_enough': list(report.difficulty.unmet_floors()),
    }


def predict_apart(bag: Path, rows: Path) -> None:
    """
    Follow a bag in a process of its own, in a folder that holds a copy of the bag alone.

    Parameters
    ----------
    bag : Path
        The recording.
    rows : Path
        Receives the predictions, as :class:`.kitchen_visibility_follow.Prediction` has them.

    Raises
    ------
    StMemoryError
        If the process fails; with its last words.

    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copyfile(bag, folder / BAG)
        done = subprocess.run(
            [sys.executable, '-m', _CHILD, BAG, 'rows.csv'],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            env=package_environment(),
        )
        if done.returncode:
            words = done.stderr.strip().splitlines() or ['it said nothing']
            raise StMemoryError(f'{bag}: following it ended with {done.returncode}: {words[-1]}')
        shutil.move(folder / 'rows.csv', rows)


def package_environment() -> dict[str, str]:
    """Make this very package importable from any folder."""
    source = str(Path(st_memory.__file__).resolve().parent.parent)
    paths = [source, *filter(None, [os.environ.get('PYTHONPATH')])]
    return {**os.environ, 'PYTHONPATH': os.pathsep.join(paths)}


def _table(stack: ExitStack, path: Path) -> Callable[[Path, str], None]:
    """Open a table to which tables of kitchens are added, each under the kitchen's name."""
    file = stack.enter_context(path.open('w', newline='', encoding='utf-8'))
    writer = csv.writer(file, lineterminator='\n')
    header: list[str] = []

    def append(source: Path, kitchen: str) -> None:
        with source.open(newline='', encoding='utf-8') as rows:
            reader = csv.reader(rows)
            names = next(reader)
            if not header:
                header.extend(names)
                writer.writerow(header)
            writer.writerows([f'{kitchen}/{first}', *rest] for first, *rest in reader)

    return append
