"""The floor map that ways are found on, made before somebody asks for a way."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
import contextlib

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.floor_map import floor_map_of
from st_memory.core.records import BASE_LOOK

__all__ = ['FloorMaps']

_MOST_S = 5.0


class FloorMaps:
    """
    Makes the floor map of the newest scene in a thread of its own.

    Where the way is asked for, the map is found made: maps are kept by scene. Whatever goes wrong
    here goes wrong again in the answer, and is told there.

    Parameters
    ----------
    reader : MemoryReader
        The memory; its scene is the same object until there is another one.

    """

    def __init__(self, reader: MemoryReader) -> None:
        self._reader = reader
        self._maker = ThreadPoolExecutor(1, 'floor_map')
        self._newest: Future[None] | None = None

    def prepare(self) -> None:
        """Make the map of the scene, and of where one stands, as they are now; never blocks."""
        if self._newest is not None:
            self._newest.cancel()  # one that has not begun would make this map, too
        with contextlib.suppress(RuntimeError):  # stopped: nobody will ask
            self._newest = self._maker.submit(self._make)

    def wait(self, timeout_s: float = _MOST_S) -> bool:
        """Wait for the map that is being made; gives whether it was made in time."""
        with contextlib.suppress(Exception):
            if self._newest is not None:
                self._newest.result(timeout_s)
        return self._newest is None or self._newest.done()

    def stop(self) -> None:
        """Make no more; a map that is being made is finished."""
        self._maker.shutdown(wait=True, cancel_futures=True)

    def _make(self) -> None:
        scene = self._reader.scene()
        if scene.parts or scene.fixtures:
            floor_map_of(scene, list(self._places()))

    def _places(self) -> Iterator[list[float]]:
        """Where ways start that do not say from where."""
        look = self._reader.look_at(BASE_LOOK) or self._reader.look_at(None)
        if look is not None and look.world_T_camera is not None:
            yield look.world_T_camera.translation.tolist()
