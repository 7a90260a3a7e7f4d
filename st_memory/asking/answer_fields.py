"""Answers as JSON, with the field names of ``st_memory_interfaces``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from st_memory.asking.family_fields import family_fields
from st_memory.asking.plain_fields import optional_time, time_fields, xyz
from st_memory.core.queries import (
    Answer,
    ContentsAnswer,
    ListAnswer,
    LocateAnswer,
    RelativePoseAnswer,
    VisibilityAnswer,
    WhenAnswer,
)
from st_memory.core.records import Event, LifeCycle, ObjectState, Visibility, VisibilityInterval
from st_memory.core.stamps import Moment

__all__ = ['answer_fields', 'event_fields', 'interval_fields', 'object_fields']

Fields = dict[str, Any]


def object_fields(
    state: ObjectState, at: Moment | None, frame: str, *, is_estimated: bool = False
) -> Fields:
    """
    Give an object the fields of ``ObjectState.msg``, and names beside the numbers.

    Parameters
    ----------
    state : ObjectState
        The object.
    at : Moment, optional
        Moment it holds for.
    frame : str
        Name of the fixed frame.
    is_estimated : bool
        Its ``existence_probability`` is learned from how often things of its class were moved.

    """
    now_ns = at.stamp_ns if at is not None else 0
    is_visible = state.visibility is Visibility.VISIBLE
    unseen_ns = 0 if is_visible or state.last_seen_ns is None else now_ns - state.last_seen_ns
    return {
        'object_id': state.object_id,
        'label': state.label,
        'aliases': list(state.aliases),
        'frame': frame,
        'stamp': time_fields(now_ns),
        'pose_valid': state.world_p is not None,
        'pose': {
            'position': xyz(state.world_p or (0.0, 0.0, 0.0)),
            'orientation': dict(zip('xyzw', state.quat_xyzw, strict=True)),
        },
        'size': xyz(state.size_m),
        'visibility': int(state.visibility),
        'visibility_name': state.visibility.name,
        'cause': state.cause,
        'occluder_id': state.occluder_id,
        'confirmed': state.confirmed,
        'first_seen': optional_time(state.first_seen_ns),
        'last_seen': optional_time(state.last_seen_ns),
        'last_placed': optional_time(state.last_placed_ns),
        'out_of_sight_for': time_fields(unseen_ns),
        'fixture_id': state.fixture_id,
        'fixture_alternatives': list(state.fixture_alternatives),
        'container_id': state.container_id,
        'in_motion': state.in_motion,
        'num_moves': state.num_moves,
        'existence_probability': state.existence_probability,
        'existence_estimated': is_estimated,
        'identity_confidence': state.identity_confidence,
        'identity_alternatives': list(state.identity_alternatives),
        'is_absent': state.life_cycle is LifeCycle.ABSENT,
        'epoch': state.epoch,
    }


def interval_fields(interval: VisibilityInterval) -> Fields:
    """Give an interval the fields of its message and more; an open one ends so far."""
    return {
        'object_id': interval.object_id,
        'camera': interval.camera_id,
        'state': int(interval.state),
        'state_name': interval.state.name,
        'geometry': int(interval.geometry),
        'geometry_name': interval.geometry.name,
        'cause': interval.cause,
        'occluder_id': interval.occluder_id,
        'start': time_fields(interval.start_ns),
        'end': time_fields(interval.last_frame_ns if interval.end_ns is None else interval.end_ns),
        'ongoing': interval.end_ns is None,
        'num_frames': interval.num_frames,
        'num_confirmed': interval.num_confirmed,
        'confirmed_fraction': interval.confirmed_fraction,
    }


def event_fields(event: Event) -> Fields:
    """Give an event its record's fields."""
    return {
        'event_id': event.event_id,
        'event_type': event.event_type,
        'epoch': event.epoch,
        'start': time_fields(event.start_ns),
        'end': time_fields(event.end_ns),
        'recorded': time_fields(event.recorded_ns),
        'roles': [{'role': role, 'object_id': who} for role, who in event.roles],
        'source': event.source,
        'detail': event.detail,
    }


def answer_fields(answer: Answer, frame: str) -> Fields:
    """
    Give an answer the fields of its service's response, and names beside the numbers.

    Parameters
    ----------
    answer : Answer
        Any of the answers of :mod:`st_memory.core.queries`.
    frame : str
        Name of the fixed frame.

    """
    is_estimated = isinstance(answer, LocateAnswer) and answer.existence_estimated
    fields: Fields = {
        'status': int(answer.status),
        'status_name': answer.status.name,
        'reason': answer.reason,
        'sentence': answer.sentence,
        'evidence_ids': list(answer.evidence_ids),
        'as_of': time_fields(answer.at.stamp_ns if answer.at is not None else 0),
        'object': (
            object_fields(answer.object, answer.at, frame, is_estimated=is_estimated)
            if answer.object
            else None
        ),
        'alternatives': _objects(answer.alternatives, answer.at, frame),
    }
    return {**fields, **_special_fields(answer, frame)}


def _special_fields(answer: Answer, frame: str) -> Mapping[str, Any]:
    if isinstance(answer, ListAnswer):
        return {
            'objects': _objects(answer.objects, answer.at, frame),
            'total': len(answer.objects),
        }
    if isinstance(answer, VisibilityAnswer):
        return {
            'visibility': int(answer.state),
            'visibility_name': answer.state.name,
            'cause': answer.cause,
            'occluder_id': answer.occluder_id,
            'since': optional_time(answer.since_ns),
            'confirmed': answer.confirmed_fraction > 0.0,
            'confirmed_share': answer.confirmed_fraction,
            'intervals': [interval_fields(i) for i in answer.intervals],
            'total': answer.total,
        }
    if isinstance(answer, WhenAnswer):
        return {
            'stamp': optional_time(answer.stamp_ns),
            'ago': time_fields(answer.ago_ns or 0),
            'source': answer.source,
        }
    if isinstance(answer, RelativePoseAnswer):
        return {
            'reference': answer.reference,
            'frame': answer.frame,
            'vector': xyz(answer.vector) if answer.vector else None,
            'distance_m': answer.distance_m,
            'direction': answer.direction,
            'distance_class': answer.distance_class,
        }
    if isinstance(answer, ContentsAnswer):
        return {
            'container_id': answer.container_id,
            'container_label': answer.container_label,
            'objects': _objects(answer.objects, answer.at, frame),
            'total': len(answer.objects),
        }
    return family_fields(answer, frame)


def _objects(states: Sequence[ObjectState], at: Moment | None, frame: str) -> list[Fields]:
    return [object_fields(state, at, frame) for state in states]
