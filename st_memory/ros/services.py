"""The questions as services: request in, core asked, response out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TYPE_CHECKING

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup

from st_memory.core.errors import StMemoryError, TransformUnavailableError
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import Answer, StayPrior
from st_memory.core.records import AnswerStatus
from st_memory.ros.floor_maps import FloorMaps
from st_memory.ros.frames import Frames
from st_memory.ros.guard import guarded
from st_memory.ros.listing_services import ListingQuestions
from st_memory.ros.live_store import LiveStore
from st_memory.ros.place_services import PlaceQuestions
from st_memory.ros.question_context import QuestionContext
from st_memory.ros.responses import shorten, write_common
from st_memory.ros.time_services import TimeQuestions

if TYPE_CHECKING:
    from rclpy.node import Node

    from st_memory.core.ports.text_encoder import TextEncoder

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
    encoder : TextEncoder, optional
        Compares free text with names by meaning; None: words must occur.
    stay_prior : StayPrior, optional
        What is believed of how long things stay; None: no chances are estimated.

    """

    def __init__(
        self,
        node: Node,
        store: LiveStore,
        frames: Frames,
        max_bytes: int,
        encoder: TextEncoder | None = None,
        stay_prior: StayPrior | None = None,
    ) -> None:
        self._node = node
        self._store = store
        self._max_bytes = max_bytes
        self._group = MutuallyExclusiveCallbackGroup()
        self.floor_maps = FloorMaps(store)
        store.on_scene = self.floor_maps.prepare
        self.floor_maps.prepare()
        context = QuestionContext(frames, max_bytes, encoder, stay_prior, self.floor_maps.wait)
        families = (PlaceQuestions(context), TimeQuestions(context), ListingQuestions(context))
        self._services = [
            node.create_service(
                kind, f'~/{name}', partial(self._answer, question), callback_group=self._group
            )
            for family in families
            for name, (kind, question) in family.services.items()
        ]

    @property
    def services(self) -> tuple[Any, ...]:
        """The services of the middleware."""
        return tuple(self._services)

    def stop(self) -> None:
        """Answer no more."""
        for service in self._services:
            self._node.destroy_service(service)
        self._services.clear()
        self.floor_maps.stop()

    def _answer(
        self, question: Callable[[Any, Any, MemoryReader], None], request: Any, response: Any
    ) -> Any:
        guarded(question, partial(self._refuse, response))(request, response, self._store.view())
        shorten(response, self._max_bytes)
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
