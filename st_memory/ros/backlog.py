"""What waits for the memory, in the order it came."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import queue
from typing import Any, NamedTuple

from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.core.records import FrameDelta
from st_memory.ros.live_fold import Tell

__all__ = ['Backlog', 'ToTell', 'Told', 'TopicMessage']

Told = Callable[[FrameDelta | Exception], None]
# What later frames need waits this many times as long before it is dropped too.
_KEPT_TIMES = 100
_KEPT_KINDS = (
    TopicKind.TF,
    TopicKind.TF_STATIC,
    TopicKind.SCENE,
    TopicKind.MESH,
    TopicKind.SELF_MASK_FIXED,
    TopicKind.MOVEMENTS,
)


class TopicMessage(NamedTuple):
    """A message and what it is for."""

    role: TopicRole
    message: Any


class ToTell(NamedTuple):
    """Something to be folded in that no topic brought, and who is told what came of it."""

    tell: Tell
    told: Told


class Backlog:
    """
    A line that one thread takes from and any thread adds to.

    Parameters
    ----------
    capacity : int
        Messages that may wait. Beyond it sensor data is refused; transforms, scenes and
        movements only beyond a hundred times as many.

    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._queue: queue.SimpleQueue[TopicMessage | ToTell | None] = queue.SimpleQueue()

    def __len__(self) -> int:
        return self._queue.qsize()

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return self._queue.empty()

    def put(self, role: TopicRole, message: Any) -> bool:
        """Add a message; gives whether there was room. Never blocks."""
        times = _KEPT_TIMES if role.kind in _KEPT_KINDS else 1
        if self._queue.qsize() >= times * self._capacity:
            return False
        self._queue.put(TopicMessage(role, message))
        return True

    def tell(self, tell: Tell, told: Told) -> None:
        """Add what a person says; there is always room."""
        self._queue.put(ToTell(tell, told))

    def end(self) -> None:
        """Let whoever takes know that no more will come."""
        self._queue.put(None)

    def take_all(self) -> Iterator[TopicMessage | ToTell]:
        """Yield what comes, waiting for it, until the end."""
        while (item := self._queue.get()) is not None:
            yield item

    def take_late(self) -> Iterator[ToTell]:
        """Yield what was to be told and came after the end."""
        while not self._queue.empty():
            item = self._queue.get()
            if isinstance(item, ToTell):
                yield item
