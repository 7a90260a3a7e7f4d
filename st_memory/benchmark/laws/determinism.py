"""
The same frames give the same memory, to the last byte.

A life is folded twice into files, and again with the file closed and opened anew midway; and a
recording is played three times in a row into one memory, whose three epochs must be the same but
for their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import csv
import hashlib
from itertools import islice
import logging
from pathlib import Path
import re
from typing import Any

import numpy as np

from st_memory.bags import BagFrameSource, open_bag
from st_memory.benchmark.laws.life import life_bag
from st_memory.benchmark.laws.recorded import fold_of
from st_memory.conversions import FrameAssembler, TopicKind
from st_memory.conversions.assembly_settings import AssemblerSettings, ReleasePolicy
from st_memory.core.records import Scene, SensedFrame
from st_memory.storage import dump_lines, InMemoryStore, SqliteMemoryStore
from st_memory.storage.dump import HistoryStore

__all__ = ['DUMPS', 'epoch_digests', 'fold_in_parts', 'looped_frames', 'predict', 'score']

DUMPS = 'dumps.csv'
_COLUMNS = ('group', 'run', 'lines', 'sha256')
_NUM_REOPENED = 3
_NUM_LOOPS = 3
_NUM_FRAMES = 150
# What tells one epoch from another in the lines of a dump.
_EPOCH = re.compile(rb'"epoch":\d+|(?<=")([eo])\d+(?=-\d+-)')

_logger = logging.getLogger(__name__)


def predict(data: Path, out: Path, seed: int) -> dict[str, Any]:
    """
    Write ``dumps.csv``: a digest of the dump of each run, and of each epoch of the loops.

    Parameters
    ----------
    data : Path
        Folder with a bag; a made-up life is put there when it has none.
    out : Path
        Receives the memories and the per-item file.
    seed : int
        Of the life and of the moments at which the file is opened anew.

    """
    bag = life_bag(data, seed, _NUM_FRAMES)
    source = BagFrameSource(bag)
    num_frames = sum(1 for _ in source.frames())
    rng = np.random.default_rng(seed)
    rows: list[tuple[str, str, int, str]] = []
    for run in ('first', 'second'):
        _logger.info('determinism: the %s of two replays', run)
        rows.append(('replays', run, *fold_in_parts(source, out / f'{run}.db', ())))
    for number in range(_NUM_REOPENED):
        _logger.info('determinism: replay %d of %d in parts', number + 1, _NUM_REOPENED)
        cuts = sorted(rng.integers(1, num_frames, number + 1).tolist())
        made = fold_in_parts(source, out / f'reopened_{number}.db', cuts)
        rows.append(('replays', f'reopened after {" and ".join(map(str, cuts))} frames', *made))
    _logger.info('determinism: %d loops', _NUM_LOOPS)
    store = InMemoryStore()
    frames = list(looped_frames(bag, source.scene, _NUM_LOOPS))
    memory = fold_of(source.scene)
    for frame in frames:
        store.commit(memory.integrate(frame))
    rows += [('loops', f'epoch {e}', *made) for e, made in epoch_digests(store).items()]
    with (out / DUMPS).open('w', encoding='utf-8', newline='') as stream:
        table = csv.writer(stream)
        table.writerow(_COLUMNS)
        table.writerows(rows)
    return {'bag': bag.name, 'frames': num_frames, 'looped_frames': len(frames)}


def score(data: Path, out: Path) -> dict[str, Any]:
    """
    Say whether all is the same.

    Returns
    -------
    dict
        ``equal``: whether all replays have one digest, and three epochs another; ``replays`` and
        ``loops``: how many there are, and how many different ones.

    """
    del data
    with (out / DUMPS).open(encoding='utf-8', newline='') as stream:
        rows = list(csv.DictReader(stream))
    groups: dict[str, list[str]] = {'replays': [], 'loops': []}
    for row in rows:
        groups[row['group']].append(row['sha256'])
    return {
        'equal': all(len(set(digests)) == 1 for digests in groups.values())
        and len(groups['loops']) == _NUM_LOOPS
        and len(groups['replays']) == 2 + _NUM_REOPENED,
        **{
            name: {'runs': len(digests), 'different': len(set(digests))}
            for name, digests in groups.items()
        },
    }


def fold_in_parts(source: BagFrameSource, db: Path, cuts: Sequence[int]) -> tuple[int, str]:
    """
    Fold a recording into a file that is closed, and opened anew, after some frames.

    Parameters
    ----------
    source : BagFrameSource
        The recording; nothing is kept of it, or of the fold, from one part to the next.
    db : Path
        The file; replaced.
    cuts : sequence of int
        Number of frames after which it is closed, ascending.

    Returns
    -------
    (int, str)
        Lines of the dump, and a digest of them.

    """
    for end in ('', '-wal', '-shm'):
        db.with_name(db.name + end).unlink(missing_ok=True)
    for first, last in zip((0, *cuts), (*cuts, None), strict=True):
        with SqliteMemoryStore.open(db) as store:
            if not first:
                store.put_scene(source.scene)
            memory = fold_of(source.scene, store)
            for frame in islice(source.frames(), first, last):
                store.commit(memory.integrate(frame))
    with SqliteMemoryStore.open(db, read_only=True) as store:
        return _digest(dump_lines(store))


def looped_frames(bag: Path, scene: Scene, num_loops: int) -> Iterator[SensedFrame]:
    """
    Give the frames of a recording that is played again and again, as ``--loop`` does.

    All messages go through one assembler; at each start the clock jumps back.
    """
    source = BagFrameSource(bag)
    roles = tuple(source.roles.values())
    settings = AssemblerSettings(roles=roles, release=ReleasePolicy.DEADLINE)
    assembler = FrameAssembler(settings, scene)
    fixed = [t for t, role in source.roles.items() if role.kind is TopicKind.TF_STATIC]
    rest = [
        topic
        for topic, role in source.roles.items()
        if role.kind not in (TopicKind.TF_STATIC, TopicKind.SCENE, TopicKind.MESH)
    ]
    with open_bag(bag) as reader:
        for message in reader.messages(fixed):
            yield from assembler.push(source.roles[message.topic], message.read())
        for _ in range(num_loops):
            for message in reader.messages(rest):
                yield from assembler.push(source.roles[message.topic], message.read())
    yield from assembler.flush()


def epoch_digests(store: HistoryStore) -> dict[int, tuple[int, str]]:
    """Give for each epoch the lines of its dump and a digest of them, its number left out."""
    epochs = store.epochs()
    lines: dict[int, list[bytes]] = {epoch: [] for epoch in epochs}
    for line in dump_lines(store):
        found = re.search(rb'"epoch":(\d+)', line)
        # Frames are numbered through all epochs, and only the newest has the fold's own words.
        if found is not None and not line.startswith((b'{"kind":"frame"', b'{"kind":"track"')):
            lines[int(found[1])].append(_EPOCH.sub(rb'\1', line))
    return {epoch: _digest(iter(some)) for epoch, some in lines.items()}


def _digest(lines: Iterator[bytes]) -> tuple[int, str]:
    digest, count = hashlib.sha256(), 0
    for line in lines:
        digest.update(line)
        count += 1
    return count, digest.hexdigest()
