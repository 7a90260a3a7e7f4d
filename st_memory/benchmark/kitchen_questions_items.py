"""Per-item tables of a kitchen: whose detections, which moves, which fixtures; true and said."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
import csv
from pathlib import Path
from typing import Any

import numpy as np

from st_memory.benchmark.kitchen_questions_files import MOVES, OBSERVATIONS, PLACEMENTS
from st_memory.benchmark.kitchen_questions_truth import KitchenTruth, TrueMove
from st_memory.core.records import Detection
from st_memory.core.stamps import NS_PER_S

__all__ = ['FIXTURES', 'IDENTITIES', 'MIN_SIGHTS', 'MOVEMENTS', 'Row', 'append_items']

Row = dict[str, Any]

IDENTITIES = 'identities.csv'
MOVEMENTS = 'moves.csv'
FIXTURES = 'fixtures.csv'

MIN_SIGHTS = 3
"""Detections at rest without which nobody can tell that a thing came to be somewhere."""

_MIN_SHIFT_M = 0.15
_BEFORE_NS = 2 * NS_PER_S
_END_OF_TIME_NS = 2**63 - 1
# Boxes go through the recording as centre and size: so far they may come out apart.
_SAME_BOX_PX = 1e-3


def append_items(
    kitchen: str,
    truth: KitchenTruth,
    detections: Mapping[int, Sequence[Detection]],
    followed: Path,
    out: Path,
) -> None:
    """
    Add the items of one kitchen to the tables in a folder.

    Parameters
    ----------
    kitchen : str
        Its name, the first column of every table.
    truth : KitchenTruth
        What was so.
    detections : mapping of int to sequence of Detection
        What the memory was given, by stamp, with true ids.
    followed : Path
        Folder with what the memory made of it.
    out : Path
        Receives the tables.

    """
    out.mkdir(parents=True, exist_ok=True)
    identities = list(_identities(detections, followed / OBSERVATIONS))
    _append(out / IDENTITIES, kitchen, identities)
    sights = _sights(detections)
    _append(out / MOVEMENTS, kitchen, _movements(truth, sights, followed / MOVES))
    _append(out / FIXTURES, kitchen, _fixtures(truth, identities, followed / PLACEMENTS))


def _identities(
    detections: Mapping[int, Sequence[Detection]], observations: Path
) -> Iterator[Row]:
    """Give every detection with the id of its thing and of the object it was taken for."""
    taken: dict[int, list[tuple[np.ndarray[Any, Any], str]]] = {}
    for row in _read(observations):
        box = np.array([float(row[name]) for name in 'xywh'])
        taken.setdefault(int(row['stamp_ns']), []).append((box, row['object_id']))
    for stamp_ns, found in detections.items():
        for detection in found:
            box = np.array(detection.box_px)
            names = [
                name
                for other, name in taken.get(stamp_ns, ())
                if np.abs(other - box).max() <= _SAME_BOX_PX
            ]
            yield {
                'stamp_ns': stamp_ns,
                'box': ' '.join(f'{v:.3f}' for v in box.tolist()),
                'label': detection.label,
                'true_id': detection.track_id,
                'object_id': names[0] if names else '',
            }


def _sights(detections: Mapping[int, Sequence[Detection]]) -> dict[str, list[int]]:
    """Give the stamps at which each thing was detected, in order."""
    sights: dict[str, list[int]] = {}
    for stamp_ns in sorted(detections):
        for detection in detections[stamp_ns]:
            if detection.track_id:
                sights.setdefault(detection.track_id, []).append(stamp_ns)
    return sights


def _movements(truth: KitchenTruth, sights: Mapping[str, list[int]], said: Path) -> Iterator[Row]:
    """
    Give true movements and those that were told.

    Between two movements without a sight at rest nobody can tell one from two: they are one. A
    true movement counts when the thing was detected before it and at least
    :data:`MIN_SIGHTS` times at rest after it, and came away from its place or was seen moving.
    """
    for object_id in sorted(truth.labels):
        own = [m for m in truth.moves if m.object_id == object_id]
        for start_ns, end_ns, why in _joined(truth, own, sights.get(object_id, [])):
            yield {
                'source': 'true',
                'object_id': object_id,
                'start_ns': start_ns,
                'end_ns': end_ns,
                'not_counted': why,
            }
    for row in _read(said):
        yield {
            'source': 'said',
            'object_id': row['object_id'],
            'start_ns': row['start_ns'],
            'end_ns': row['end_ns'],
            'not_counted': '',
        }


def _joined(
    truth: KitchenTruth, moves: Sequence[TrueMove], seen: Sequence[int]
) -> Iterator[tuple[int, int, str]]:
    """Join movements that nobody can tell apart; with why one does not count, or ''."""
    chain: list[TrueMove] = []
    for i, move in enumerate(moves):
        chain.append(move)
        last = i + 1 == len(moves)
        until_ns = max(truth.poses) + 1 if last else moves[i + 1].start_ns
        after = _count(seen, move.end_ns, until_ns)
        if last or after:
            yield chain[0].start_ns, move.end_ns, _why_not(truth, chain, seen, after)
            chain = []


def _why_not(
    truth: KitchenTruth, chain: Sequence[TrueMove], seen: Sequence[int], after: int
) -> str:
    first, last = chain[0], chain[-1]
    if last.is_removal:
        return 'taken away'
    if not _count(seen, 0, first.start_ns):
        return 'not seen before'
    if after < MIN_SIGHTS:
        return 'hardly seen after'
    was, is_now = _place(truth, first, first.start_ns - 1), _place(truth, last, last.end_ns)
    shift_m = float(np.linalg.norm(np.subtract(is_now, was)))
    if shift_m < _MIN_SHIFT_M and not any(_count(seen, m.start_ns, m.end_ns) for m in chain):
        return 'put back unseen'
    return ''


def _place(truth: KitchenTruth, move: TrueMove, stamp_ns: int) -> tuple[float, float, float]:
    """Where a thing was in the first image from a stamp on; for earlier, the one before."""
    rows = truth.rows[move.object_id]
    i = bisect_right([row.stamp_ns for row in rows], stamp_ns)
    if stamp_ns < move.start_ns:
        i -= 1
    return rows[min(max(i, 0), len(rows) - 1)].world_p


def _fixtures(truth: KitchenTruth, identities: Iterable[Row], placements: Path) -> Iterator[Row]:
    """
    Give every placement that was told, with the fixture at which its thing came to rest.

    Of a placement that was corrected the last version counts. The thing is the one that most
    detections are of which were taken for the object from shortly before the placement to its
    next one; '' where there is none, or where it did not come to rest meanwhile.
    """
    seen: dict[str, list[tuple[int, str]]] = {}
    for row in identities:
        if row['object_id'] and row['true_id']:
            seen.setdefault(row['object_id'], []).append((row['stamp_ns'], row['true_id']))
    told: dict[str, dict[int, dict[str, str]]] = {}
    for placement in sorted(_read(placements), key=lambda row: int(row['recorded_ns'])):
        told.setdefault(placement['object_id'], {})[int(placement['start_ns'])] = placement
    for object_id, by_start in sorted(told.items()):
        starts = sorted(by_start)
        for start_ns, end_ns in zip(starts, [*starts[1:], _END_OF_TIME_NS], strict=True):
            here = Counter(
                name
                for stamp, name in seen.get(object_id, ())
                if start_ns - _BEFORE_NS <= stamp < end_ns
            )
            true_id = here.most_common(1)[0][0] if here else ''
            fixture = _fixture(truth, true_id, start_ns, end_ns)
            yield {
                'object_id': object_id,
                'start_ns': start_ns,
                'true_id': true_id if fixture else '',
                'fixture': fixture,
                'said': by_start[start_ns]['fixture'],
            }


def _fixture(truth: KitchenTruth, object_id: str, start_ns: int, end_ns: int) -> str:
    """Name the fixture at which a thing first is at rest in a time; '' for nowhere."""
    moves = [m for m in truth.moves if m.object_id == object_id]
    for row in truth.rows.get(object_id, ()):
        stamp = row.stamp_ns
        is_moving = row.in_hand or any(m.start_ns <= stamp < m.end_ns for m in moves)
        if start_ns <= stamp < end_ns and row.is_present and not is_moving:
            return row.fixture_id
    return ''


def _count(stamps: Sequence[int], start_ns: int, end_ns: int) -> int:
    return sum(start_ns <= stamp < end_ns for stamp in stamps)


def _read(path: Path) -> Iterator[dict[str, str]]:
    with path.open(newline='', encoding='utf-8') as file:
        yield from csv.DictReader(file)


_COLUMNS = {
    IDENTITIES: ('stamp_ns', 'box', 'label', 'true_id', 'object_id'),
    MOVEMENTS: ('source', 'object_id', 'start_ns', 'end_ns', 'not_counted'),
    FIXTURES: ('object_id', 'start_ns', 'true_id', 'fixture', 'said'),
}


def _append(path: Path, kitchen: str, rows: Iterable[Row]) -> None:
    is_new = not path.exists()
    with path.open('a', newline='', encoding='utf-8') as file:
        writer = csv.DictWriter(file, ('kitchen', *_COLUMNS[path.name]), lineterminator='\n')
        if is_new:
            writer.writeheader()
        writer.writerows({'kitchen': kitchen, **row} for row in rows)
