"""Answers of a memory to the questions of a Beyond3D file, each as of its own time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from st_memory.benchmark.beyond3d_question_file import Question
from st_memory.benchmark.beyond3d_recording import pixel_of
from st_memory.core.geometry import CameraModel, RigidTransform
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import (
    Answer,
    DirectionScheme,
    get_visibility,
    relative_pose,
    Selector,
    when_last_placed,
    when_last_visible,
    WhenAnswer,
)
from st_memory.core.queries.fixtures import rank_fixtures
from st_memory.core.queries.history import state_then
from st_memory.core.records import CameraLook, Visibility
from st_memory.core.stamps import Moment, stamp_from_seconds

__all__ = ['Answerer', 'Given', 'option_of']

_SEEN = (Visibility.VISIBLE, Visibility.IN_MOTION)


class Given(NamedTuple):
    """
    What is given for one question.

    Attributes
    ----------
    said : str
        Name of the class, for a question with options; '' when it cannot be told.
    stamp_ns : int or None
        The time, for an open question.
    pixel : (2,) float or None
        Where the object lay in the picture then.
    source : str
        How it is known.
    reason : str
        Why there is no answer, or why it is doubtful.

    """

    said: str = ''
    stamp_ns: int | None = None
    pixel: tuple[float, float] | None = None
    source: str = ''
    reason: str = ''


def option_of(choices: tuple[str, ...], said: str) -> int | None:
    """Give the index of the one option that says it, whatever its case; None without one."""
    found = [i for i, choice in enumerate(choices) if _plain(choice) == _plain(said)]
    return found[0] if len(found) == 1 else None


class Answerer:
    """
    Puts the questions of the legacy format to a memory.

    Parameters
    ----------
    reader : MemoryReader
        The memory of the whole video; each answer is as of the time of its question.
    base_stamp_ns : int
        Stamp of second 0 of the video.
    model : CameraModel
        The camera that looks.

    """

    def __init__(self, reader: MemoryReader, base_stamp_ns: int, model: CameraModel) -> None:
        self._reader = reader
        self._base_stamp_ns = base_stamp_ns
        self._model = model
        self._ask: dict[str, Callable[[Question, Moment], Given]] = {
            'visibility': self._visibility,
            'last_visible': self._last_visible,
            'last_placed': self._last_placed,
            'fixture': self._fixture,
            'direction': self._direction,
            'relation': self._relation,
            'distance': self._distance,
        }

    def moment_of(self, question: Question) -> Moment:
        """Give the moment that a question is asked at."""
        return Moment(0, self._base_stamp_ns + stamp_from_seconds(question.query_time_sec))

    def give(self, question: Question) -> Given:
        """Answer a question, or say why not."""
        if question.kind not in self._ask:
            return Given(reason=f'the legacy format has no questions {question.kind}')
        given = self._ask[question.kind](question, self.moment_of(question))
        if given.said and option_of(question.choices, given.said) is None:
            return given._replace(said='', reason=f'no one option says {given.said!r}')
        return given

    def _visibility(self, question: Question, at: Moment) -> Given:
        answer = get_visibility(self._reader, _who(question), at)
        if answer.state is Visibility.UNKNOWN:
            return Given(reason=answer.reason or answer.cause)
        return Given('Yes' if answer.state in _SEEN else 'No', reason=answer.reason)

    def _last_visible(self, question: Question, at: Moment) -> Given:
        return self._when(when_last_visible(self._reader, _who(question), at))

    def _last_placed(self, question: Question, at: Moment) -> Given:
        return self._when(when_last_placed(self._reader, _who(question), at))

    def _when(self, answer: WhenAnswer) -> Given:
        """Give a time, and the pixel of the place that the object had then."""
        if answer.object is None or answer.at is None or answer.stamp_ns is None:
            return Given(reason=answer.reason)
        then = Moment(answer.at.epoch, answer.stamp_ns)
        state = state_then(self._reader, answer.object, answer.at, then)
        pose = _pose_at(self._reader.looks(None, answer.at), answer.stamp_ns)
        pixel = None
        if state is not None and state.world_p is not None and pose is not None:
            pixel = pixel_of(state.world_p, self._model, pose)
        return Given('', answer.stamp_ns, pixel, answer.source, answer.reason)

    def _fixture(self, question: Question, at: Moment) -> Given:
        """Name the type of the object's fixture, else the nearest whose type is an option."""
        answer = get_visibility(self._reader, _who(question), at)
        state = answer.object
        if state is None or state.world_p is None:
            return Given(reason=answer.reason)
        for rank in rank_fixtures(self._reader.scene(), state.world_p):
            label = rank.fixture.label
            if option_of(question.choices, label) is not None:
                known = rank.fixture.fixture_id == state.fixture_id
                return Given(label, source='memory' if known else 'geometry')
        return Given(reason='the scene has no fixture of a type that is an option')

    def _direction(self, question: Question, at: Moment) -> Given:
        answer = relative_pose(
            self._reader, _who(question), scheme=DirectionScheme.BEYOND3D_LEGACY, at=at
        )
        return _told(answer.direction, answer)

    def _relation(self, question: Question, at: Moment) -> Given:
        answer = relative_pose(
            self._reader,
            _who(question),
            question.anchor_id,
            DirectionScheme.BEYOND3D_LEGACY,
            at,
        )
        return _told(answer.direction, answer)

    def _distance(self, question: Question, at: Moment) -> Given:
        answer = relative_pose(
            self._reader,
            _who(question),
            question.anchor_id,
            DirectionScheme.BEYOND3D_LEGACY,
            at,
        )
        return _told(answer.distance_class, answer)


def _pose_at(looks: Sequence[CameraLook], stamp_ns: int) -> RigidTransform | None:
    """Give the camera's pose at a stamp, between the looks around it; None outside them."""
    before = after = None
    for look in looks:
        if look.world_T_camera is not None:
            if look.stamp_ns <= stamp_ns:
                before = look.stamp_ns, look.world_T_camera
            if look.stamp_ns >= stamp_ns:
                after = look.stamp_ns, look.world_T_camera
                break
    if before is None or after is None:
        return None
    span_ns = after[0] - before[0]
    fraction = (stamp_ns - before[0]) / span_ns if span_ns else 0.0
    return before[1].interpolate(after[1], fraction)


def _told(name: str, answer: Answer) -> Given:
    return Given(name, reason=answer.reason)


def _who(question: Question) -> Selector:
    return Selector(object_id=question.object_id)


def _plain(text: str) -> str:
    return text.strip().casefold().replace('_', ' ')
