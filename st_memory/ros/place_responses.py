"""Answers about furniture and ways to responses."""

from __future__ import annotations

import math
from typing import Any

from geometry_msgs.msg import Vector3
from st_memory_interfaces.msg import Fixture as FixtureMsg
from st_memory_interfaces.msg import RankedFixture as RankedFixtureMsg
from st_memory_interfaces.msg import RouteStep as RouteStepMsg

from st_memory.core.ports import MemoryReader
from st_memory.core.queries import FixtureAnswer, PredictionAnswer, RouteAnswer
from st_memory.core.records import Fixture
from st_memory.ros.messages import duration_message, pose_message, time_message
from st_memory.ros.question_context import QuestionContext
from st_memory.ros.responses import fitting_messages, ObjectWriter

__all__ = ['fixture_message', 'write_nearest', 'write_prediction', 'write_route']


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
        id=fixture.fixture_id,
        label=fixture.label,
        frame=frame,
        stamp=time_message(stamp_ns),
        pose=pose_message(box.translation.tolist(), box.quat_xyzw.tolist()),
        size=Vector3(x=float(width), y=float(depth), z=float(height)),
        state_known=not is_movable,
    )


def write_nearest(
    response: Any, answer: FixtureAnswer, reader: MemoryReader, context: QuestionContext
) -> None:
    """Write which fixture something is at, and as many others as fit."""
    if answer.object is not None:
        response.object_id = answer.object.object_id
    response.annotated_fixture_id = answer.annotated_fixture_id
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
            text=step.text,
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
            reason=guess.reason,
        )
        for guess in answer.fixtures
    )
    response.fixtures = fitting_messages(response, messages, context.max_bytes)


def _movable(reader: MemoryReader) -> frozenset[str]:
    """Fixtures with parts that move."""
    return frozenset(p.fixture_id for p in reader.scene().parts if p.frame_id and p.fixture_id)


def _about_z(heading_rad: float) -> tuple[float, float, float, float]:
    """Attitude of who faces a heading, x y z w."""
    return (0.0, 0.0, math.sin(heading_rad / 2), math.cos(heading_rad / 2))
