"""
What was acknowledged survives ``kill -9``.

A process folds a life into a memory file and says the number of each frame after its commit; it
is killed at a random moment, 100 times with 100 files. Each file must be sound, hold every frame
that was acknowledged, answer like a memory that was never killed, and go on to the same end.
"""

from __future__ import annotations

from collections.abc import Sequence
import csv
import hashlib
import logging
from pathlib import Path
import sys
from typing import Any, NamedTuple

import numpy as np

from st_memory.bags import BagFrameSource
from st_memory.benchmark.laws.asking import answers, digest
from st_memory.benchmark.laws.killing import integrity_of, killed_run, remove, time_of_whole_run
from st_memory.benchmark.laws.life import life_bag
from st_memory.benchmark.laws.recorded import fold_of, go_on
from st_memory.core.errors import StMemoryError
from st_memory.core.ports import MemoryReader
from st_memory.storage import dump, InMemoryStore, SqliteMemoryStore
from st_memory.storage.dump import HistoryStore

__all__ = ['RUNS', 'Asked', 'add_reference', 'asked_of', 'predict', 'score', 'try_one']

RUNS = 'runs.csv'
NUM_RUNS = 100
_NUM_FRAMES = 120
_STARTING_EVERY = 10
"""One run in so many is killed while it opens the file and reads the recording."""

_KILLED_BY = 0.9
"""Share of the time of a whole run after which nothing is killed any more."""
_SHORTER = 0.7
"""So much of it is believed of a run's time where a run was over before it was killed."""

WRITER = (sys.executable, '-m', 'st_memory.benchmark.laws.crash_run')
_COLUMNS = (
    'run',
    'killed_after_s',
    'acknowledged',
    'held',
    'integrity',
    'state_sha256',
    'reference_state_sha256',
    'answers_sha256',
    'reference_answers_sha256',
    'end_sha256',
    'reference_end_sha256',
)


class Asked(NamedTuple):
    """Objects and labels that a memory is asked about."""

    names: list[str]
    labels: list[str]


_logger = logging.getLogger(__name__)


def predict(data: Path, out: Path, seed: int) -> dict[str, Any]:
    """
    Write ``runs.csv``: what each killed run had acknowledged, and what its file was then.

    Parameters
    ----------
    data : Path
        Folder with a bag; a made-up life is put there when it has none.
    out : Path
        Receives the memories and the per-item file.
    seed : int
        Of the life and of the moments of the kills.

    """
    bag = life_bag(data, seed, _NUM_FRAMES)
    whole = out / 'whole.db'
    whole_s = timed_s = time_of_whole_run((*WRITER, str(bag), str(whole)), whole)
    asked = asked_of(bag)
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    while len(rows) < NUM_RUNS:
        _logger.info('crash: run %d of %d', len(rows) + 1, NUM_RUNS)
        db = out / f'run_{len(rows):03d}.db'
        kill_after_s = float(rng.uniform(0.0, _KILLED_BY * whole_s))
        row = try_one(bag, db, kill_after_s, asked, starting=len(rows) % _STARTING_EVERY == 0)
        if row is not None:
            rows.append({'run': len(rows), **row})
        else:  # perhaps the machine was busier when the whole run was timed
            whole_s = max(kill_after_s, _SHORTER * whole_s)
    add_reference(rows, bag, asked)
    with (out / RUNS).open('w', encoding='utf-8', newline='') as stream:
        table = csv.DictWriter(stream, _COLUMNS, restval='')
        table.writeheader()
        table.writerows(rows)
    return {'bag': bag.name, 'whole_run_s': round(timed_s, 3)}


def score(data: Path, out: Path) -> dict[str, Any]:
    """
    Count what was lost.

    Returns
    -------
    dict
        ``lost_acknowledged``: frames that had been acknowledged and were not there;
        ``corrupt``: files that are not sound, or hold another state than that many frames make;
        ``right_after_restart``: files that answer all questions right, and go on to the same
        end.

    """
    del data
    with (out / RUNS).open(encoding='utf-8', newline='') as stream:
        rows = list(csv.DictReader(stream))
    return {
        'runs': len(rows),
        'lost_acknowledged': sum(max(0, int(r['acknowledged']) - int(r['held'])) for r in rows),
        'corrupt': sum(
            r['integrity'] != 'ok' or r['state_sha256'] != r['reference_state_sha256']
            for r in rows
        ),
        'right_after_restart': sum(
            r['answers_sha256'] == r['reference_answers_sha256']
            and r['end_sha256'] == r['reference_end_sha256']
            for r in rows
        ),
        'details': {'killed_before_the_first_frame': sum(r['held'] == '0' for r in rows)},
    }


def asked_of(bag: Path) -> Asked:
    """Give a few objects to ask about: those that are known in the end."""
    store = InMemoryStore()
    for _ in go_on(bag, store):
        pass
    states = store.objects_at()[:2]
    return Asked([s.object_id for s in states], sorted({s.label for s in states})[:1])


def add_reference(rows: Sequence[dict[str, Any]], bag: Path, asked: Asked) -> None:
    """
    Put beside each run what a memory that is never killed holds after as many frames.

    Parameters
    ----------
    rows : sequence of dict
        What :func:`try_one` found; ``reference_*`` is added.
    bag : Path
        What was folded.
    asked : Asked
        What was asked about.

    """
    source = BagFrameSource(bag)
    store = InMemoryStore()
    store.put_scene(source.scene)
    memory = fold_of(source.scene)
    after = {row['held'] for row in rows}
    found = {0: (_digest_of(store), _answers_of(store, asked))}
    for count, frame in enumerate(source.frames(), 1):
        store.commit(memory.integrate(frame))
        if count in after:
            found[count] = (_digest_of(store), _answers_of(store, asked))
    for row in rows:
        state, said = found.get(row['held'], ('none', 'none'))
        row['reference_state_sha256'], row['reference_answers_sha256'] = state, said
        row['reference_end_sha256'] = _digest_of(store)
        if not row['held'] and row['integrity'] == 'ok':
            row['state_sha256'] = state  # the scene may not have been put there yet


def try_one(
    bag: Path,
    db: Path,
    kill_after_s: float,
    asked: Asked,
    writer: Sequence[str] = WRITER,
    *,
    starting: bool = False,
) -> dict[str, Any] | None:
    """
    Start a writer, kill it, and look at what it left.

    Parameters
    ----------
    bag : Path
        What it folds.
    db : Path
        The file; replaced.
    kill_after_s : float
        How long after it acknowledged its first frame it is killed.
    asked : Asked
        What the file is asked about.
    writer : sequence of str
        Command of the writer, without the bag and the file.
    starting : bool
        Count from when the file is there instead.

    Returns
    -------
    dict or None
        A row of ``runs.csv`` but for its number; None when the writer was done before.

    """
    remove(db)
    acknowledged = killed_run((*writer, str(bag), str(db)), db, kill_after_s, starting=starting)
    if acknowledged is None:
        return None
    row: dict[str, Any] = {
        'killed_after_s': f'{kill_after_s:.4f}',
        'acknowledged': acknowledged,
        'held': 0,
        'integrity': integrity_of(db),
    }
    try:
        with SqliteMemoryStore.open(db) as store:
            checkpoint = store.checkpoint()
            held = 0 if checkpoint is None else checkpoint.frame.seq + 1
            row['held'] = held
            row['state_sha256'] = _digest_of(store)
            row['answers_sha256'] = _answers_of(store, asked)
            for _ in go_on(bag, store):
                pass
            row['end_sha256'] = _digest_of(store)
    except StMemoryError as error:
        row['integrity'] = str(error)
    if row['integrity'] == 'ok':
        remove(db)  # what is wrong is kept for whoever looks into it
    return row


def _answers_of(reader: MemoryReader, asked: Asked) -> str:
    now = reader.now()
    if now is None:
        return digest('')
    return digest('\n'.join(text for _, text in answers(reader, now, *asked)))


def _digest_of(store: HistoryStore) -> str:
    return hashlib.sha256(dump(store)).hexdigest()[:16]
