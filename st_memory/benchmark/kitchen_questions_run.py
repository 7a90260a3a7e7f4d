"""One kitchen of the benchmark: rendered, asked about, and followed by processes of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
import json
import os
from pathlib import Path
import shutil
import subprocess
import sys
import tempfile
from typing import Any

from st_memory.bags import BagFrameSource
from st_memory.benchmark.json_lines import append_lines, read_lines, write_lines
from st_memory.benchmark.kitchen_questions_asked import rows_of, without_key
from st_memory.benchmark.kitchen_questions_files import ANSWERS, STATIC_ANSWERS
from st_memory.benchmark.kitchen_questions_items import append_items
from st_memory.benchmark.kitchen_questions_oracle import true_detections, write_oracle
from st_memory.benchmark.kitchen_questions_truth import KitchenTruth, read_kitchen, tracks_of
from st_memory.benchmark.kitchen_visibility_render import (
    BAG,
    package_environment,
    render,
    TRUTH_FOLDER,
)
from st_memory.benchmark.questions import write_trajectories, WritingRules
from st_memory.core.errors import StMemoryError
from st_memory.sim import KitchenSpec

__all__ = ['LADDER', 'PREDICTIONS', 'QUESTIONS', 'STATIC', 'ask_kitchen']

QUESTIONS = 'questions.jsonl'
PREDICTIONS = 'predictions.jsonl'
STATIC = 'static_memory'

_CHILD = 'st_memory.benchmark.kitchen_questions_follow'
_ASKED = 'asked.jsonl'
_ORACLE = 'oracle.jsonl'
_OUT = 'out'


@dataclass(frozen=True)
class Rung:
    """
    What the memory is given beside the bag.

    Parameters
    ----------
    name : str
        Folder of its files in the results; '' for the memory as it is.
    has_detections : bool
        Detections are those of a perfect detector.
    has_ids : bool
        And they carry true ids, and movements are reported.

    """

    name: str
    has_detections: bool = False
    has_ids: bool = False


LADDER = (
    Rung(''),
    Rung('oracle_detections', has_detections=True),
    Rung('oracle_tracks', has_detections=True, has_ids=True),
)
"""The memory itself, and upper bounds of it."""


def ask_kitchen(
    spec: KitchenSpec,
    kitchen: str,
    place: Path,
    out: Path,
    num_trajectories: int,
    answers: Counter[str],
) -> dict[str, Any]:
    """
    Render a kitchen, write questions from its truth, and add all items to the tables in ``out``.

    Parameters
    ----------
    spec : KitchenSpec
        What to render.
    kitchen : str
        Its name.
    place : Path
        Receives the recording and its truth.
    out : Path
        Holds the tables of all kitchens.
    num_trajectories : int
        Of questions, at most.
    answers : Counter of str
        Spatial answers of the kitchens before it, and now of this one too: together they are
        to be even.

    Returns
    -------
    dict
        What the manifest says of it.

    """
    told = render(spec, place)
    truth = read_kitchen(place / TRUTH_FOLDER)
    scene = BagFrameSource(place / BAG).scene
    tracks = tracks_of(truth, scene, kitchen, spec.min_detection_px)
    written = write_trajectories(tracks, num_trajectories, WritingRules(), spec.seed, answers)
    rows = rows_of(written, kitchen, tracks.base_stamp_ns, spec.seed)
    append_lines(out / QUESTIONS, rows)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(_num_workers()) as pool:
        runs = [
            pool.submit(_follow, rung, place / BAG, rows, truth, spec, Path(scratch, rung.name))
            for rung in LADDER
        ]
        for rung, run in zip(LADDER, runs, strict=True):
            _take(rung, kitchen, truth, spec, run.result(), out)
    report = json.loads((place / TRUTH_FOLDER / 'report.json').read_text(encoding='utf-8'))
    return {
        **told,
        'trajectories': sum(t.horizon != '' for t in written),
        'questions': len(rows),
        'difficulty': report['difficulty'],
    }


def _num_workers() -> int:
    return max(1, min(len(LADDER), os.cpu_count() or 1))


def _follow(
    rung: Rung,
    bag: Path,
    rows: Sequence[Mapping[str, Any]],
    truth: KitchenTruth,
    spec: KitchenSpec,
    scratch: Path,
) -> Path:
    """
    Follow a bag in a process of its own, in a folder with the bag and what is asked.

    Returns
    -------
    Path
        Folder with what it wrote.

    Raises
    ------
    StMemoryError
        If the process fails; with its last words.

    """
    folder = scratch / 'given'
    (folder / _OUT).mkdir(parents=True)
    shutil.copyfile(bag, folder / BAG)
    write_lines(folder / _ASKED, map(without_key, rows))
    arguments = [BAG, _ASKED, _OUT]
    if rung.has_detections:
        write_oracle(folder / _ORACLE, truth, spec, has_ids=rung.has_ids)
        arguments.append(_ORACLE)
    done = subprocess.run(
        [sys.executable, '-m', _CHILD, *arguments],
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
    (folder / BAG).unlink()
    return folder / _OUT


def _take(
    rung: Rung,
    kitchen: str,
    truth: KitchenTruth,
    spec: KitchenSpec,
    followed: Path,
    out: Path,
) -> None:
    """Add what one process wrote to the tables of its rung."""
    place = out / rung.name
    place.mkdir(parents=True, exist_ok=True)
    append_lines(place / PREDICTIONS, read_lines(followed / ANSWERS))
    noise = 'clean' if rung.has_detections else spec.noise
    append_items(kitchen, truth, true_detections(truth, spec, noise), followed, place)
    if not rung.name:
        (out / STATIC).mkdir(exist_ok=True)
        append_lines(out / STATIC / PREDICTIONS, read_lines(followed / STATIC_ANSWERS))
