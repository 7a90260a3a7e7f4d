"""Answers against the truth: what was so, and whether the answer says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from st_memory.cli.demo.choosing import Question
from st_memory.cli.demo.truth import ObjectTrack, Truth
from st_memory.core.queries import direction_of, DirectionScheme
from st_memory.core.records import AnswerStatus, Visibility
from st_memory.core.stamps import NS_PER_S

__all__ = ['NO_ANSWER', 'MarkedAnswer', 'mark']

Fields = Mapping[str, Any]

NO_ANSWER = 'NO_ANSWER'
"""In place of a status when a service did not answer."""

# The same for every answer; about the size of the things themselves.
POSITION_TOLERANCE_M = 0.30
BEARING_TOLERANCE_DEG = 15.0
SEEN_TOLERANCE_S = 1.0
PLACED_TOLERANCE_S = 2.0

_HIDDEN = {Visibility.OUT_OF_VIEW, Visibility.OCCLUDED, Visibility.AMBIGUOUS_FIXTURE}


@dataclass(frozen=True)
class MarkedAnswer:
    """
    An answer with its mark; the fields of ``answers.json``.

    Parameters
    ----------
    question, service, status, answer : str
        What was asked, of which service, and what came back: the name of the status and the
        sentence. :data:`NO_ANSWER` and '' when nothing came back.
    truth : str
        What was so at the moment the answer is as of.
    correct : bool
        Whether the answer says so, within the tolerances of this module.
    out_of_sight : bool
        Whether nothing that was asked about showed at that moment, and none was being carried.
    at_s : float
        Moment the answer is as of, seconds after the first image.
    latency_ms : float
        Time the call took, milliseconds.

    """

    question: str
    service: str
    status: str
    answer: str
    truth: str
    correct: bool
    out_of_sight: bool
    at_s: float
    latency_ms: float


def mark(
    question: Question, response: Fields | None, latency_ms: float, truth: Truth
) -> MarkedAnswer:
    """
    Mark one answer.

    Parameters
    ----------
    question : Question
        What was asked.
    response : mapping or None
        Fields of the service's response; None when it gave none, which is wrong.
    latency_ms : float
        Time the call took.
    truth : Truth
        What really happened.

    """
    as_of_ns = question.after_ns if response is None else _stamp(response['as_of'])
    index = truth.index_at(as_of_ns)
    tracks = [truth.tracks[name] for name in question.object_ids]
    said, correct = 'the service did not answer', False
    if response is not None:
        said, correct = _MARKERS[question.service](response, tracks, index, as_of_ns, truth)
    return MarkedAnswer(
        question=question.text,
        service=question.service,
        status=NO_ANSWER if response is None else AnswerStatus(response['status']).name,
        answer='' if response is None else response['sentence'],
        truth=said,
        correct=correct,
        out_of_sight=not any(t.visible_px[index] or t.in_hand[index] for t in tracks),
        at_s=(as_of_ns - int(truth.stamps_ns[0])) / NS_PER_S,
        latency_ms=latency_ms,
    )


def _locate(
    response: Fields, tracks: list[ObjectTrack], index: int, _: int, __: Truth
) -> tuple[str, bool]:
    track = tracks[0]
    place = _place(track, index)
    found = response['object']
    if response['status'] != AnswerStatus.KNOWN or not found['pose_valid']:
        return f'it is {place}; {_unsure(response)}', False
    off_m = _distance(found['pose']['position'], track.position[index])
    return f'it is {place}; the answer is {off_m:.2f} m off', off_m <= POSITION_TOLERANCE_M


def _visibility(
    response: Fields, tracks: list[ObjectTrack], index: int, _: int, __: Truth
) -> tuple[str, bool]:
    track = tracks[0]
    answered = Visibility(response['visibility'])
    if track.in_hand[index]:
        return 'it is being carried', answered is Visibility.IN_MOTION
    if track.is_visible[index]:
        return 'yes, it shows', answered is Visibility.VISIBLE
    if track.unoccluded_px[index] == 0:
        return 'no, it is outside the image', answered is Visibility.OUT_OF_VIEW
    # Behind the door of its own container the memory may also say so by naming the fixture.
    is_hidden = answered in {Visibility.OCCLUDED, Visibility.AMBIGUOUS_FIXTURE}
    return f'no, {track.occluder[index] or "something"} hides it', is_hidden


def _relative(
    response: Fields, tracks: list[ObjectTrack], index: int, _: int, truth: Truth
) -> tuple[str, bool]:
    camera_p = truth.camera_poses[index].inverse().apply(tracks[0].position[index])
    point = (float(camera_p[0]), float(camera_p[1]), float(camera_p[2]))
    distance_m = float(np.linalg.norm(camera_p))
    word = direction_of(point, DirectionScheme.SECTORS)
    said = f'{distance_m:.2f} m {word}'
    if response['status'] != AnswerStatus.KNOWN:
        return f'{said}; {_unsure(response)}', False
    answered = _vector(response['vector'])
    off_deg = abs(_bearing_deg(answered) - _bearing_deg(camera_p))
    off_deg = min(off_deg, 360.0 - off_deg)
    is_near = abs(response['distance_m'] - distance_m) <= POSITION_TOLERANCE_M
    return f'{said}; the bearing is {off_deg:.0f} deg off', bool(
        is_near and off_deg <= BEARING_TOLERANCE_DEG
    )


def _last_visible(
    response: Fields, tracks: list[ObjectTrack], index: int, as_of_ns: int, truth: Truth
) -> tuple[str, bool]:
    seen = np.flatnonzero(tracks[0].is_visible[: index + 1])
    if not len(seen):
        return 'never', not response['stamp']['valid']
    return _compare_times(
        'it last showed', int(truth.stamps_ns[seen[-1]]), response, as_of_ns, SEEN_TOLERANCE_S
    )


def _last_placed(
    response: Fields, tracks: list[ObjectTrack], _: int, as_of_ns: int, truth: Truth
) -> tuple[str, bool]:
    moves = truth.movements.get(tracks[0].object_id, ())
    ends = [end_ns for _, end_ns in moves if end_ns <= as_of_ns]
    if not ends:
        return 'it has not moved', not response['stamp']['valid']
    return _compare_times('it was put down', ends[-1], response, as_of_ns, PLACED_TOLERANCE_S)


def _list(
    response: Fields, tracks: list[ObjectTrack], index: int, _: int, __: Truth
) -> tuple[str, bool]:
    """Every thing at rest must be there, once; of those being carried, wherever they were last."""
    wanted = [t for t in tracks if t.is_present[index] and not t.in_hand[index]]
    num_carried = sum(bool(t.is_present[index] and t.in_hand[index]) for t in tracks)
    said = f'{len(wanted)}: ' + ' and '.join(_place(t, index) for t in wanted)
    if num_carried:
        said += f', and {num_carried} being carried'
    found = [_vector(o['pose']['position']) for o in response['objects'] if o['visibility'] != 7]
    left = list(found)
    for track in wanted:
        near = [p for p in left if _off(p, track.position[index]) <= POSITION_TOLERANCE_M]
        if not near:
            return f'{said}; one of them is missing', False
        best = min(near, key=lambda p: _off(p, track.position[index]))
        left = [p for p in left if p is not best]
    num_extra = len(left) - num_carried
    return (f'{said}; {num_extra} too many', False) if num_extra > 0 else (said, True)


def _unsure(response: Fields) -> str:
    """Say why an answer that may look right does not count: it was not given as known."""
    status = AnswerStatus(response['status']).name.lower()
    return f'the answer was given as {status}: {response.get("reason") or "no reason"}'


_MARKERS = {
    'LocateObject': _locate,
    'GetVisibility': _visibility,
    'RelativePose': _relative,
    'WhenLastVisible': _last_visible,
    'WhenLastPlaced': _last_placed,
    'ListObjects': _list,
}


def _compare_times(
    words: str, truth_ns: int, response: Fields, as_of_ns: int, tolerance_s: float
) -> tuple[str, bool]:
    ago_s = (as_of_ns - truth_ns) / NS_PER_S
    said = f'{words} {ago_s:.1f} s ago'
    if not response['stamp']['valid']:
        return said, False
    off_s = (_stamp(response['stamp']['stamp']) - truth_ns) / NS_PER_S
    return f'{said}; the answer is {abs(off_s):.1f} s off', abs(off_s) <= tolerance_s


def _place(track: ObjectTrack, index: int) -> str:
    x, y, z = track.position[index]
    if track.container[index]:
        where = f'in {track.container[index]} '
    else:
        where = f'on {track.fixture[index]} ' if track.fixture[index] else ''
    return f'{where}at ({x:.2f}, {y:.2f}, {z:.2f}) m'


def _stamp(time: Fields) -> int:
    return int(time['sec']) * NS_PER_S + int(time['nanosec'])


def _vector(fields: Fields) -> NDArray[np.float64]:
    return np.array([fields['x'], fields['y'], fields['z']], dtype=np.float64)


def _distance(fields: Fields, point: NDArray[np.float64]) -> float:
    return _off(_vector(fields), point)


def _off(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(a - b))


def _bearing_deg(camera_p: NDArray[np.float64]) -> float:
    """Angle about the vertical axis, 0 ahead, positive to the right, degrees."""
    return float(np.degrees(np.arctan2(camera_p[0], camera_p[2])))
