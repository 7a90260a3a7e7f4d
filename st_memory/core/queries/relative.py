"""Which way and how far an object is from me, or from another object."""

from __future__ import annotations

from dataclasses import replace
import math

import numpy as np

from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import RelativePoseAnswer
from st_memory.core.queries.asked_names import check_names
from st_memory.core.queries.directions import (
    direction_of,
    DirectionScheme,
    distance_class,
    format_of,
    relation_of,
)
from st_memory.core.queries.guessing import names_its_guess
from st_memory.core.queries.history import evidence_of
from st_memory.core.queries.references import BASE, CAMERA, find_object, find_view
from st_memory.core.queries.selection import judge, select, Selection, Selector, Subject, Verdict
from st_memory.core.queries.wording import clip_name, describe_direction, name_first
from st_memory.core.records import AnswerStatus
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment

__all__ = ['relative_pose']

# From the best to the worst that can still be answered with a direction.
_TELLING = (AnswerStatus.KNOWN, AnswerStatus.AMBIGUOUS, AnswerStatus.STALE)


@names_its_guess
def relative_pose(
    reader: MemoryReader,
    selector: Selector,
    reference: str = CAMERA,
    scheme: DirectionScheme = DirectionScheme.QUADRANTS,
    at: Moment | None = None,
) -> RelativePoseAnswer:
    """
    Say where an object is relative to a camera or to another object.

    Parameters
    ----------
    reader, selector, at
        As in :func:`st_memory.core.queries.locate`.
    reference : str
        ``camera`` (the one that looked last), ``camera:<id>``, or an object id; the id of an
        object that was merged means the one it was merged into. Relative to an object, the
        direction is told from the viewpoint of the camera that looked last. ``base`` is the body
        that carries the cameras, NO_POSE where its frame is not known.
    scheme : DirectionScheme
        Classes of direction; those of distance go with them.

    Returns
    -------
    RelativePoseAnswer
        The vector is in the camera's optical frame at its latest look. STALE when that look is
        more than ``POSE_FRESH_NS`` old, NO_POSE when it is more than ``POSE_LIMIT_NS`` old or
        had no pose; the distance to an object is told even then. Relative to the base, the
        vector is in its frame. The status of an object reference counts as that of the object
        does.

    """
    check_names(reference=reference)
    found = select(reader, selector, at, Subject.PLACE)
    if not found.found:
        return RelativePoseAnswer(
            found.status, found.reason, f'I do not know: {found.reason}.', at=found.at
        )
    state = found.found[0]
    verdict = judge(state, found, Subject.PLACE)
    if state.world_p is None:
        return _refused(reader, found, reference, verdict)
    look, of_view = find_view(reader, reference, found.at)
    if look is None or look.world_T_camera is None:
        refused = _refused(reader, found, reference, of_view)
        return refused if _is_viewer(reference) else _with_distance(reader, refused, scheme)
    vector, of_other = _vector(reader, state.world_p, reference, look.world_T_camera, found.at)
    if vector is None:
        return _refused(reader, found, reference, of_other)
    seen = (-vector[1], -vector[2], vector[0]) if reference == BASE else vector
    is_viewer = _is_viewer(reference)
    direction = direction_of(seen, scheme) if is_viewer else relation_of(seen, scheme)
    verdict = _both(verdict, _both(of_other, of_view))
    if not (verdict.reason or direction):
        verdict = Verdict(verdict.status, 'too close to a boundary of the directions')
    distance_m = math.hypot(*vector)
    return RelativePoseAnswer(
        status=verdict.status,
        reason=verdict.reason,
        sentence=_sentence(found, reference, direction, distance_m, verdict),
        at=found.at,
        object=state,
        alternatives=found.found[1:],
        evidence_ids=evidence_of(reader, state, found.at),
        reference=reference,
        frame=BASE if reference == BASE else f'{CAMERA}:{look.camera_id}',
        vector=vector,
        distance_m=distance_m,
        direction=direction,
        distance_class=distance_class(distance_m, format_of(scheme).distances),
    )


def _is_viewer(reference: str) -> bool:
    """Whether directions are told from the reference itself: it looks somewhere."""
    return reference == BASE or reference.partition(':')[0] == CAMERA


def _with_distance(
    reader: MemoryReader, refused: RelativePoseAnswer, scheme: DirectionScheme
) -> RelativePoseAnswer:
    """Add the distance between two objects, which needs no viewer."""
    other_p, _ = find_object(reader, refused.reference, refused.at)
    if refused.object is None or refused.object.world_p is None or other_p is None:
        return refused
    distance_m = math.dist(refused.object.world_p, other_p)
    text = refused.sentence.removesuffix('.')
    return replace(
        refused,
        sentence=f'{text}; it is {distance_m:.2f} m from {refused.reference}.',
        distance_m=distance_m,
        distance_class=distance_class(distance_m, format_of(scheme).distances),
    )


def _vector(
    reader: MemoryReader,
    world_p: Point,
    reference: str,
    world_T_camera: RigidTransform,
    at: Moment | None,
) -> tuple[Point | None, Verdict]:
    """From the reference to a place in the viewer's frame, metres."""
    place = np.array(world_p)
    if _is_viewer(reference):
        x, y, z = world_T_camera.inverse().apply(place).tolist()
        return (x, y, z), Verdict(AnswerStatus.KNOWN, '')
    other_p, of_other = find_object(reader, reference, at)
    if other_p is None:
        return None, of_other
    x, y, z = (world_T_camera.rotation.T @ (place - np.array(other_p))).tolist()
    return (x, y, z), of_other


def _both(first: Verdict, second: Verdict) -> Verdict:
    """Put two verdicts together: the worse status, both reasons."""
    status = max(first.status, second.status, key=_TELLING.index)
    return Verdict(status, '; '.join(filter(None, (first.reason, second.reason))))


def _refused(
    reader: MemoryReader, found: Selection, reference: str, verdict: Verdict
) -> RelativePoseAnswer:
    state = found.found[0]
    return RelativePoseAnswer(
        verdict.status,
        verdict.reason,
        f'{name_first(state)}: I cannot say which way, because {verdict.reason}.',
        at=found.at,
        object=state,
        alternatives=found.found[1:],
        evidence_ids=evidence_of(reader, state, found.at),
        reference=reference,
    )


def _sentence(
    found: Selection, reference: str, direction: str, distance_m: float, verdict: Verdict
) -> str:
    where = describe_direction(direction, '' if _is_viewer(reference) else clip_name(reference))
    is_stale = verdict.status is AnswerStatus.STALE
    verb = 'was last' if is_stale else 'is'
    text = f'{name_first(found.found[0])} {verb} {distance_m:.2f} m {where}'
    return f'{text}: {verdict.reason}.' if is_stale else f'{text}.'
