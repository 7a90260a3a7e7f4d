"""A hand-made kitchen: the truth of a few seconds, and what a memory made of it, as files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import csv
from pathlib import Path
from typing import Any

from st_memory.benchmark.kitchen_questions_files import MOVES, OBSERVATIONS, PLACEMENTS
from st_memory.benchmark.kitchen_questions_truth import KitchenTruth, TrueMove, TrueRow
from st_memory.core.geometry import PinholeCamera, RigidTransform
from st_memory.core.records import Detection
from st_memory.core.stamps import NS_PER_S

BOX = (10.0, 20.0, 8.0, 6.0)
AT_ORIGIN = RigidTransform.identity()


def row(
    second: float,
    place: tuple[float, float, float] = (0.0, 0.0, 2.0),
    fixture: str = 'shelf_1',
    **more: Any,
) -> TrueRow:
    """
    Give one object in one image: at rest, a hundred pixels of it in plain view.

    The camera is at the origin and looks along z; by default the object is in front of it.
    """
    values: dict[str, Any] = {
        'stamp_ns': round(second * NS_PER_S),
        'visible_px': 100,
        'unoccluded_px': 100,
        'in_hand': False,
        'is_present': True,
        'fixture_id': fixture,
        'world_p': place,
        'box_px': BOX,
    }
    return TrueRow(**{**values, **more})


def kitchen(
    rows: dict[str, Sequence[TrueRow]],
    moves: Iterable[tuple[str, float, float, str]] = (),
) -> KitchenTruth:
    """Give a kitchen; moves are object, start and end in seconds, and where to."""
    stamps = sorted({r.stamp_ns for some in rows.values() for r in some})
    return KitchenTruth(
        labels={name: name.rpartition('_')[0] for name in rows},
        rows={name: list(some) for name, some in rows.items()},
        moves=[
            TrueMove(name, round(start * NS_PER_S), round(end * NS_PER_S), where)
            for name, start, end, where in moves
        ],
        camera=PinholeCamera(320, 240, 200.0, 200.0, 159.5, 119.5),
        poses=dict.fromkeys(stamps, AT_ORIGIN),
    )


def detected(
    *found: tuple[float, str] | tuple[float, str, tuple[float, float, float, float]],
) -> dict[int, list[Detection]]:
    """Give detections: the second, the true id ('' for a false one), perhaps the box."""
    out: dict[int, list[Detection]] = {}
    for second, name, *box in found:
        made = Detection(
            name.rpartition('_')[0] or 'mug', 0.9, name, tuple(box[0]) if box else BOX
        )
        out.setdefault(round(second * NS_PER_S), []).append(made)
    return out


def write_followed(
    folder: Path,
    observations: Iterable[tuple[Any, ...]] = (),
    moves: Iterable[tuple[str, float, float]] = (),
    placements: Iterable[tuple[str, float, float, str]] = (),
) -> Path:
    """Write what a memory says: observations are object and second, and perhaps the box."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(
        folder / OBSERVATIONS,
        ('object_id', 'stamp_ns', 'label', 'x', 'y', 'w', 'h'),
        (
            (name, round(second * NS_PER_S), 'mug', *(box[0] if box else BOX))
            for name, second, *box in observations
        ),
    )
    _write(
        folder / MOVES,
        ('object_id', 'start_ns', 'end_ns', 'recorded_ns'),
        ((n, round(a * NS_PER_S), round(b * NS_PER_S), 0) for n, a, b in moves),
    )
    _write(
        folder / PLACEMENTS,
        ('object_id', 'start_ns', 'recorded_ns', 'fixture', 'x', 'y', 'z'),
        (
            (n, round(start * NS_PER_S), round(recorded * NS_PER_S), fixture, 0, 0, 0)
            for n, start, recorded, fixture in placements
        ),
    )
    return folder


def _write(path: Path, header: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> None:
    with path.open('w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow(header)
        writer.writerows(rows)
