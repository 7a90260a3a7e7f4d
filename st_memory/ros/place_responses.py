"""Answers about furniture and ways to responses."""

from __future__ import annotations

import math
from typing import Any

from geometry_msgs.msg import Vector3
from st_memory_interfaces.msg import Fixture as FixtureMsg
from st_memory_interfaces.msg import RankedFixture as RankedFixtureMsg
from st_memory_interfaces.msg import RouteStep as RouteStepMsg
from std_msgs.msg import Header

from st_memory.core.ports import MemoryReader
from st_memory.core.queries import (
    FixtureAnswer,
    PredictionAnswer,
    RelativePoseAnswer,
    RouteAnswer,
)
from st_memory.core.queries.references import BASE
from st_memory.core.records import BASE_LOOK, Fixture
from st_memory.ros.frames import Frames
from st_memory.ros.messages import duration_message, pose_message, time_message
from st_memory.ros.question_context import QuestionContext
from st_memory.ros.responses import fitting_messages, ObjectWriter
from st_memory.ros.texts import clipped, MAX_ID_BYTES

__all__ = [
    'fixture_message',
    'write_nearest',
    'write_prediction',
    'write_relative',
    'write_route',
]

_EYE_LEVEL_RAD = math.radians(5.0)


def fixture_message(
    fixture: Fixture, frame: str, stamp_ns: int, *, is_movable: bool
) -> FixtureMsg:
    """
    Give a fixture as a message.

    Parameters
    ----------
    fixture : Fixture
        The record; its box is that of the furniture at rest.
    frame : str
        Name of the fixed frame.
    stamp_ns : int
        The time it is told for.
    is_movable : bool
        It has parts that move: whether it is open is not remembered.

    """
    width, depth, height = fixture.size_m
    box = fixture.world_T_box
    return FixtureMsg(
        id=clipped(fixture.fixture_id),
        label=clipped(fixture.label),
        frame=frame,
        stamp=time_message(stamp_ns),
        pose=pose_message(box.translation.tolist(), box.quat_xyzw.tolist()),
        size=Vector3(x=float(width), y=float(depth), z=float(height)),
        state_known=not is_movable,
    )


def write_relative(
    response: Any, answer: RelativePoseAnswer, reader: MemoryReader, frames: Frames
) -> None:
    """Write which way and how far an object is."""
    if answer.object is None:
        return
    response.object_id = clipped(answer.object.object_id, MAX_ID_BYTES)
    response.label = clipped(answer.object.label)
    if answer.distance_m is not None:
        response.distance_m = answer.distance_m
        response.distance_class = answer.distance_class
    if answer.vector is None or answer.distance_m is None:
        return
    x, y, z = answer.vector
    is_base = answer.frame == BASE
    right, down, ahead = (-y, -z, x) if is_base else answer.vector
    camera_id = BASE_LOOK if is_base else answer.frame.partition(':')[2]
    look = reader.look_at(camera_id, answer.at)
    response.header = Header(
        frame_id=frames.base_frame if is_base else clipped(frames.optical(camera_id)),
        stamp=time_message(look.stamp_ns if look is not None else None),
    )
    response.vector = Vector3(x=x, y=y, z=z)
    response.azimuth_rad = math.atan2(-right, ahead)
    response.elevation_rad = math.atan2(-down, math.hypot(right, ahead))
    response.direction = answer.direction
    response.relation = _relation(answer, response.elevation_rad)


def write_nearest(
    response: Any, answer: FixtureAnswer, reader: MemoryReader, context: QuestionContext
) -> None:
    """Write which fixture something is at, and as many others as fit."""
    if answer.object is not None:
        response.object_id = clipped(answer.object.object_id, MAX_ID_BYTES)
    response.annotated_fixture_id = clipped(answer.annotated_fixture_id)
    if answer.fixture is None:
        return
    movable = _movable(reader)
    frame = context.frames.fixed_frame
    at_ns = answer.at.stamp_ns if answer.at is not None else 0

    def message(fixture: Fixture) -> FixtureMsg:
        is_movable = fixture.fixture_id in movable
        return fixture_message(fixture, frame, at_ns, is_movable=is_movable)

    response.fixture = message(answer.fixture)
    response.distance_m = math.nan if answer.distance_m is None else answer.distance_m
    response.inside = answer.inside
    room = context.max_bytes - 8 * len(answer.ranked[:16])
    others = (message(row.fixture) for row in answer.ranked[:16])
    response.alternatives = fitting_messages(response, others, room)
    distances = [row.distance_m for row in answer.ranked]
    response.alternative_distances_m = distances[: len(response.alternatives)]


def write_route(response: Any, answer: RouteAnswer, writer: ObjectWriter, max_bytes: int) -> None:
    """Write where something was left and the first steps that fit; all of them, mostly."""
    if answer.object is None or answer.at is None:
        return
    at_ns = answer.at.stamp_ns
    response.object = writer.give(answer.object, at_ns)
    response.distance_m = math.nan if answer.distance_m is None else answer.distance_m
    response.route_source = answer.source
    response.reachable = answer.reachable
    messages = (
        RouteStepMsg(
            text=clipped(step.text, MAX_ID_BYTES),
            waypoint=writer.pose(step.world_p, _about_z(step.heading_rad), at_ns),
            distance_m=step.distance_m,
        )
        for step in answer.steps
    )
    response.steps = fitting_messages(response, messages, max_bytes)


def write_prediction(
    response: Any, answer: PredictionAnswer, reader: MemoryReader, context: QuestionContext
) -> None:
    """Write the most probable fixtures that fit."""
    movable = _movable(reader)
    frame = context.frames.fixed_frame
    at_ns = answer.at.stamp_ns if answer.at is not None else 0
    messages = (
        RankedFixtureMsg(
            fixture=fixture_message(
                guess.fixture, frame, at_ns, is_movable=guess.fixture.fixture_id in movable
            ),
            probability=guess.probability,
            eta=duration_message(guess.eta_ns),
            reason=clipped(guess.reason, MAX_ID_BYTES),
        )
        for guess in answer.fixtures
    )
    response.fixtures = fitting_messages(response, messages, context.max_bytes)


def _relation(answer: RelativePoseAnswer, elevation_rad: float) -> str:
    """Say direction and height in a few words, as seen from a camera or from another object."""
    level = (
        'level with'
        if abs(elevation_rad) < _EYE_LEVEL_RAD
        else ('above' if elevation_rad > 0 else 'below')
    )
    is_camera = answer.reference.startswith('camera')
    whom = 'the camera' if is_camera else clipped(answer.reference)
    return ', '.join(filter(None, (answer.direction, f'{level} {whom}')))


def _movable(reader: MemoryReader) -> frozenset[str]:
    """Fixtures with parts that move."""
    return frozenset(p.fixture_id for p in reader.scene().parts if p.frame_id and p.fixture_id)


def _about_z(heading_rad: float) -> tuple[float, float, float, float]:
    """Attitude of who faces a heading, x y z w."""
    return (0.0, 0.0, math.sin(heading_rad / 2), math.cos(heading_rad / 2))
