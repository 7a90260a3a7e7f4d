"""Answers of a memory to out-of-sight questions, by the queries that services use."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from st_memory.benchmark.kitchen_questions_asked import Asked
from st_memory.benchmark.kitchen_questions_options import nearest_time
from st_memory.benchmark.questions.templates import direction_text, DISTANCES
from st_memory.benchmark.questions.tracks import Mark
from st_memory.core.geometry import CameraModel
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import (
    DirectionScheme,
    format_named,
    get_visibility,
    nearest_fixture,
    relative_pose,
    RelativePoseAnswer,
    Selector,
    when_last_placed,
    when_last_visible,
    WhenAnswer,
)
from st_memory.core.queries.history import observations_of, state_then
from st_memory.core.queries.selection import reported_objects
from st_memory.core.records import ObjectState, Visibility
from st_memory.core.stamps import Moment, NS_PER_S

__all__ = ['Reply', 'answer']

_FORM = 'beyond3d_final'
_SEEN = (Visibility.VISIBLE, Visibility.IN_MOTION)


class Reply(NamedTuple):
    """The option that was chosen, or None; what was said; why nothing, or why it is doubtful."""

    choice_idx: int | None
    said: str = ''
    reason: str = ''


def answer(reader: MemoryReader, camera: CameraModel, asked: Asked) -> Reply:
    """
    Answer one question as of its own time.

    Parameters
    ----------
    reader : MemoryReader
        The memory; later frames than the question's are not looked at.
    camera : CameraModel
        Of the image that marks are in.
    asked : Asked
        The question.

    """
    at = Moment(0, asked.query_stamp_ns)
    who = _meant(reader, camera, asked.target, asked.target_mark, at)
    if who is None:
        return Reply(None, reason=f'no {asked.target} is known')
    return _ANSWERS[asked.kind](reader, camera, asked, who, at)


def _meant(
    reader: MemoryReader, camera: CameraModel, label: str, mark: Mark | None, at: Moment
) -> Selector | None:
    """
    Give the object that a name means, or of those with it the one that was nearest to the mark.

    What nobody knows to have been near the mark may still be what is meant: an option has to be
    chosen. Of such the one seen last is taken, as without a mark.
    """
    if mark is None:
        return Selector(label=label)
    alike = [s for s in reported_objects(reader, at) if s.label == label]
    ranked = [(_distance_px(reader, camera, state, mark, at), state) for state in alike]
    ranked.sort(key=lambda row: (row[0], -(row[1].last_seen_ns or 0), row[1].object_id))
    return Selector(object_id=ranked[0][1].object_id) if ranked else None


def _distance_px(
    reader: MemoryReader, camera: CameraModel, state: ObjectState, mark: Mark, at: Moment
) -> float:
    """How far from a mark an object showed at its time: as detected, else as remembered."""
    for row in observations_of(reader, state, at):
        if row.stamp_ns == mark.stamp_ns and row.box_px is not None:
            x, y, width, height = row.box_px
            return float(np.hypot(x + width / 2 - mark.u_px, y + height / 2 - mark.v_px))
    then = state_then(reader, state, at, Moment(at.epoch, mark.stamp_ns)) or state
    look = reader.look_at(None, Moment(at.epoch, mark.stamp_ns))
    if then.world_p is None or look is None or look.world_T_camera is None:
        return float('inf')
    place = look.world_T_camera.inverse().apply(np.array([then.world_p]))
    u, v = camera.project(place).pixels[0].tolist()
    far = float(np.hypot(u - mark.u_px, v - mark.v_px))
    return far if np.isfinite(far) else float('inf')


def _visibility(
    reader: MemoryReader, _: CameraModel, asked: Asked, who: Selector, at: Moment
) -> Reply:
    told = get_visibility(reader, who, at)
    if told.object is None or told.state is Visibility.UNKNOWN:
        return Reply(None, reason=told.reason or told.cause)
    return _said(asked, 'Yes' if told.state in _SEEN else 'No', told.reason)


def _last_visible(
    reader: MemoryReader, _: CameraModel, asked: Asked, who: Selector, at: Moment
) -> Reply:
    return _when(asked, when_last_visible(reader, who, at))


def _last_placed(
    reader: MemoryReader, _: CameraModel, asked: Asked, who: Selector, at: Moment
) -> Reply:
    return _when(asked, when_last_placed(reader, who, at))


def _when(asked: Asked, told: WhenAnswer) -> Reply:
    if told.stamp_ns is None:
        return Reply(None, reason=told.reason)
    seconds = (told.stamp_ns - asked.base_stamp_ns) / NS_PER_S
    return Reply(nearest_time(asked.choices, seconds), f'{seconds:.1f} s', told.reason)


def _fixture(
    reader: MemoryReader, _: CameraModel, asked: Asked, who: Selector, at: Moment
) -> Reply:
    """Name the fixture that the object is at; the nearest one where that is no option."""
    told = nearest_fixture(reader, who, at)
    if told.fixture is None:
        return Reply(None, reason=told.reason)
    for fixture in (told.fixture, *(rank.fixture for rank in told.ranked)):
        for name in (fixture.fixture_id, fixture.label):
            if name in asked.choices:
                return _said(asked, name, told.reason)
    return Reply(None, reason='no fixture is an option')


def _direction(
    reader: MemoryReader, _: CameraModel, asked: Asked, who: Selector, at: Moment
) -> Reply:
    told = relative_pose(reader, who, scheme=DirectionScheme.BEYOND3D, at=at)
    if told.vector is None:
        return Reply(None, reason=told.reason)
    # Inside the margins no direction is told; which side it is on is asked all the same.
    name = told.direction or _quadrant(told)
    return _said(asked, direction_text(_FORM, 'direction', name), told.reason)


def _quadrant(told: RelativePoseAnswer) -> str:
    x, _, z = told.vector or (0.0, 0.0, 0.0)
    return f'{"front" if z > 0 else "back"}-{"right" if x > 0 else "left"}'


def _camera_distance(
    reader: MemoryReader, _: CameraModel, asked: Asked, who: Selector, at: Moment
) -> Reply:
    told = relative_pose(reader, who, scheme=DirectionScheme.BEYOND3D, at=at)
    if told.distance_m is None:
        return Reply(None, reason=told.reason)
    return _said(asked, DISTANCES[_FORM][told.distance_class], told.reason)


def _to_reference(
    reader: MemoryReader, camera: CameraModel, asked: Asked, who: Selector, at: Moment
) -> RelativePoseAnswer | None:
    other = _meant(reader, camera, asked.reference, asked.reference_mark, at)
    if other is None:
        return None
    return relative_pose(reader, who, other.object_id, DirectionScheme.BEYOND3D, at)


def _relation(
    reader: MemoryReader, camera: CameraModel, asked: Asked, who: Selector, at: Moment
) -> Reply:
    told = _to_reference(reader, camera, asked, who, at)
    if told is None or told.vector is None:
        reason = f'no {asked.reference} is known there' if told is None else told.reason
        return Reply(None, reason=reason)
    # As for directions: too close to tell is asked all the same.
    name = told.direction or format_named(_FORM).relations.name_of(told.vector)
    return _said(asked, direction_text(_FORM, 'relation', name), told.reason)


def _distance(
    reader: MemoryReader, camera: CameraModel, asked: Asked, who: Selector, at: Moment
) -> Reply:
    told = _to_reference(reader, camera, asked, who, at)
    if told is None or told.distance_m is None:
        reason = f'no {asked.reference} is known there' if told is None else told.reason
        return Reply(None, reason=reason)
    return _said(asked, DISTANCES[_FORM][told.distance_class], told.reason)


def _said(asked: Asked, text: str, reason: str = '') -> Reply:
    if text not in asked.choices:
        return Reply(None, text, 'that is no option')
    return Reply(asked.choices.index(text), text, reason)


_Answer = Callable[[MemoryReader, CameraModel, Asked, Selector, Moment], Reply]
_ANSWERS: dict[str, _Answer] = {
    'visibility': _visibility,
    'last_visible': _last_visible,
    'last_placed': _last_placed,
    'fixture': _fixture,
    'direction': _direction,
    'camera_distance': _camera_distance,
    'relation': _relation,
    'distance': _distance,
}
