"""
A long memory of a busy room, written by the store's own batches, and what is true in it.

A thousand objects, thirty frames a second. In every frame twenty are found; each object's verdict
changes every five seconds on average; every second one object is put somewhere else. Where an
object is at any time follows from its number alone, so that every answer can be held against it.
"""

from __future__ import annotations

from collections.abc import Iterator
import hashlib
import heapq
from itertools import islice
from pathlib import Path
import shutil

import numpy as np

from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import FrameOrigin, StoredFrame
from st_memory.core.records import (
    CameraLook,
    FrameDelta,
    FrameRecord,
    ObjectState,
    Observation,
    Placement,
    TrackRecord,
    Visibility,
    VisibilityInterval,
)
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment, NS_PER_S
from st_memory.storage import SqliteMemoryStore
from st_memory.storage.schema import MIGRATIONS

__all__ = ['HISTORY_TABLES', 'NUM_OBJECTS', 'History', 'history_file', 'name_of', 'place_at']

NUM_OBJECTS = 1000
# Rows that count as history; those that only name things do not.
HISTORY_TABLES = ('version', 'observation', 'interval', 'look', 'placement')
START_NS = 1_700_000_000 * NS_PER_S

_FRAME_NS = NS_PER_S // 30
_FOUND, _DWELL_S, _SEED = 20, 5.0, 5
_NUM_CLASSES = 40
_STATES = (Visibility.VISIBLE, Visibility.OUT_OF_VIEW, Visibility.OCCLUDED)
_CAUSES = ('in_view', 'outside_image', 'occluded_by:cupboard_1/door')
_ORIGIN = FrameOrigin('bench', 'bench')
# As long as what the fold keeps of a track: 1.4 to 2.0 kB in the fixture recording.
_FOLD_JSON = '{"hits":12,"misses":0,"spread":[0.01,0.01,0.01],"votes":{"class":12}}' * 24


def name_of(number: int) -> str:
    """Give the id of an object."""
    return f'object_{number}'


def _moves_until(number: int, stamp_ns: int) -> int:
    """How often an object has been put elsewhere: one object a second, in turn."""
    second = (stamp_ns - START_NS) // NS_PER_S
    return max(0, (second - number - 1) // NUM_OBJECTS + 1) if second > number else 0


def place_at(number: int, stamp_ns: int) -> Point:
    """Where an object truly is."""
    moves = _moves_until(number, stamp_ns)
    return (0.2 * (number % 40) + 0.01 * moves, 0.2 * (number // 40), 0.9)


class History:
    """
    The frames, in order, without an end.

    Attributes
    ----------
    num_rows : int
        Rows of ``HISTORY_TABLES`` that the frames given so far will make.

    """

    def __init__(self) -> None:
        self.num_rows = 0
        self._rng = np.random.default_rng(_SEED)
        self._states: dict[int, ObjectState] = {}
        self._since = [START_NS] * NUM_OBJECTS
        self._verdicts = self._rng.integers(0, 3, NUM_OBJECTS).tolist()
        dwells = self._rng.exponential(_DWELL_S, NUM_OBJECTS)
        self._due = [
            (START_NS + int(dwell * NS_PER_S), number) for number, dwell in enumerate(dwells)
        ]
        heapq.heapify(self._due)

    def frames(self) -> Iterator[StoredFrame]:
        """Give frame after frame."""
        seq = 0
        while True:
            delta = self._frame(seq, START_NS + seq * _FRAME_NS)
            self.num_rows += 1 + len(delta.tracks) + len(delta.observations)
            self.num_rows += sum(row.end_ns is None for row in delta.intervals)
            self.num_rows += len(delta.placements)
            yield StoredFrame(_ORIGIN, delta)
            seq += 1

    def _frame(self, seq: int, now_ns: int) -> FrameDelta:
        changed: set[int] = set()
        intervals: list[VisibilityInterval] = []
        placements: list[Placement] = []
        if seq == 0:
            changed.update(range(NUM_OBJECTS))
            intervals += [self._interval(number, None) for number in changed]
            placements += [_placement(number, now_ns, None, now_ns) for number in changed]
        else:
            placements += self._moved(seq, now_ns, changed)
            intervals += self._switched(now_ns, changed)
        found = [(_FOUND * seq + i) % NUM_OBJECTS for i in range(_FOUND)]
        changed.update(found)
        return FrameDelta(
            FrameRecord(0, now_ns, seq, f'{{"frames":{seq}}}'),
            tuple(self._track(number, now_ns, number in found) for number in sorted(changed)),
            tuple(_observation(seq, number, now_ns) for number in found),
            tuple(intervals),
            tuple(placements),
            (CameraLook('head', 0, now_ns, _pose(seq), detector_reported=True),),
        )

    def _moved(self, seq: int, now_ns: int, changed: set[int]) -> Iterator[Placement]:
        """Put the object elsewhere whose second has begun since the frame before."""
        second = (now_ns - START_NS) // NS_PER_S
        if second == (now_ns - _FRAME_NS - START_NS) // NS_PER_S:
            return
        number = (second - 1) % NUM_OBJECTS
        changed.add(number)
        begun = START_NS if second <= NUM_OBJECTS else now_ns - NUM_OBJECTS * NS_PER_S
        begun = self._states[number].last_placed_ns or begun
        yield _placement(number, begun, now_ns, begun)
        yield _placement(number, now_ns, None, now_ns)

    def _switched(self, now_ns: int, changed: set[int]) -> Iterator[VisibilityInterval]:
        """Close and open the intervals of objects whose verdict changes."""
        while self._due[0][0] <= now_ns:
            _, number = self._due[0]
            dwell_ns = int(self._rng.exponential(_DWELL_S) * NS_PER_S) + _FRAME_NS
            heapq.heapreplace(self._due, (now_ns + dwell_ns, number))
            changed.add(number)
            yield self._interval(number, now_ns)
            self._verdicts[number] = (self._verdicts[number] + 1 + number % 2) % 3
            self._since[number] = now_ns
            yield self._interval(number, None)

    def _interval(self, number: int, end_ns: int | None) -> VisibilityInterval:
        start_ns, verdict = self._since[number], self._verdicts[number]
        num_frames = 1 if end_ns is None else (end_ns - start_ns) // _FRAME_NS
        last_ns = start_ns if end_ns is None else end_ns - _FRAME_NS
        state = _STATES[verdict]
        return VisibilityInterval(
            name_of(number), 'head', 0, start_ns, end_ns, last_ns, state, state,
            _CAUSES[verdict], num_frames=max(1, num_frames),
        )  # fmt: skip

    def _track(self, number: int, now_ns: int, is_found: bool) -> TrackRecord:
        before = self._states.get(number)
        state = _STATES[self._verdicts[number]]
        moves = _moves_until(number, now_ns)
        placed_ns = before.last_placed_ns if before else None
        if before and moves > before.num_moves:
            placed_ns = now_ns
        seen_ns = now_ns if is_found else before and before.last_seen_ns
        now = ObjectState(
            name_of(number), f'class {number % _NUM_CLASSES}', 0,
            world_p=place_at(number, now_ns), size_m=(0.08, 0.08, 0.1), position_sigma_m=0.01,
            visibility=state, cause=_CAUSES[self._verdicts[number]], geometry=state,
            first_seen_ns=START_NS, last_seen_ns=seen_ns, last_placed_ns=placed_ns,
            last_visible_ns=seen_ns, placed_by='inferred' if placed_ns else '',
            visibility_since_ns=self._since[number], fixture_id=f'shelf_{number // 40}',
            num_moves=moves,
            num_observations=(before.num_observations if before else 0) + is_found,
        )  # fmt: skip
        self._states[number] = now
        return TrackRecord(now, _FOLD_JSON)


def _observation(seq: int, number: int, now_ns: int) -> Observation:
    place = place_at(number, now_ns)
    return Observation(
        f'0-{seq}-head-{number}', name_of(number), 0, now_ns, f'class {number % _NUM_CLASSES}',
        0.9, 'head', (place[0], place[1], 1.5), place, (300.0, 200.0, 40.0, 50.0),
    )  # fmt: skip


def _placement(number: int, start_ns: int, end_ns: int | None, recorded_ns: int) -> Placement:
    return Placement(
        name_of(number), 0, start_ns, end_ns, recorded_ns, place_at(number, start_ns),
        f'shelf_{number // 40}', 'inferred',
    )  # fmt: skip


def _pose(seq: int) -> RigidTransform:
    return RigidTransform(np.array([0.001 * seq, 0.0, 1.5]), np.array([0.0, 0.0, 0.0, 1.0]))


def history_file(folder: Path, num_rows: int) -> Path:
    """
    Give a memory with at least so many rows of history; made once, then kept.

    Parameters
    ----------
    folder : Path
        Where such files are kept.
    num_rows : int
        Rows of ``HISTORY_TABLES``.

    """
    key = hashlib.sha256(Path(__file__).read_bytes())
    for migration in MIGRATIONS:
        key.update(repr(migration.statements).encode())
    path = folder / f'history_{num_rows}_{key.hexdigest()[:12]}.db'
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f'history_{num_rows}_*'):
        old.unlink()
    draft = folder / 'draft'
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    with SqliteMemoryStore.open(draft / 'memory.db') as store:
        history = History()
        frames = history.frames()
        while history.num_rows < num_rows:
            store.restore_all(islice(frames, 500))
    (draft / 'memory.db').replace(path)
    draft.rmdir()
    return path


def newest_moment(path: Path) -> Moment:
    """Give the moment of the newest frame."""
    with SqliteMemoryStore.open(path, read_only=True) as store:
        now = store.now()
    assert now is not None
    return now
