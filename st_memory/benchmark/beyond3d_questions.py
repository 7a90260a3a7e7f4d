"""
The published questions of a Beyond3D video, put to the memory of its bag.

The folder becomes a bag, the bag a memory file beside the answers, and each question is asked as
of its own time through the queries that services and command line use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
import csv
from pathlib import Path
from typing import Any

from st_memory.bags import BagFrameSource
from st_memory.benchmark.beyond3d_answers import Answerer, Given, option_of
from st_memory.benchmark.beyond3d_question_file import Question, question_file, read_questions
from st_memory.benchmark.beyond3d_recording import record_bag
from st_memory.core.errors import DatasetError
from st_memory.core.geometry import CameraModel
from st_memory.core.memory import MemorySettings
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import get_timeline, Selector
from st_memory.core.stamps import NS_PER_S
from st_memory.replay import replay
from st_memory.scene import EmbreeRayCaster
from st_memory.storage import SqliteMemoryStore

__all__ = [
    'FILES',
    'FORMAT',
    'MEMORY',
    'PREDICTIONS',
    'PRESET',
    'TIMELINES',
    'predict',
    'write_answers',
]

PRESET = 'beyond3d_questions_v1'
FORMAT = 'beyond3d_legacy'
PREDICTIONS = 'predictions.csv'
TIMELINES = 'timelines.csv'
FILES = (PREDICTIONS, TIMELINES)
MEMORY = 'questions.db'
_BAG = 'bag.mcap'
_FIELDS = (
    'trajectory_id',
    'step',
    'class',
    'object_id',
    'query_time_sec',
    'choice_idx',
    'choice',
    'time_sec',
    'u_px',
    'v_px',
    'source',
    'reason',
)
_TIMELINE_FIELDS = (
    'trajectory_id',
    'object_id',
    'start_sec',
    'last_frame_sec',
    'state',
    'cause',
    'occluder',
    'num_frames',
)


def predict(data: Path, out: Path, seed: int) -> dict[str, Any]:
    """
    Write the answers, from a bag of the folder's own.

    Parameters
    ----------
    data : Path
        A Beyond3D folder with its questions.
    out : Path
        Receives the bag, the memory and the per-item files.
    seed : int
        Unused: nothing is random.

    Raises
    ------
    DatasetError
        If a file is missing or does not hold what its format promises.

    """
    del seed
    if question_file(data) is None:
        raise DatasetError(f'{data}: expected one questions_*.json, found none')
    report = record_bag(data, out / _BAG, lookahead=True)
    return write_answers(data, out, out / _BAG, report.base_stamp_ns)


def write_answers(data: Path, out: Path, bag: Path, base_stamp_ns: int) -> dict[str, Any]:
    """
    Write ``predictions.csv`` and ``timelines.csv``; both empty without a question file.

    Parameters
    ----------
    data, out : Path
        As for :func:`predict`.
    bag : Path
        The recording.
    base_stamp_ns : int
        Stamp of second 0 of the video.

    """
    path = question_file(data)
    questions = read_questions(path) if path is not None else []
    for name in (MEMORY, f'{MEMORY}-wal', f'{MEMORY}-shm'):
        (out / name).unlink(missing_ok=True)
    source = BagFrameSource(bag)
    with SqliteMemoryStore.open(out / MEMORY) as store:
        if questions:
            settings = MemorySettings(visibility_preset=PRESET)
            replay(source, store, settings, EmbreeRayCaster(source.scene))
        answerer = Answerer(store, base_stamp_ns, _camera_of(source))
        given = [(q, answerer.give(q)) for q in questions]
        _write(out / PREDICTIONS, _FIELDS, (_row(q, g, base_stamp_ns) for q, g in given))
        rows = _timelines(store, answerer, questions, base_stamp_ns)
        _write(out / TIMELINES, _TIMELINE_FIELDS, rows)
    said = sum(g.said != '' or g.stamp_ns is not None for _, g in given)
    return {'preset': PRESET, 'format': FORMAT, 'questions': len(questions), 'answered': said}


def _camera_of(source: BagFrameSource) -> CameraModel:
    for frame in source.frames():
        for camera in frame.cameras:
            return camera.model
    raise DatasetError(f'{source.name}: expected looks of a camera, found none')


def _row(question: Question, given: Given, base_stamp_ns: int) -> tuple[object, ...]:
    choice = option_of(question.choices, given.said) if given.said else None
    u_px, v_px = ('', '') if given.pixel is None else map(repr, given.pixel)
    return (
        question.trajectory_id,
        question.step,
        question.kind,
        question.object_id,
        repr(question.query_time_sec),
        '' if choice is None else choice,
        '' if choice is None else question.choices[choice],
        '' if given.stamp_ns is None else _seconds(given.stamp_ns, base_stamp_ns),
        u_px,
        v_px,
        given.source,
        given.reason,
    )


def _timelines(
    reader: MemoryReader, answerer: Answerer, questions: list[Question], base_stamp_ns: int
) -> Iterator[tuple[object, ...]]:
    """Give, for each trajectory, how its object could be seen up to the time of the question."""
    asked = {question.trajectory_id: question for question in questions}
    for trajectory_id, question in asked.items():
        at = answerer.moment_of(question)
        answer = get_timeline(reader, Selector(object_id=question.object_id), at)
        for row in answer.intervals:
            yield (
                trajectory_id,
                question.object_id,
                _seconds(row.start_ns, base_stamp_ns),
                _seconds(row.last_frame_ns, base_stamp_ns),
                row.state.name,
                row.cause,
                row.occluder_id,
                row.num_frames,
            )


def _seconds(stamp_ns: int, base_stamp_ns: int) -> str:
    """Seconds of video time."""
    return repr((stamp_ns - base_stamp_ns) / NS_PER_S)


def _write(path: Path, header: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    with path.open('w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
