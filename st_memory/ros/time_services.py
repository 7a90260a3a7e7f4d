"""Questions about time and sight: can it be seen, since when, and where has it been."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from st_memory_interfaces.srv import (
    GetItinerary,
    GetTimeline,
    GetVisibility,
    WhenLastPlaced,
    WhenLastVisible,
)

from st_memory.conversions.stamps import stamp_from_time
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import (
    get_itinerary,
    get_timeline,
    get_visibility,
    when_last_placed,
    when_last_visible,
)
from st_memory.ros.question_context import moment_of, QuestionContext
from st_memory.ros.responses import write_common
from st_memory.ros.story_responses import write_itinerary
from st_memory.ros.time_responses import (
    write_last_placed,
    write_last_visible,
    write_timeline,
    write_visibility,
)

__all__ = ['TimeQuestions']


class TimeQuestions:
    """
    Services about the visibility and the history of one object.

    Parameters
    ----------
    context : QuestionContext
        Names of frames, and how large an answer may be.

    """

    def __init__(self, context: QuestionContext) -> None:
        self._context = context
        self._frames = context.frames
        self.services: Mapping[str, Any] = {
            'get_visibility': (GetVisibility, self._visibility),
            'get_timeline': (GetTimeline, self._timeline),
            'get_itinerary': (GetItinerary, self._itinerary),
            'when_last_visible': (WhenLastVisible, self._last_visible),
            'when_last_placed': (WhenLastPlaced, self._last_placed),
        }

    def _visibility(self, request: Any, response: Any, reader: MemoryReader) -> None:
        camera_id = self._frames.camera(request.camera)
        at = moment_of(reader, request.at)
        answer = get_visibility(reader, self._context.selector(request), at, camera_id)
        write_common(response, answer, reader)
        write_visibility(response, answer, self._frames)

    def _timeline(self, request: Any, response: Any, reader: MemoryReader) -> None:
        answer = get_timeline(
            reader,
            self._context.selector(request),
            moment_of(reader, request.at),
            self._frames.camera(request.camera),
            start_ns=stamp_from_time(request.start) or None,
            end_ns=stamp_from_time(request.end) or None,
            limit=request.limit or None,
        )
        write_common(response, answer, reader)
        write_timeline(response, answer, self._frames, self._context.max_bytes)

    def _itinerary(self, request: Any, response: Any, reader: MemoryReader) -> None:
        answer = get_itinerary(
            reader,
            self._context.selector(request),
            moment_of(reader, request.at),
            limit=request.limit or None,
            offset=request.offset,
        )
        write_common(response, answer, reader)
        write_itinerary(response, answer, self._frames, self._context.max_bytes)

    def _last_visible(self, request: Any, response: Any, reader: MemoryReader) -> None:
        camera_id = self._frames.camera(request.camera)
        answer = when_last_visible(
            reader,
            self._context.selector(request),
            moment_of(reader, request.at),
            camera_id,
            confirmed_only=request.confirmed_only,
        )
        write_common(response, answer, reader)
        write_last_visible(response, answer, camera_id, reader, self._frames)

    def _last_placed(self, request: Any, response: Any, reader: MemoryReader) -> None:
        at = moment_of(reader, request.at)
        answer = when_last_placed(reader, self._context.selector(request), at)
        write_common(response, answer, reader)
        write_last_placed(response, answer, reader, self._frames)
