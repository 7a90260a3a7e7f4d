"""
Questions of HD-EPIC about objects that move, put to memories of nothing but their movements.

The annotated movements of each video become a bag, the bag a memory file, and its questions are
asked through the queries that services and command line use. Which object a question is about
is told by its time alone: one of its movements starts or ends then.
"""

from __future__ import annotations

from collections import Counter
import csv
from pathlib import Path
from typing import Any

from st_memory.bags import BagFrameSource, BagRecorder
from st_memory.benchmark.hd_epic_answers import MotionAnswer, MotionAnswerer
from st_memory.benchmark.hd_epic_questions import (
    MotionQuestion,
    question_files,
    read_questions,
)
from st_memory.core.errors import DatasetError
from st_memory.core.memory import MemorySettings
from st_memory.datasets import (
    BASE_STAMP_NS,
    MovedObject,
    read_movements,
    write_movements,
)
from st_memory.replay import replay
from st_memory.storage import SqliteMemoryStore

__all__ = ['MEMORIES', 'PREDICTIONS', 'predict']

PREDICTIONS = 'predictions.csv'
MEMORIES = 'memories'
_FIELDS = (
    'question_id',
    'choice_idx',
    'reason',
    'kind',
    'video_id',
    'num_objects',
    'object_id',
    'said',
    'num_tied',
)


def predict(data: Path, out: Path, seed: int) -> dict[str, Any]:
    """
    Write the answers, from a memory of each video that is asked about.

    Parameters
    ----------
    data : Path
        An HD-EPIC folder: ``assoc_info.json.gz`` and ``vqa``.
    out : Path
        Receives ``memories`` (a bag and a memory file per video) and the per-item file.
    seed : int
        Unused: nothing is random.

    Raises
    ------
    DatasetError
        If a file is missing or does not hold what its format promises, or a question is about a
        video without movements.

    """
    del seed
    files = question_files(data)
    questions = [q for kind, path in files.items() for q in read_questions(path, kind)]
    videos = read_movements(data)
    named: set[str] = set()
    for question in questions:
        if question.question_id in named:
            raise DatasetError(
                f'{files[question.kind]}: expected another id for each question of the folder, '
                f'found {question.question_id} again'
            )
        named.add(question.question_id)
        if question.video_id not in videos:
            raise DatasetError(
                f'{files[question.kind]}: expected videos of the movements, '
                f'found {question.video_id} in {question.question_id}'
            )
    answers: dict[str, MotionAnswer] = {}
    counts: Counter[str] = Counter()
    for video_id in sorted({q.video_id for q in questions}):
        asked = [q for q in questions if q.video_id == video_id]
        answers |= _answered(asked, videos[video_id], out / MEMORIES / video_id, counts)
    with (out / PREDICTIONS).open('w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file)
        writer.writerow(_FIELDS)
        writer.writerows(_row(q, answers[q.question_id]) for q in questions)
    return {
        'questions': dict(sorted(Counter(q.kind for q in questions).items())),
        'answered': sum(a.choice_idx is not None for a in answers.values()),
        **dict(sorted(counts.items())),
    }


def _answered(
    questions: list[MotionQuestion],
    objects: tuple[MovedObject, ...],
    folder: Path,
    counts: Counter[str],
) -> dict[str, MotionAnswer]:
    """Answer the questions about one video."""
    folder.mkdir(parents=True, exist_ok=True)
    bag, memory = folder / 'bag.mcap', folder / 'memory.db'
    for name in (memory.name, f'{memory.name}-wal', f'{memory.name}-shm'):
        (folder / name).unlink(missing_ok=True)
    with BagRecorder(bag, overwrite=True) as sink:
        counts['movements'] += write_movements(objects, sink)
    counts['videos'] += 1
    with SqliteMemoryStore.open(memory) as store:
        report = replay(BagFrameSource(bag), store, MemorySettings())
        counts.update(report.source_counters)
        counts.update(report.memory_counters)
        answerer = MotionAnswerer(store, BASE_STAMP_NS)
        return {q.question_id: answerer.give(q) for q in questions}


def _row(question: MotionQuestion, answer: MotionAnswer) -> tuple[object, ...]:
    return (
        question.question_id,
        '' if answer.choice_idx is None else answer.choice_idx,
        answer.reason,
        question.kind,
        question.video_id,
        answer.num_objects,
        answer.object_id,
        answer.said,
        answer.num_tied,
    )
