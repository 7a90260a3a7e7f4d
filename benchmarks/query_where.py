"""How long "where is it" takes among millions of rows of history, beside a bare point query."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.figure import Figure, Goal, Measured, MeasuringError
from benchmarks.history import history_file, name_of, NUM_OBJECTS, place_at
from benchmarks.reference.point_query import PointQuery
from benchmarks.sampling import seconds_of
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import locate, LocateAnswer, Selector
from st_memory.core.stamps import Moment
from st_memory.storage import SqliteMemoryStore

__all__ = ['QUERY_WHERE', 'STORES', 'compare']

STORES = Path(__file__).resolve().parents[1] / 'build' / 'bench_stores'

_QUESTIONS, _WARM_UPS = 3000, 100
_LABEL_QUESTIONS = 40
_SEED = 5


def compare(path: Path, questions: int = _QUESTIONS) -> Measured:
    """
    Ask for objects by id as of random times, and look the same rows up; 99th percentiles in ms.

    Every answer is held against what is true. The details also have the medians, and that
    of questions by label, each of which 25 objects have.
    """
    rng = np.random.default_rng(_SEED)
    bare = PointQuery(path)
    ours_s, bare_s = [], []
    with SqliteMemoryStore.open(path, read_only=True) as store:
        first, last = store.first_moment(0), store.now()
        if first is None or last is None:
            raise MeasuringError(f'{path}: the memory is empty')
        numbers = [bare.number_of(name_of(i)) for i in range(NUM_OBJECTS)]
        for _ in range(_WARM_UPS + questions):
            number = int(rng.integers(NUM_OBJECTS))
            at = Moment(0, int(rng.integers(first.stamp_ns, last.stamp_ns + 1)))
            ours_s.append(_asked(store, number, at))
            bare_s.append(seconds_of(lambda n=numbers[number], at=at: bare.ask(n, at.stamp_ns)))
        by_label = [
            seconds_of(_asking(store, Selector(label=f'class {number % 40}'), at))
            for number in range(_LABEL_QUESTIONS)
            for at in [Moment(0, int(rng.integers(first.stamp_ns, last.stamp_ns + 1)))]
        ]
    bare.close()
    ours_ms, bare_ms = (1e3 * np.array(s[_WARM_UPS:]) for s in (ours_s, bare_s))
    details = {
        'p50_ms': float(np.median(ours_ms)),
        'bare_p50_ms': float(np.median(bare_ms)),
        'by_label_p50_ms': 1e3 * float(np.median(by_label)),
        'file_mb': path.stat().st_size / 1e6,
    }
    return Measured(float(np.percentile(ours_ms, 99)), float(np.percentile(bare_ms, 99)), details)


def _asked(store: MemoryReader, number: int, at: Moment) -> float:
    answers: list[LocateAnswer] = []
    ask = _asking(store, Selector(object_id=name_of(number)), at)
    spent_s = seconds_of(lambda: answers.append(ask()))
    state, moment = answers[0].object, answers[0].at
    if state is None or moment is None or state.world_p != place_at(number, moment.stamp_ns):
        raise MeasuringError(f'{name_of(number)} as of {at}: the answer is wrong')
    return spent_s


def _asking(store: MemoryReader, selector: Selector, at: Moment) -> Callable[[], LocateAnswer]:
    return lambda: locate(store, selector, at)


def _figure(name: str, num_rows: int, *, only_named: bool = False) -> Figure:
    return Figure(
        name=name,
        unit='ms',
        reference='bare SQLite: the same row by its key, in the same file (both 99th percentiles)',
        measure=lambda: compare(history_file(STORES, num_rows)),
        goal=Goal('value', '<=', 10.0),
        only_named=only_named,
    )


QUERY_WHERE = (
    _figure('query_where_1e6', 10**6),
    _figure('query_where_1e7', 10**7),
    _figure('query_where_1e8', 10**8, only_named=True),
)
