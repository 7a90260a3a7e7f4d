"""Services that wait, for the fold or the disk, while others are answered."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TYPE_CHECKING

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup

from st_memory.core.errors import StMemoryError, TransformUnavailableError
from st_memory.core.queries import Answer
from st_memory.core.records import AnswerStatus
from st_memory.ros.live_store import LiveStore
from st_memory.ros.responses import write_common

if TYPE_CHECKING:
    from rclpy.node import Node

__all__ = ['ServiceFamily', 'SlowServices']

_Serve = Callable[[Any, Any], Coroutine[Any, Any, None]]


class ServiceFamily(Protocol):
    """Services by name, each with its type and what fills its response."""

    services: Mapping[str, tuple[Any, _Serve]]


class SlowServices:
    """
    Services whose callbacks are coroutines; one of them runs at a time.

    Parameters
    ----------
    node : Node
        Whose services they are.
    store : LiveStore
        The memory, for the moment that a refusal is of.
    families : sequence of ServiceFamily
        The services.

    """

    def __init__(self, node: Node, store: LiveStore, families: Sequence[ServiceFamily]) -> None:
        self._node = node
        self._store = store
        group = MutuallyExclusiveCallbackGroup()
        self._services = [
            node.create_service(
                kind, f'~/{name}', partial(self._answer, serve), callback_group=group
            )
            for family in families
            for name, (kind, serve) in family.services.items()
        ]

    def stop(self) -> None:
        """Answer no more."""
        for service in self._services:
            self._node.destroy_service(service)
        self._services.clear()

    async def _answer(self, serve: _Serve, request: Any, response: Any) -> Any:
        try:
            await serve(request, response)
        except StMemoryError as error:
            self._refuse(response, error, str(error))
        except Exception as error:  # noqa: BLE001 - one bad request must not end the node
            reason = f'internal error: {type(error).__name__}: {error}'
            self._node.get_logger().error(reason)
            self._refuse(response, error, reason)
        return response

    def _refuse(self, response: Any, error: Exception, reason: str) -> None:
        is_pose = isinstance(error, TransformUnavailableError)
        status = AnswerStatus.NO_POSE if is_pose else AnswerStatus.UNKNOWN
        view = self._store.view()
        answer = Answer(status, reason, f'Nothing was done: {reason}.', view.now())
        write_common(response, answer, view)
