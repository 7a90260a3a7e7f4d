"""
Remember one bag, answer the questions about it, and tell what was made of it.

Run as a process of its own, ``python -m st_memory.benchmark.kitchen_questions_follow BAG ASKED
OUT``, it is given the bag and the questions without their keys, and nothing else. For the upper
bounds of the ladder, a fourth argument names a file of what a perfect detector or tracker says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
import csv
from pathlib import Path
import sys

from st_memory.bags import BagFrameSource
from st_memory.benchmark.json_lines import write_lines
from st_memory.benchmark.kitchen_questions_answers import answer
from st_memory.benchmark.kitchen_questions_asked import read_asked
from st_memory.benchmark.kitchen_questions_files import (
    ANSWERS,
    MOVES,
    OBSERVATIONS,
    PLACEMENTS,
    STATIC_ANSWERS,
)
from st_memory.benchmark.kitchen_questions_oracle import OracleSource
from st_memory.benchmark.kitchen_questions_static import StaticMemory, Watched
from st_memory.core.errors import DatasetError, StMemoryError
from st_memory.core.geometry import CameraModel
from st_memory.core.memory import MemorySettings
from st_memory.core.ports import FrameSource, MemoryReader
from st_memory.core.queries.history import events_of, observations_of, placements_of
from st_memory.core.queries.selection import reported_objects
from st_memory.replay import replay
from st_memory.scene import EmbreeRayCaster
from st_memory.storage import SqliteMemoryStore

__all__ = ['follow', 'main']

_MEMORY = 'memory.db'


def follow(source: FrameSource, asked: Path, out: Path) -> None:
    """
    Fold all frames into a memory in ``out``, and write there what it says.

    Writes the answers, those of a static memory of the same detections, and of every object that
    users are told of at the end: the detections that were taken for it, its movements, and its
    placements.

    Raises
    ------
    DatasetError
        If no frame has a camera.

    """
    camera, questions = _camera_of(source), list(read_asked(asked))
    static = StaticMemory(questions, source.scene)
    with SqliteMemoryStore.open(out / _MEMORY) as store:
        caster = EmbreeRayCaster(source.scene) if source.scene.parts else None
        replay(Watched(source, static), store, MemorySettings(), caster)
        replies = ((q.question_id, answer(store, camera, q)) for q in questions)
        write_lines(out / ANSWERS, ({'id': name, **r._asdict()} for name, r in replies))
        rows = (
            {'id': q.question_id, 'choice_idx': static.choices[q.question_id]} for q in questions
        )
        write_lines(out / STATIC_ANSWERS, rows)
        _write(
            out / OBSERVATIONS,
            ('object_id', 'stamp_ns', 'label', 'x', 'y', 'w', 'h'),
            _observations(store),
        )
        _write(out / MOVES, ('object_id', 'start_ns', 'end_ns', 'recorded_ns'), _moves(store))
        header = ('object_id', 'start_ns', 'recorded_ns', 'fixture', 'x', 'y', 'z')
        _write(out / PLACEMENTS, header, _placements(store))


def _camera_of(source: FrameSource) -> CameraModel:
    for frame in source.frames():
        for camera in frame.cameras:
            return camera.model
    raise DatasetError(f'{source.name}: expected looks of a camera, found none')


def _observations(reader: MemoryReader) -> Iterator[tuple[object, ...]]:
    for state in reported_objects(reader, None):
        for row in observations_of(reader, state, None):
            if row.box_px is not None:
                yield state.object_id, row.stamp_ns, row.label, *map(repr, row.box_px)


def _moves(reader: MemoryReader) -> Iterator[tuple[object, ...]]:
    """Movements of reported objects, also while they went by an id merged since."""
    for state in reported_objects(reader, None):
        for row in events_of(reader, state, None):
            if row.event_type == 'moved':
                yield state.object_id, row.start_ns, row.end_ns, row.recorded_ns


def _placements(reader: MemoryReader) -> Iterator[tuple[object, ...]]:
    for state in reported_objects(reader, None):
        for row in placements_of(reader, state, None):
            place = map(repr, row.world_p)
            yield state.object_id, row.start_ns, row.recorded_ns, row.fixture_id, *place


def _write(path: Path, header: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    with path.open('w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow(header)
        writer.writerows(rows)


def main(argv: list[str]) -> int:
    """
    Follow a bag.

    Parameters
    ----------
    argv : list of str
        The bag, the questions, the folder to write into, and perhaps what a perfect detector
        says.

    Returns
    -------
    int
        0 done, 1 a known error, said in one line on stderr.

    """
    bag, asked, out, *oracle = map(Path, argv)
    try:
        source: FrameSource = BagFrameSource(bag)
        if oracle:
            source = OracleSource(source, oracle[0])
        follow(source, asked, out)
    except StMemoryError as error:
        sys.stderr.write(' '.join(str(error).split()) + '\n')
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
