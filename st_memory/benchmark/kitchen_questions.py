"""
Out-of-sight questions about freshly rendered kitchens, answered by the memory's own tracks.

Kitchens of ten minutes are rendered from seeds that are drawn when none is given, with the fixed
noise ``standard``: poses drift, depth has holes, a fifth of the detections is missing, some are of
nothing, some have the wrong label, none has an id, and no movement is reported. Questions in
the eight classes of Beyond3D's final format are written from the simulator's truth
(:mod:`st_memory.benchmark.questions`); a process that has the bag and the questions without their
keys answers them as of their times with the queries that services use.

Files beside ``score.json``, from which all figures can be had again:

``questions.jsonl``
    Per question ``id``, ``class``, ``horizon`` ('' for a visible control), ``choices``,
    ``correct_idx``, its words and its time. What is told to the memory lacks ``correct_idx``,
    ``horizon``, ``trajectory_id`` and ``answer``, and comes in random order. A thing whose kind
    exists twice is pointed out by the pixel at which it was last seen before its last movement, a
    reference object by its pixel now.
``predictions.jsonl``
    Per question ``id``, ``choice_idx`` (None for no answer, which is wrong), what was said, and
    the reason for no or a doubtful answer.
``identities.csv``
    Per detection the id of its thing ('' for a false one) and of the object it was taken for.
``moves.csv``
    True movements and those told. Between two movements of a thing that was not seen at rest in
    between nobody can tell one from two: they are one. A true movement does not count when the
    thing was taken away for good, was not seen before, was detected fewer than three times at rest
    after, or came back within 15 cm without being seen.
``fixtures.csv``
    Placements that were told, with their fixture, and the one at which the thing came to rest
    then. The thing is the one that most detections are of which were taken for the object from 2 s
    before the placement to its next one.

The same files of the ladder are in folders: ``oracle_detections`` (the memory given exact boxes of
all that shows), ``oracle_tracks`` (with true ids and movements too), ``static_memory``
(:class:`.kitchen_questions_static.StaticMemory`).

Figures in ``score.json``:

``macro``, ``per_class``, ``macro_by_horizon``, ``macro_by_query_time``
    Mean over the classes of the share of right answers; of out-of-sight questions by how long the
    target had not been visible, and by when was asked. ``horizon_spread`` is the largest less the
    smallest of the three horizons.
``idf1``, ``identity``
    Over all detections of all kitchens, with the best one-to-one assignment of objects to things.
``moves``
    Precision and recall; a movement told matches a true one of its thing when they overlap or the
    gap between them is at most 2 s, each once. One that is a true movement that does not count is
    neither right nor wrong.
``wrong_fixture_rate``
    Share of the placements of things whose fixture was told that name a wrong one.
``phantom_placement_rate``
    Share of all placements whose fixture was told that are of objects that stand for no thing;
    no fixture is right or wrong for them.
``ladder``
    The same figures for the rungs; ``static_memory``, ``text_only`` (what is most often right in
    the other half of the questions) and ``chance`` have answers alone.
``difficulty``
    What the simulator counted of each kitchen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
import json
import logging
from pathlib import Path
from typing import Any

from st_memory.benchmark.json_lines import read_lines
from st_memory.benchmark.kitchen_questions_items import FIXTURES, IDENTITIES, MOVEMENTS
from st_memory.benchmark.kitchen_questions_run import (
    ask_kitchen,
    LADDER,
    PREDICTIONS,
    QUESTIONS,
    STATIC,
)
from st_memory.benchmark.kitchen_questions_score import (
    read_choices,
    score_answers,
    score_items,
)
from st_memory.benchmark.kitchen_questions_text import chance_by_class, text_only_choices
from st_memory.benchmark.kitchen_visibility_render import distinct_seeds
from st_memory.core.errors import DatasetError
from st_memory.sim import KitchenSpec

__all__ = ['FILES', 'KITCHENS', 'NUM_KITCHENS', 'NUM_TRAJECTORIES', 'OPTIONS', 'predict', 'score']

KITCHENS = 'kitchens.json'
NUM_KITCHENS = 3
NUM_TRAJECTORIES = 60
"""Of each kitchen: twenty for each group of horizons."""

OPTIONS: Mapping[str, Any] = {'duration_s': 600.0, 'noise': 'standard', 'color': False}
"""Of :class:`st_memory.sim.KitchenSpec`, but for the seed."""

_ITEMS = (PREDICTIONS, IDENTITIES, MOVEMENTS, FIXTURES)

FILES = (
    KITCHENS,
    QUESTIONS,
    f'{STATIC}/{PREDICTIONS}',
    *(str(Path(rung.name, name)) for rung in LADDER for name in _ITEMS),
)
"""Per-item files of the first stage. The truth is among them: it is rendered, not given."""

_logger = logging.getLogger(__name__)


def predict(data: Path, out: Path, seed: int) -> dict[str, Any]:
    """
    Render the kitchens, ask about them, and write all per-item files.

    Parameters
    ----------
    data : Path
        Receives the recordings.
    out : Path
        Receives the files.
    seed : int
        All kitchens follow from it.

    """
    for name in FILES:
        (out / name).unlink(missing_ok=True)
    told = {}
    answers: Counter[str] = Counter()
    for number, kitchen_seed in enumerate(distinct_seeds(seed, NUM_KITCHENS), 1):
        kitchen = f'k{number}'
        _logger.info('kitchen %d of %d: seed %d', number, NUM_KITCHENS, kitchen_seed)
        spec = KitchenSpec(kitchen_seed, **OPTIONS)
        told[kitchen] = ask_kitchen(spec, kitchen, data / kitchen, out, NUM_TRAJECTORIES, answers)
    (out / KITCHENS).write_text(json.dumps(told, indent=2, sort_keys=True), encoding='utf-8')
    return told


def score(data: Path, out: Path) -> dict[str, Any]:
    """
    Score the per-item files.

    Parameters
    ----------
    data : Path
        Unused: all that counts is in the files.
    out : Path
        Holds the files.

    Raises
    ------
    DatasetError
        If a file is missing, or no questions could be written.

    """
    del data
    rows = read_lines(out / QUESTIONS)
    if not rows:
        raise DatasetError(f'{out / QUESTIONS}: expected questions, found none')
    own, *bounds = (_score_rung(rows, out / rung.name) for rung in LADDER)
    chance = chance_by_class(rows)
    ladder = {
        **{rung.name: figures for rung, figures in zip(LADDER[1:], bounds, strict=True)},
        STATIC: score_answers(rows, read_choices(out / STATIC / PREDICTIONS)),
        'text_only': score_answers(rows, text_only_choices(rows)),
        'chance': {'macro': sum(chance.values()) / len(chance), 'per_class': chance},
    }
    by_horizon = [value for value in own['macro_by_horizon'].values() if value is not None]
    kitchens = json.loads((out / KITCHENS).read_text(encoding='utf-8'))
    return {
        **own,
        'horizon_spread': max(by_horizon) - min(by_horizon) if by_horizon else None,
        'questions': len(rows),
        'difficulty': {name: told['difficulty'] for name, told in kitchens.items()},
        'ladder': ladder,
    }


def _score_rung(rows: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    return {**score_answers(rows, read_choices(folder / PREDICTIONS)), **score_items(folder)}
