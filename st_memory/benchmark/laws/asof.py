"""
Answers as of T use nothing that came after T.

A life is folded into one store whole, and into another that is stopped at 200 random moments. At
each of them the whole store is asked as of then, and so is the one that holds nothing later: all
answers must be equal to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
import csv
import logging
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from st_memory.bags import BagFrameSource
from st_memory.benchmark.laws.asking import answers, digest
from st_memory.benchmark.laws.life import life_bag
from st_memory.benchmark.laws.recorded import fold_of
from st_memory.benchmark.laws.telling import live
from st_memory.core.memory import ObjectMemory
from st_memory.core.ports import MemoryReader, MemoryStore
from st_memory.core.records import SensedFrame
from st_memory.core.stamps import Moment, NS_PER_S
from st_memory.storage import SqliteMemoryStore

__all__ = ['ANSWERS', 'compare', 'predict', 'score']

ANSWERS = 'answers.csv'
_COLUMNS = ('item', 'epoch', 'stamp_ns', 'question', 'full_sha256', 'truncated_sha256')
_NUM_MOMENTS = 200
_LATE_NS = 2 * NS_PER_S
_NUM_OBJECTS = 4
_NUM_LABELS = 3
_SAID_EVERY = 10


class Row(NamedTuple):
    """One question at one moment, with a digest of the answer of either store."""

    item: int
    at: Moment
    question: str
    full: str
    truncated: str


_logger = logging.getLogger(__name__)


def predict(data: Path, out: Path, seed: int) -> dict[str, Any]:
    """
    Write ``answers.csv``: every question at every moment, with a digest of both answers.

    Parameters
    ----------
    data : Path
        Folder with a bag; a made-up life is put there when it has none.
    out : Path
        Receives the memories and the per-item file.
    seed : int
        Of the life, of what is told in between, and of the moments.

    """
    bag = life_bag(data, seed)
    source = BagFrameSource(bag)
    rng = np.random.default_rng(seed)
    for name in ('full', 'truncated'):
        for end in ('', '-wal', '-shm'):
            (out / f'{name}.db{end}').unlink(missing_ok=True)
    with SqliteMemoryStore.open(out / 'full.db') as full:
        full.put_scene(source.scene)
        memory = fold_of(source.scene)
        _logger.info('as of: the whole memory is made first')
        frames = list(live(source, memory, full, rng))
    with (
        SqliteMemoryStore.open(out / 'full.db', read_only=True) as full,
        SqliteMemoryStore.open(out / 'truncated.db') as truncated,
    ):
        truncated.put_scene(source.scene)
        moments = random_moments(frames, _NUM_MOMENTS, rng)
        rows = compare(full, truncated, frames, moments, rng, lambda: fold_of(source.scene))
        with (out / ANSWERS).open('w', encoding='utf-8', newline='') as stream:
            table = csv.writer(stream)
            table.writerow(_COLUMNS)
            num_rows = 0
            for row in rows:
                at = row.at
                table.writerow(
                    (row.item, at.epoch, at.stamp_ns, row.question, row.full, row.truncated)
                )
                num_rows += 1
        epochs = len(full.epochs())
    return {'bag': bag.name, 'frames': len(frames), 'epochs': epochs, 'answers': num_rows}


def score(data: Path, out: Path) -> dict[str, Any]:
    """
    Count the moments at which all answers are equal.

    Returns
    -------
    dict
        ``equal``, ``total``; and under ``details`` the ``questions`` that differed somewhere.

    """
    del data
    items: dict[str, bool] = {}
    differing: dict[str, int] = {}
    num_answers = 0
    with (out / ANSWERS).open(encoding='utf-8', newline='') as stream:
        for row in csv.DictReader(stream):
            is_equal = row['full_sha256'] == row['truncated_sha256']
            items[row['item']] = items.get(row['item'], True) and is_equal
            num_answers += 1
            if not is_equal:
                differing[row['question']] = differing.get(row['question'], 0) + 1
    return {
        'equal': sum(items.values()),
        'total': len(items),
        'details': {'answers': num_answers, 'differing': differing},
    }


def compare(
    full: MemoryReader,
    truncated: MemoryStore,
    frames: Sequence[SensedFrame],
    moments: Sequence[Moment],
    rng: Generator,
    fold: Callable[[], ObjectMemory],
) -> Iterator[Row]:
    """
    Ask both stores at each moment; the second is never given a frame from after it.

    Parameters
    ----------
    full : MemoryReader
        Holds all frames.
    truncated : MemoryStore
        Empty; it is filled frame by frame, by a fold of its own.
    frames : sequence of SensedFrame
        In order.
    moments : sequence of Moment
        When to ask.
    rng : Generator
        Chooses what is asked about: also what is known only later.
    fold : callable
        Gives the fold of the second store.

    """
    memory, known = fold(), _Known.to(full)
    waiting = iter(frames)
    following = next(waiting, None)
    for item, at in enumerate(sorted(moments)):
        if item % _SAID_EVERY == 0:
            _logger.info('as of: moment %d of %d', item + 1, len(moments))
        while following is not None and _moment(following) <= at:
            truncated.commit(memory.integrate(following))
            following = next(waiting, None)
        who = known.some(rng)
        asked = zip(answers(full, at, *who), answers(truncated, at, *who), strict=True)
        for (question, whole), (_, cut) in asked:
            yield Row(item, at, question, digest(whole), digest(cut))


def random_moments(frames: Sequence[SensedFrame], count: int, rng: Generator) -> list[Moment]:
    """
    Draw moments at, between and shortly after frames, of all epochs.

    None lies before the first frame of its epoch: a store that is cut there does not know yet
    that there will be such an epoch.
    """
    spans: dict[int, list[int]] = {}
    for frame in frames:
        spans.setdefault(frame.epoch, [frame.stamp_ns]).append(frame.stamp_ns)
    drawn = []
    for _ in range(count):
        chosen = frames[int(rng.integers(len(frames)))]
        first_ns, last_ns = min(spans[chosen.epoch]), max(spans[chosen.epoch])
        if rng.random() < 0.3:
            stamp_ns = chosen.stamp_ns
        else:
            stamp_ns = int(rng.integers(first_ns, last_ns + _LATE_NS))
        drawn.append(Moment(chosen.epoch, stamp_ns))
    return drawn


def _moment(frame: SensedFrame) -> Moment:
    return Moment(frame.epoch, frame.stamp_ns)


class _Known(NamedTuple):
    """All ids and labels that the whole store ever knew."""

    names: list[str]
    labels: list[str]

    @classmethod
    def to(cls, full: MemoryReader) -> _Known:
        """List them."""
        last_ns = 2**63 - 1
        states = [s for e in full.epochs() for s in full.objects_at(Moment(e, last_ns))]
        return cls(sorted({s.object_id for s in states}), sorted({s.label for s in states}))

    def some(self, rng: Generator) -> tuple[list[str], list[str]]:
        """Choose a few, and one of nothing."""
        names = _drawn(self.names, _NUM_OBJECTS, rng)
        return [*names, 'unicorn_1'], _drawn(self.labels, _NUM_LABELS, rng)


def _drawn(among: list[str], count: int, rng: Generator) -> list[str]:
    if not among:
        return []
    chosen = rng.choice(len(among), min(count, len(among)), replace=False)
    return [among[int(index)] for index in chosen]
