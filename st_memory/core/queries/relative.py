"""Which way and how far an object is from me, or from another object."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import RelativePoseAnswer
from st_memory.core.queries.directions import (
    direction_of,
    DirectionScheme,
    distance_class,
    DistanceClasses,
    FINAL,
    relation_of,
)
from st_memory.core.queries.selection import select, Selection, Selector
from st_memory.core.queries.where import evidence_of, sentence_start
from st_memory.core.records import AnswerStatus, CameraLook, ObjectState
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment

__all__ = ['relative_pose']

_CAMERA = 'camera'


class _Refusal(NamedTuple):
    """Why a relation cannot be told."""

    status: AnswerStatus
    reason: str


def relative_pose(
    reader: MemoryReader,
    selector: Selector,
    reference: str = _CAMERA,
    scheme: DirectionScheme = DirectionScheme.QUADRANTS,
    at: Moment | None = None,
    classes: DistanceClasses = FINAL,
) -> RelativePoseAnswer:
    """
    Say where an object is relative to a camera or to another object.

    Parameters
    ----------
    reader, selector, at
        As in :func:`st_memory.core.queries.locate`.
    reference : str
        ``camera`` (the one that looked last), ``camera:<id>``, or an object id. Relative to an
        object, the direction is told from the viewpoint of the camera that looked last.
    scheme : DirectionScheme
        Classes of direction.
    classes : DistanceClasses
        Classes of distance.

    Returns
    -------
    RelativePoseAnswer
        The vector is in the camera's optical frame at the latest look not after ``at``. NO_POSE
        when that camera has no pose.

    """
    found = select(reader, selector, at)
    if not found.found:
        return RelativePoseAnswer(
            found.status, found.reason, f'I do not know: {found.reason}.', at=found.at
        )
    state = found.found[0]
    is_camera = reference == _CAMERA or reference.startswith(f'{_CAMERA}:')
    camera_id = reference.partition(':')[2] if is_camera else ''
    vector = _vector(reader, state, reference, camera_id, is_camera, found.at)
    if isinstance(vector, _Refusal):
        return _refused(reader, found, reference, vector)
    distance = float(np.sqrt(np.dot(vector, vector)))
    direction = direction_of(vector, scheme) if is_camera else relation_of(vector, scheme)
    viewpoint = reader.look_at(camera_id or None, found.at)
    return RelativePoseAnswer(
        status=found.status,
        reason=found.reason or ('' if direction else 'too close to a boundary of the directions'),
        sentence=_sentence(state, reference, is_camera, direction, distance),
        at=found.at,
        object=state,
        alternatives=found.found[1:],
        evidence_ids=evidence_of(reader, state, found.at),
        reference=reference,
        frame=f'{_CAMERA}:{viewpoint.camera_id}' if viewpoint else '',
        vector=vector,
        distance_m=distance,
        direction=direction,
        distance_class=distance_class(distance, classes),
    )


def _vector(
    reader: MemoryReader,
    state: ObjectState,
    reference: str,
    camera_id: str,
    is_camera: bool,
    at: Moment | None,
) -> Point | _Refusal:
    """From the reference to the object in the viewer's optical frame, metres."""
    if state.world_p is None:
        return _Refusal(AnswerStatus.UNKNOWN, 'its position was never measured')
    look = reader.look_at(camera_id or None, at)
    refusal = _check_look(look, camera_id)
    if refusal is not None or look is None or look.world_T_camera is None:
        return refusal or _Refusal(AnswerStatus.NO_POSE, 'no camera has looked yet')
    world_p = np.array(state.world_p)
    if is_camera:
        return _point(look.world_T_camera.inverse().apply(world_p))
    other = reader.object_at(reference, at)
    if other is None or other.world_p is None:
        return _Refusal(AnswerStatus.NOT_YET_SEEN, f'where {reference} is, is not known')
    return _point(look.world_T_camera.rotation.T @ (world_p - np.array(other.world_p)))


def _check_look(look: CameraLook | None, camera_id: str) -> _Refusal | None:
    if look is None:
        who = f'camera {camera_id}' if camera_id else 'a camera'
        return _Refusal(AnswerStatus.NO_POSE, f'{who} has not looked yet')
    if look.world_T_camera is None:
        return _Refusal(AnswerStatus.NO_POSE, f'camera {look.camera_id} had no pose then')
    return None


def _refused(
    reader: MemoryReader, found: Selection, reference: str, refusal: _Refusal
) -> RelativePoseAnswer:
    state = found.found[0]
    return RelativePoseAnswer(
        refusal.status,
        refusal.reason,
        f'{sentence_start(state)}: I cannot say which way, because {refusal.reason}.',
        at=found.at,
        object=state,
        alternatives=found.found[1:],
        evidence_ids=evidence_of(reader, state, found.at),
        reference=reference,
    )


def _sentence(
    state: ObjectState, reference: str, is_camera: bool, direction: str, distance_m: float
) -> str:
    whom = 'you' if is_camera else reference
    where = f'{direction} of {whom}' if direction else f'from {whom}, in no clear direction'
    if 'to' in direction.split() or "o'clock" in direction:
        where = f"at {direction.removesuffix(' o' + chr(39) + 'clock')} o'clock of {whom}"
    return f'{sentence_start(state)} is {distance_m:.2f} m {where}.'


def _point(values: NDArray[np.float64]) -> Point:
    return float(values[0]), float(values[1]), float(values[2])
