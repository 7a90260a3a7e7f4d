"""The questions as services: request in, core asked, response out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TYPE_CHECKING

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from st_memory_interfaces.srv import (
    GetTimeline,
    GetVisibility,
    ListObjects,
    LocateObject,
    RelativePose,
    WhenLastPlaced,
    WhenLastVisible,
)

from st_memory.conversions.stamps import frame_name, optional_stamp, stamp_from_time
from st_memory.core.errors import ConversionError, StMemoryError, TransformUnavailableError
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import (
    Answer,
    DirectionScheme,
    get_timeline,
    get_visibility,
    list_objects,
    locate,
    ObjectFilter,
    relative_pose,
    Selector,
    when_last_placed,
    when_last_visible,
)
from st_memory.core.records import AnswerStatus, Visibility
from st_memory.core.stamps import Moment
from st_memory.ros.frames import Frames
from st_memory.ros.guard import guarded
from st_memory.ros.live_store import LiveStore
from st_memory.ros.messages import ObjectMessages
from st_memory.ros.responses import (
    add_objects,
    ObjectWriter,
    write_common,
    write_last_placed,
    write_last_visible,
    write_relative,
    write_timeline,
    write_visibility,
)

if TYPE_CHECKING:
    from rclpy.node import Node

__all__ = ['QuestionServices']


class QuestionServices:
    """
    The services of a memory; each answers from one committed moment, whatever comes meanwhile.

    Parameters
    ----------
    node : Node
        Whose services they are, as ``~/locate_object`` and so on.
    store : LiveStore
        The memory.
    frames : Frames
        Names of frames.
    max_bytes : int
        Largest response; lists are cut to it.

    """

    def __init__(self, node: Node, store: LiveStore, frames: Frames, max_bytes: int) -> None:
        self._node = node
        self._store = store
        self._frames = frames
        self._max_bytes = max_bytes
        self._messages = ObjectMessages(frames.fixed_frame)
        self._group = MutuallyExclusiveCallbackGroup()
        questions: dict[str, tuple[Any, Callable[[Any, Any, MemoryReader], None]]] = {
            'locate_object': (LocateObject, self._locate),
            'get_visibility': (GetVisibility, self._visibility),
            'get_timeline': (GetTimeline, self._timeline),
            'list_objects': (ListObjects, self._list),
            'when_last_visible': (WhenLastVisible, self._last_visible),
            'when_last_placed': (WhenLastPlaced, self._last_placed),
            'relative_pose': (RelativePose, self._relative),
        }
        self._services = [
            node.create_service(
                kind, f'~/{name}', partial(self._answer, question), callback_group=self._group
            )
            for name, (kind, question) in questions.items()
        ]

    def stop(self) -> None:
        """Answer no more."""
        for service in self._services:
            self._node.destroy_service(service)
        self._services.clear()

    def _answer(
        self, question: Callable[[Any, Any, MemoryReader], None], request: Any, response: Any
    ) -> Any:
        guarded(question, partial(self._refuse, response))(request, response, self._store.view())
        return response

    def _refuse(self, response: Any, error: Exception) -> None:
        if isinstance(error, StMemoryError):
            reason = str(error)
        else:
            reason = f'internal error: {type(error).__name__}: {error}'
            self._node.get_logger().error(reason)
        is_pose = isinstance(error, TransformUnavailableError)
        status = AnswerStatus.NO_POSE if is_pose else AnswerStatus.UNKNOWN
        write_common(
            response, Answer(status, reason, f'I do not know: {reason}.'), self._store.view()
        )

    def _locate(self, request: Any, response: Any, reader: MemoryReader) -> None:
        at = _moment(reader, request.at)
        selector = Selector(request.object_id, request.label, request.text)
        answer = locate(reader, selector, at)
        write_common(response, answer, reader)
        if answer.object is None or answer.at is None:
            return
        writer = self._writer(request.frame, reader, at)
        at_ns = answer.at.stamp_ns
        response.object = writer.give(answer.object, at_ns)
        add_objects(response, 'alternatives', answer.alternatives, at_ns, writer, self._max_bytes)

    def _visibility(self, request: Any, response: Any, reader: MemoryReader) -> None:
        camera_id = self._frames.camera(request.camera)
        at = _moment(reader, request.at)
        answer = get_visibility(reader, Selector(request.object_id, request.label), at, camera_id)
        write_common(response, answer, reader)
        write_visibility(response, answer, self._frames)

    def _timeline(self, request: Any, response: Any, reader: MemoryReader) -> None:
        answer = get_timeline(
            reader,
            Selector(request.object_id, request.label),
            _moment(reader, request.at),
            self._frames.camera(request.camera),
            start_ns=stamp_from_time(request.start) or None,
            end_ns=stamp_from_time(request.end) or None,
            limit=request.limit or None,
        )
        write_common(response, answer, reader)
        write_timeline(response, answer, self._frames, self._max_bytes)

    def _list(self, request: Any, response: Any, reader: MemoryReader) -> None:
        at = _moment(reader, request.at)
        answer = list_objects(reader, self._filter(request, reader, at), at)
        write_common(response, answer, reader)
        response.total = len(answer.objects)
        if answer.at is None:
            return
        rest = answer.objects[request.offset :]
        page = rest[: request.limit] if request.limit else rest
        writer = self._writer(request.frame, reader, at)
        add_objects(response, 'objects', page, answer.at.stamp_ns, writer, self._max_bytes)

    def _last_visible(self, request: Any, response: Any, reader: MemoryReader) -> None:
        camera_id = self._frames.camera(request.camera)
        answer = when_last_visible(
            reader,
            Selector(request.object_id, request.label),
            _moment(reader, request.at),
            camera_id,
            confirmed_only=request.confirmed_only,
        )
        write_common(response, answer, reader)
        write_last_visible(response, answer, camera_id, reader, self._frames)

    def _last_placed(self, request: Any, response: Any, reader: MemoryReader) -> None:
        selector = Selector(request.object_id, request.label)
        answer = when_last_placed(reader, selector, _moment(reader, request.at))
        write_common(response, answer, reader)
        write_last_placed(response, answer, reader, self._frames)

    def _relative(self, request: Any, response: Any, reader: MemoryReader) -> None:
        answer = relative_pose(
            reader,
            Selector(request.object_id, request.label),
            self._reference(request.reference),
            _scheme(request.scheme),
            _moment(reader, request.at),
        )
        write_common(response, answer, reader)
        write_relative(response, answer, reader, self._frames)

    def _writer(self, frame: str, reader: MemoryReader, at: Moment | None) -> ObjectWriter:
        frame_T_fixed = self._frames.frame_T_fixed(reader, frame, at)
        return ObjectWriter(self._messages, frame_name(frame), frame_T_fixed)

    def _reference(self, name: str) -> str:
        kind, _, camera = name.partition(':')
        if not name:
            return 'camera'
        return f'camera:{self._frames.camera(camera)}' if kind == 'camera' and camera else name

    def _filter(self, request: Any, reader: MemoryReader, at: Moment | None) -> ObjectFilter:
        centre = None
        if request.use_region:
            point = request.center.point
            centre = (point.x, point.y, point.z)
            frame = request.center.header.frame_id
            frame_T_fixed = self._frames.frame_T_fixed(reader, frame, at)
            if frame_T_fixed is not None:
                x, y, z = frame_T_fixed.inverse().apply(centre).tolist()
                centre = (x, y, z)
        try:
            visibilities = tuple(Visibility(v) for v in request.visibilities)
        except ValueError as error:
            raise ConversionError(f'visibilities: {error}') from error
        return ObjectFilter(
            label=request.label,
            visibilities=visibilities,
            fixture_id=request.fixture_id,
            moved_since_ns=optional_stamp(request.moved_since),
            out_of_sight_since_ns=optional_stamp(request.out_of_sight_since),
            centre=centre,
            radius_m=request.radius_m,
        )


def _moment(reader: MemoryReader, time: Any) -> Moment | None:
    """Give the moment a stamp means: in the newest epoch that had begun by then; None for now."""
    stamp_ns = stamp_from_time(time)
    now = reader.now()
    if stamp_ns == 0 or now is None:
        return None
    for epoch in reversed(reader.epochs()):
        first = reader.first_moment(epoch)
        if first is not None and first.stamp_ns <= stamp_ns:
            return Moment(epoch, stamp_ns)
    return Moment(now.epoch, stamp_ns)


def _scheme(name: str) -> DirectionScheme:
    try:
        return DirectionScheme(name or DirectionScheme.SECTORS.value)
    except ValueError as error:
        known = ', '.join(scheme.value for scheme in DirectionScheme)
        raise ConversionError(f'scheme: expected one of {known}, got {name!r}') from error
