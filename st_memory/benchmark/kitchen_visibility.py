"""
Visibility of every object at every look in freshly rendered kitchens, against exact pixels.

What is measured is visibility and presence, not identity: detections carry the scripted id of
their object, so that every prediction can be held against the truth of the very object it is
about. Nothing else is given away: no movement is reported, and a thing that is not detected has
to be remembered, judged and, in the end, called absent from poses, depth and detections. How well
a memory tells things apart without such ids is another question than this benchmark's.

Three blocks, each with kitchens of its own seeds: ``clean`` (exact sensors, joints known),
``unknown_joints`` (the same without any word of a door's state) and ``noisy`` (noise preset
``standard``, joints known). In each, ``truth.csv`` is the simulator's and ``predictions.csv`` that
of a process which was given the bag and nothing else; both go by object id (``k1/mug_1``: object
of a kitchen) and stamp. Every object that the memory has a place for has a row at every look.

Counted is a look at an object that is present, not in a hand, wholly in the image, and would have
at least 30 pixels if nothing were in its way. Its *share* is visible pixels over those. Truly
visible means a share of at least 0.5; a share below 0.1 or above 0.9 is *clear*, the rest are
border cases. Figures per block in ``score.json``:

``all_accuracy``, ``clear_cases_accuracy``, ``border_accuracy``
    Share of counted rows whose geometry is VISIBLE exactly when the object truly is; of all, of
    the clear, of the border cases.
``not_yet_known``
    Counted looks at an object before the memory knew of it; no figure has them.
``not_in_truth``
    Rows about something that does not exist, as false detections make them.
``fused_agreement``
    Share of counted rows whose fused state says visible exactly when at least 30 pixels are:
    VISIBLE alone, and ``with_in_motion`` when IN_MOTION counts as visible, as in Beyond3D.
``door_false_occlusions``
    Counted rows whose geometry is OCCLUDED by a part that moves (a door or a tray) with a share
    above 0.9.
``ambiguous``
    Counted rows whose geometry is AMBIGUOUS_FIXTURE, and those of them whose named fixture is the
    container that the object is in. ``anywhere``: the same without asking for a whole box and
    30 pixels.
``hidden_in_closed_container``
    Counted rows of objects in a container that is open by less than a tenth and of which less
    than a tenth shows, by geometry; AMBIGUOUS_FIXTURE is split by whether the right fixture is
    named.
``ambiguous_named_correctly``
    Share of those; in the block ``clean`` that of the block ``unknown_joints``.
``false_absent``, ``false_absent_rows``
    Rows with the state ABSENT that are wrong: ``contradicted_by_pixels``, at least 30 pixels of
    the object are visible; ``at_its_place``, it is present within 0.25 m of where it is
    remembered. ``total`` counts a row once and is the figure. Beside it,
    ``absent_but_elsewhere``: the object is present, but not where it is remembered and not seen:
    rightly missed there.
``true_absent_recall``, ``true_absent_counts``
    Of the objects that were taken away for good, and whose remembered place was looked at at
    least 20 times over at least 3 s since with the geometry VISIBLE (or with its place in view
    once it is ABSENT) and at least the preset's ``min_pixel_size`` of 8 pixels, below which a
    miss is no evidence (``total``), those that are ABSENT at the last look (``found``).
    ``removed`` counts all, ``never_known`` those the memory had no row for since.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from st_memory.benchmark.kitchen_visibility_render import KitchenBlock, write_blocks
from st_memory.benchmark.kitchen_visibility_rows import read_block
from st_memory.benchmark.kitchen_visibility_score import score_block

__all__ = ['BLOCKS', 'FILES', 'PREDICTIONS', 'TRUTH', 'predict', 'predict_blocks', 'score']

TRUTH = 'truth.csv'
PREDICTIONS = 'predictions.csv'

_OPTIONS = {'duration_s': 60.0, 'oracle_ids': True, 'oracle_movements': False, 'color': False}
BLOCKS = (
    KitchenBlock('clean', 3, {**_OPTIONS, 'noise': 'clean'}),
    KitchenBlock('unknown_joints', 2, {**_OPTIONS, 'noise': 'clean', 'publish_joints': False}),
    KitchenBlock('noisy', 3, {**_OPTIONS, 'noise': 'standard'}),
)
"""Three minutes of kitchens where joints are known, two where they are not."""

FILES = tuple(f'{block.name}/{table}' for block in BLOCKS for table in (TRUTH, PREDICTIONS))
"""Tables of the first stage. The truth is among them: it is rendered, not given."""


def predict(data: Path, out: Path, seed: int) -> dict[str, Any]:
    """
    Render the kitchens and write both tables of every block.

    Parameters
    ----------
    data : Path
        Receives the recordings.
    out : Path
        Receives the tables.
    seed : int
        All kitchens follow from it.

    """
    return predict_blocks(BLOCKS, data, out, seed)


def predict_blocks(
    blocks: tuple[KitchenBlock, ...], data: Path, out: Path, seed: int
) -> dict[str, Any]:
    """Do :func:`predict` with other kitchens."""
    return write_blocks(blocks, data, out, seed, TRUTH, PREDICTIONS)


def score(data: Path, out: Path) -> dict[str, Any]:
    """
    Compare predictions and truth, block by block.

    Parameters
    ----------
    data : Path
        Unused: all that counts is in the tables.
    out : Path
        Holds the tables.

    Returns
    -------
    dict
        Per block its figures; ``details`` has per block a confusion table and the worst cases.

    Raises
    ------
    DatasetError
        If a table is missing or lacks a column.

    """
    del data
    figures: dict[str, Any] = {}
    details: dict[str, Any] = {}
    for block in BLOCKS:
        looks = read_block(out / block.name / TRUTH, out / block.name / PREDICTIONS)
        scored, details[block.name] = score_block(looks)
        figures[block.name] = _with_plain_figures(scored)
    # Only where joints are unknown can a fixture be ambiguous; it is a figure of exact sensors.
    named = figures['unknown_joints']['ambiguous_named_correctly']
    figures['clean']['ambiguous_named_correctly'] = named
    return {**figures, 'details': details}


def _with_plain_figures(scored: dict[str, Any]) -> dict[str, Any]:
    """Give each figure that has a goal as one number, and what it is made of beside it."""
    counts = {
        'false_absent_rows': scored['false_absent'],
        'true_absent_counts': scored['true_absent_recall'],
    }
    return {
        **scored,
        **counts,
        'false_absent': scored['false_absent']['total'],
        'true_absent_recall': scored['true_absent_recall']['share'],
        'ambiguous_named_correctly': scored['ambiguous']['share'],
    }
