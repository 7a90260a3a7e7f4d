"""Where what a person says is folded in: in the ingest's thread while there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TYPE_CHECKING

from rclpy.task import Future

from st_memory.core.records import FrameDelta
from st_memory.ros.ingest import Ingest
from st_memory.ros.live_fold import LiveFold, Tell

if TYPE_CHECKING:
    from rclpy.node import Node

__all__ = ['Telling', 'later']


class Telling:
    """
    The way of what a person says into the memory.

    Parameters
    ----------
    node : Node
        Whose executor waits for the outcome.
    fold : callable
        Gives the fold as the store has it now; used while nothing is ingested.
    on_commit : callable
        Told of each frame that was folded in here.

    Attributes
    ----------
    ingest : Ingest, optional
        While there is one, it has the fold.

    """

    def __init__(
        self,
        node: Node,
        fold: Callable[[], LiveFold],
        on_commit: Callable[[FrameDelta], None],
    ) -> None:
        self._node = node
        self._fold = fold
        self._on_commit = on_commit
        self.ingest: Ingest | None = None

    def tell(self, tell: Tell) -> Future[FrameDelta]:
        """
        Fold in one frame.

        Returns
        -------
        Future
            To be awaited in a callback: the frame once it is on disk; raises why there is none.

        """
        done, finish = later(self._node)
        if self.ingest is not None:
            self.ingest.tell(tell, finish)
        else:
            self._tell_here(tell, finish)
        return done

    def _tell_here(self, tell: Tell, told: Callable[[FrameDelta | Exception], None]) -> None:
        try:
            delta = self._fold().tell(tell)
        except Exception as error:  # noqa: BLE001 - it is raised where the outcome is awaited
            told(error)
            return
        self._on_commit(delta)
        told(delta)


def later(node: Node) -> tuple[Future[Any], Callable[[Any], None]]:
    """
    Give something to await in a callback, and what ends the wait from any thread.

    An exception that is handed in is raised where it is awaited.
    """
    future: Future[Any] = Future(executor=node.executor)
    # The executor sleeps until something happens: a callback of the future wakes it.
    future.add_done_callback(lambda _: None)

    def finish(outcome: Any) -> None:
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)

    return future, finish
