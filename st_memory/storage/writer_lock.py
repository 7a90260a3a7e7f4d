"""At most one writer a memory file, over all threads and processes."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from st_memory.core.errors import StoreError

__all__ = ['BEING_WRITTEN', 'WriterLock']

BEING_WRITTEN = (
    'another writer has this memory open; a node that writes it takes edits itself (~/edit_object '
    'and ~/rebase), questions are answered meanwhile, all else waits until it has ended'
)


class WriterLock:
    """
    An advisory lock on ``<file>-lock``, held until :meth:`release` or the end of the process.

    The lock is on a file of its own: closing any descriptor of the database itself would drop
    the locks that SQLite holds in this process.

    Raises
    ------
    StoreError
        If another writer holds the lock, or the file cannot be made.

    """

    def __init__(self, path: Path) -> None:
        self._name = path.with_name(path.name + '-lock')
        self._descriptor: int | None = None
        while self._descriptor is None:
            self._descriptor = self._try(path)

    def _try(self, path: Path) -> int | None:
        """Take the lock once; None when its file was removed meanwhile by the last holder."""
        try:
            descriptor = os.open(self._name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as err:
            raise StoreError(f'{path}: cannot be opened for writing: {err.strerror}') from err
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), os.stat(self._name)):
                return descriptor
        except BlockingIOError as err:
            os.close(descriptor)
            raise StoreError(f'{path}: {BEING_WRITTEN}') from err
        except FileNotFoundError:
            pass  # unlinked between open and stat: try again
        os.close(descriptor)
        return None

    def release(self) -> None:
        """Let the next writer in; harmless when done twice."""
        if self._descriptor is not None:
            self._name.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = None
