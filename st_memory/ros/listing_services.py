"""Questions with a list for an answer: which objects, what changed, what is inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from st_memory_interfaces.srv import ListChanges, ListContents, ListObjects

from st_memory.conversions.stamps import optional_stamp
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import list_changes, list_contents, list_objects, ObjectFilter
from st_memory.core.records import Visibility
from st_memory.core.stamps import Moment
from st_memory.ros.question_context import moment_of, QuestionContext
from st_memory.ros.responses import add_objects, write_common
from st_memory.ros.story_responses import write_changes
from st_memory.ros.texts import clipped, number_of

__all__ = ['ListingQuestions']


class ListingQuestions:
    """
    Services that list things.

    Parameters
    ----------
    context : QuestionContext
        Names of frames, and how large an answer may be.

    """

    def __init__(self, context: QuestionContext) -> None:
        self._context = context
        self.services: Mapping[str, Any] = {
            'list_objects': (ListObjects, self._objects),
            'list_changes': (ListChanges, self._changes),
            'list_contents': (ListContents, self._contents),
        }

    def _objects(self, request: Any, response: Any, reader: MemoryReader) -> None:
        at = moment_of(reader, request.at)
        answer = list_objects(reader, self._filter(request, reader, at), at)
        write_common(response, answer, reader)
        response.total = len(answer.objects)
        if answer.at is None:
            return
        rest = answer.objects[request.offset :]
        page = rest[: request.limit] if request.limit else rest
        writer = self._context.writer(request.frame, reader, at)
        max_bytes = self._context.max_bytes
        add_objects(response, 'objects', page, answer.at.stamp_ns, writer, max_bytes)

    def _changes(self, request: Any, response: Any, reader: MemoryReader) -> None:
        wanted = ObjectFilter(object_id=request.object_id, label=request.label)
        answer = list_changes(
            reader,
            optional_stamp(request.since),
            moment_of(reader, request.at),
            wanted if request.object_id or request.label else None,
        )
        write_common(response, answer, reader)
        page = answer.changes[request.offset :]
        page = page[: request.limit] if request.limit else page
        write_changes(response, page, len(answer.changes), self._context.max_bytes)

    def _contents(self, request: Any, response: Any, reader: MemoryReader) -> None:
        at = moment_of(reader, request.at)
        answer = list_contents(reader, request.container_id or request.label, at)
        write_common(response, answer, reader)
        response.container_id = clipped(answer.container_id)
        response.container_label = clipped(answer.container_label)
        response.total = len(answer.objects)
        if answer.at is None:
            return
        page = answer.objects[request.offset :]
        page = page[: request.limit] if request.limit else page
        writer = self._context.writer('', reader, at)
        max_bytes = self._context.max_bytes
        add_objects(response, 'objects', page, answer.at.stamp_ns, writer, max_bytes)

    def _filter(self, request: Any, reader: MemoryReader, at: Moment | None) -> ObjectFilter:
        centre = self._context.place(request.center, reader, at) if request.use_region else None
        visibilities = tuple(
            number_of(Visibility, v, 'visibilities') for v in request.visibilities
        )
        return ObjectFilter(
            label=request.label,
            visibilities=visibilities,
            fixture_id=request.fixture_id,
            container_id=request.container_id,
            moved_since_ns=optional_stamp(request.moved_since),
            out_of_sight_since_ns=optional_stamp(request.out_of_sight_since),
            centre=centre,
            radius_m=request.radius_m,
        )
