"""The fields of answers about history, furniture and ways, named as in their services."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from st_memory.asking.plain_fields import optional_time, time_fields, xyz
from st_memory.core.queries import (
    Answer,
    Change,
    ChangesAnswer,
    CountAnswer,
    FixtureAnswer,
    ItineraryAnswer,
    PredictionAnswer,
    RouteAnswer,
)
from st_memory.core.records import Fixture, Placement

__all__ = ['family_fields']

Fields = dict[str, Any]


def family_fields(answer: Answer, frame: str) -> Mapping[str, Any]:
    """
    Give what such an answer has beside the fields of all answers.

    Parameters
    ----------
    answer : Answer
        Any answer; those of other families have nothing here.
    frame : str
        Name of the fixed frame.

    """
    now_ns = answer.at.stamp_ns if answer.at is not None else 0
    if isinstance(answer, ItineraryAnswer):
        return _itinerary(answer, now_ns, frame)
    if isinstance(answer, CountAnswer):
        return {'count': answer.count, 'since': optional_time(answer.since_ns)}
    if isinstance(answer, ChangesAnswer):
        return {
            'since': optional_time(None if answer.since is None else answer.since.stamp_ns),
            'changes': [_change(c) for c in answer.changes],
            'total': len(answer.changes),
        }
    if isinstance(answer, FixtureAnswer):
        return _nearest(answer, now_ns, frame)
    if isinstance(answer, RouteAnswer):
        return _route(answer, now_ns, frame)
    if isinstance(answer, PredictionAnswer):
        return {
            'actor': answer.actor,
            'fixtures': [
                {
                    'fixture': _fixture(g.fixture, now_ns, frame),
                    'probability': g.probability,
                    'eta': time_fields(g.eta_ns),
                    'reason': g.reason,
                }
                for g in answer.fixtures
            ],
            'total': answer.total,
        }
    return {}


def _itinerary(answer: ItineraryAnswer, now_ns: int, frame: str) -> Fields:
    return {
        'first_seen': optional_time(answer.first_seen_ns),
        'last_seen': optional_time(answer.last_seen_ns),
        'last_visible': optional_time(answer.last_visible_ns),
        'static_since': optional_time(answer.static_since_ns),
        'num_moves': answer.num_moves,
        'placements': [_placement(row, now_ns, frame) for row in answer.placements],
        'total': answer.total,
    }


def _placement(row: Placement, now_ns: int, frame: str) -> Fields:
    return {
        'object_id': row.object_id,
        'frame': frame,
        'start': time_fields(row.start_ns),
        'end': time_fields(now_ns if row.end_ns is None else row.end_ns),
        'ongoing': row.end_ns is None,
        'pose_valid': True,
        'pose': _pose(row.world_p, (0.0, 0.0, 0.0, 1.0)),
        'fixture_id': row.fixture_id,
        'source': row.source,
    }


def _change(row: Change) -> Fields:
    return {
        'kind': row.kind,
        'object_id': row.object_id,
        'label': row.label,
        'stamp': time_fields(row.stamp_ns),
        'from_fixture': row.from_fixture,
        'to_fixture': row.to_fixture,
        'text': row.text,
        'event_ids': list(row.event_ids),
    }


def _nearest(answer: FixtureAnswer, now_ns: int, frame: str) -> Fields:
    return {
        'fixture': None if answer.fixture is None else _fixture(answer.fixture, now_ns, frame),
        'source': answer.source,
        'distance_m': answer.distance_m,
        'inside': answer.inside,
        'annotated_fixture_id': answer.annotated_fixture_id,
        'geometric_fixture_id': answer.geometric_fixture_id,
        'fixture_alternatives': [_fixture(r.fixture, now_ns, frame) for r in answer.ranked],
        'alternative_distances_m': [r.distance_m for r in answer.ranked],
    }


def _route(answer: RouteAnswer, now_ns: int, frame: str) -> Fields:
    return {
        'start': answer.start,
        'distance_m': answer.distance_m,
        'route_source': answer.source,
        'reachable': answer.reachable,
        'steps': [
            {
                'text': step.text,
                'waypoint': {'frame': frame, 'stamp': time_fields(now_ns), **xyz(step.world_p)},
                'heading_rad': step.heading_rad,
                'distance_m': step.distance_m,
            }
            for step in answer.steps
        ],
    }


def _fixture(fixture: Fixture, now_ns: int, frame: str) -> Fields:
    box = fixture.world_T_box
    return {
        'id': fixture.fixture_id,
        'label': fixture.label,
        'frame': frame,
        'stamp': time_fields(now_ns),
        'pose': _pose(box.translation.tolist(), box.quat_xyzw.tolist()),
        'size': xyz(fixture.size_m),
        'is_container': fixture.is_container,
    }


def _pose(position: Any, quat_xyzw: Any) -> Fields:
    return {
        'position': xyz(position),
        'orientation': dict(zip('xyzw', quat_xyzw, strict=True)),
    }
