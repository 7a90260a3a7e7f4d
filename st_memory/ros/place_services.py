"""Questions about places: where it is, which way, at which furniture, and how to get there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from st_memory_interfaces.srv import (
    FindItem,
    LocateObject,
    NearestFixture,
    PredictInteraction,
    RelativePose,
)

from st_memory.core.ports import MemoryReader
from st_memory.core.queries import (
    find_item,
    locate,
    nearest_fixture,
    nearest_fixture_to_point,
    predict_interaction,
    PredictionSettings,
    relative_pose,
)
from st_memory.core.stamps import stamp_from_sec_nanosec
from st_memory.ros.place_responses import (
    write_nearest,
    write_prediction,
    write_relative,
    write_route,
)
from st_memory.ros.question_context import moment_of, QuestionContext, scheme_of
from st_memory.ros.responses import add_objects, write_common

__all__ = ['PlaceQuestions']

_PREDICTION = PredictionSettings()


class PlaceQuestions:
    """
    Services about where things are.

    Parameters
    ----------
    context : QuestionContext
        Names of frames, and how large an answer may be.

    """

    def __init__(self, context: QuestionContext) -> None:
        self._context = context
        self.services: Mapping[str, Any] = {
            'locate_object': (LocateObject, self._locate),
            'relative_pose': (RelativePose, self._relative),
            'nearest_fixture': (NearestFixture, self._nearest),
            'find_item': (FindItem, self._find),
            'predict_interaction': (PredictInteraction, self._predict),
        }

    def _locate(self, request: Any, response: Any, reader: MemoryReader) -> None:
        at = moment_of(reader, request.at)
        selector = self._context.selector(request)
        answer = locate(reader, selector, at, self._context.stay_prior)
        write_common(response, answer, reader)
        if answer.object is None or answer.at is None:
            return
        writer = self._context.writer(request.frame, reader, at)
        at_ns = answer.at.stamp_ns
        known = answer.object.existence_probability if answer.existence_estimated else None
        response.object = writer.give(answer.object, at_ns, known)
        max_bytes = self._context.max_bytes
        add_objects(response, 'alternatives', answer.alternatives, at_ns, writer, max_bytes)

    def _relative(self, request: Any, response: Any, reader: MemoryReader) -> None:
        answer = relative_pose(
            reader,
            self._context.selector(request),
            self._context.reference(request.reference),
            scheme_of(request.scheme),
            moment_of(reader, request.at),
        )
        write_common(response, answer, reader)
        write_relative(response, answer, reader, self._context.frames)

    def _nearest(self, request: Any, response: Any, reader: MemoryReader) -> None:
        at = moment_of(reader, request.at)
        limit = request.limit or None
        if request.use_point:
            place = self._context.place(request.point, reader, at)
            answer = nearest_fixture_to_point(reader, place, at, limit=limit)
        else:
            answer = nearest_fixture(reader, self._context.selector(request), at, limit=limit)
        write_common(response, answer, reader)
        write_nearest(response, answer, reader, self._context)

    def _find(self, request: Any, response: Any, reader: MemoryReader) -> None:
        at = moment_of(reader, request.at)
        start = self._context.actor(request.start_frame)
        self._context.await_floor()
        answer = find_item(reader, self._context.selector(request), at, start)
        write_common(response, answer, reader)
        if answer.object is not None and answer.at is not None:
            writer = self._context.writer(request.frame, reader, at)
            write_route(response, answer, writer, self._context.max_bytes)

    def _predict(self, request: Any, response: Any, reader: MemoryReader) -> None:
        horizon_ns = stamp_from_sec_nanosec(request.horizon.sec, request.horizon.nanosec)
        settings = replace(_PREDICTION, horizon_ns=horizon_ns) if horizon_ns else _PREDICTION
        answer = predict_interaction(
            reader,
            self._context.actor(request.actor_frame) or 'camera',
            moment_of(reader, request.at),
            limit=request.limit or None,
            settings=settings,
        )
        write_common(response, answer, reader)
        write_prediction(response, answer, reader, self._context)
