"""A small HD-EPIC folder whose answers can be computed by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import gzip
import json
from pathlib import Path
from typing import Any

__all__ = [
    'MOVED',
    'VIDEO',
    'counting',
    'question',
    'stationary',
    'token',
    'write_folder',
    'write_questions',
]

VIDEO = 'P01-20240101-100000'

# The mug is moved three times. The lid and the pan are handled within 50 ms of 51 s.
MOVED: dict[str, tuple[str, list[tuple[float, float]]]] = {
    'm1': ('mug', [(20.0, 25.0), (10.0, 12.5), (40.0, 42.0)]),
    'f1': ('fork1', [(30.0, 31.0)]),
    'l1': ('lid', [(50.0, 51.0)]),
    'p1': ('pan', [(51.05, 55.0)]),
    'c1': ('cup', []),
}
_FILES = {
    'counting': 'object_motion_object_movement_counting',
    'stationary': 'object_motion_stationary_object_localization',
    'itinerary': 'object_motion_object_movement_itinerary',
    'contents': '3d_perception_object_contents_retrieval',
    'location': '3d_perception_object_location',
}


def token(second: float) -> str:
    """Write a time as the question files do."""
    return f'<TIME {int(second) // 3600:02}:{int(second) // 60 % 60:02}:{second % 60:.3f} video 1>'


def question(text: str, choices: Sequence[str], **more: Any) -> dict[str, Any]:
    """Give a question as the files have it, without an answer."""
    return {
        'inputs': {'video 1': {'id': VIDEO}},
        'question': text,
        'choices': list(choices),
        **more,
    }


def counting(second: float, choices: Sequence[str], **more: Any) -> dict[str, Any]:
    """Ask how often the object that is handled at a time was moved."""
    text = f'How many times did the object <BBOX 1 2 3 4> seen at {token(second)} change locations'
    return question(f'{text} in the video?', choices, **more)


def stationary(
    second: float, longer: float, choices: Sequence[float], **more: Any
) -> dict[str, Any]:
    """Ask since when the object that is handled at a time rests for long."""
    text = (
        f'After the object <BBOX 1 2 3 4> seen at {token(second)} is first moved, from which of '
        f'the following starting times does the object remain static for more than {longer} '
        'seconds?'
    )
    return question(text, [token(choice) for choice in choices], **more)


def write_folder(
    folder: Path,
    *,
    moved: Mapping[str, tuple[str, Sequence[tuple[float, float]]]] | None = None,
    later_sec: float = 0.0,
    zipped: bool = True,
    **questions: Mapping[str, Any],
) -> Path:
    """Write movements, and the given questions into the file of each kind."""
    (folder / 'vqa').mkdir(parents=True)
    objects = {
        object_id: {
            'name': name,
            'tracks': [
                {'track_id': 't', 'time_segment': [a + later_sec, b + later_sec], 'masks': []}
                for a, b in spans
            ],
        }
        for object_id, (name, spans) in (moved or MOVED).items()
    }
    text = json.dumps({VIDEO: objects}).encode()
    path = folder / ('assoc_info.json.gz' if zipped else 'assoc_info.json')
    path.write_bytes(gzip.compress(text) if zipped else text)
    for kind in ('counting', 'stationary', 'itinerary'):
        write_questions(folder, kind, questions.get(kind, {}))
    for kind in ('contents', 'location'):
        if kind in questions:
            write_questions(folder, kind, questions[kind])
    return folder


def write_questions(folder: Path, kind: str, questions: Any) -> Path:
    """Write the question file of a kind."""
    path = folder / 'vqa' / f'{_FILES[kind]}.json'
    path.write_text(json.dumps(questions))
    return path
