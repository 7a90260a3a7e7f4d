"""The scene of a running memory, as one object for all who ask."""

from __future__ import annotations

from collections.abc import Callable
import threading

from st_memory.core.records import Scene

__all__ = ['KeptScene']


class KeptScene:
    """
    The scene, read once: meshes are large, and every question about furniture wants them.

    Parameters
    ----------
    read : callable
        Reads it from where it is kept.

    """

    def __init__(self, read: Callable[[], Scene]) -> None:
        self._read = read
        self._lock = threading.Lock()  # what is made of a scene is kept by which object it is
        self._scene: Scene | None = None

    def __call__(self) -> Scene:
        """Give it; the same object until it is forgotten."""
        with self._lock:
            if self._scene is None:
                self._scene = self._read()
            return self._scene

    def forget(self) -> None:
        """Read it anew when it is asked for."""
        with self._lock:
            self._scene = None
