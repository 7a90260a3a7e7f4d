"""The services that keep a memory safe and say what is wrong with what it is given."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future as ThreadFuture
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TYPE_CHECKING

from st_memory_interfaces.msg import DoctorFinding
from st_memory_interfaces.srv import Doctor, Snapshot

from st_memory.core.errors import StoreError
from st_memory.core.queries import Answer
from st_memory.core.records import AnswerStatus
from st_memory.doctor import Finding, live_findings, LiveInputs, object_findings
from st_memory.ros.live_store import LiveStore
from st_memory.ros.question_context import moment_of
from st_memory.ros.responses import fitting_messages, write_common
from st_memory.ros.telling import later
from st_memory.storage import SqliteMemoryStore
from st_memory.storage.snapshots import (
    checkpoint_file,
    snapshot_path,
    write_snapshot,
)
from st_memory.storage.snapshots import Snapshot as Written

if TYPE_CHECKING:
    from rclpy.node import Node

__all__ = ['UpkeepServices']

Service = tuple[Any, Callable[[Any, Any], Coroutine[Any, Any, None]]]


class UpkeepServices:
    """
    ``~/snapshot`` and ``~/doctor``.

    Parameters
    ----------
    node : Node
        Whose executor waits for the disk.
    store : LiveStore
        The memory.
    file : SqliteMemoryStore
        The file that it is in.
    folder : str
        The one folder that snapshots are written to; '' for none.
    inputs : callable
        Gives what the node receives just now.
    max_bytes : int
        Largest response; findings are cut to it.

    """

    def __init__(
        self,
        node: Node,
        store: LiveStore,
        file: SqliteMemoryStore,
        folder: str,
        inputs: Callable[[], LiveInputs],
        max_bytes: int,
    ) -> None:
        self._node = node
        self._store = store
        self._file = file
        self._folder = folder
        self._inputs = inputs
        self._max_bytes = max_bytes
        self._copier = ThreadPoolExecutor(1, 'snapshot')
        self.services: Mapping[str, Service] = {
            'snapshot': (Snapshot, self._snapshot),
            'doctor': (Doctor, self._doctor),
        }

    def stop(self) -> None:
        """Finish the copy that is being made, and make no more."""
        self._copier.shutdown(wait=True, cancel_futures=True)

    async def _snapshot(self, request: Any, response: Any) -> None:
        work, what = self._snapshot_work(request)
        done, finish = later(self._node)

        def end(made: ThreadFuture[Written]) -> None:
            if made.cancelled():
                finish(StoreError('snapshot: the memory is being closed'))
            else:
                finish(made.exception() or made.result())

        self._copier.submit(work).add_done_callback(end)
        written: Written = await done
        view = self._store.view()
        sentence = f'{what} {written.path}, {written.num_bytes} bytes.'
        write_common(response, Answer(AnswerStatus.KNOWN, '', sentence, view.now()), view)
        response.path = str(written.path)
        response.num_bytes = written.num_bytes
        response.sha256 = written.sha256

    def _snapshot_work(self, request: Any) -> tuple[Callable[[], Written], str]:
        """Check a request before anything is written."""
        if request.action == Snapshot.Request.CHECKPOINT:
            if request.path:
                raise StoreError(
                    f'path: expected none for action 0 (CHECKPOINT), got {request.path[:80]!r}; '
                    'action 1 (EXPORT) makes a copy'
                )
            return (lambda: checkpoint_file(self._file)), 'Everything up to now is on disk in'
        if request.action != Snapshot.Request.EXPORT:
            raise StoreError(
                f'action: expected 0 (CHECKPOINT) or 1 (EXPORT), got {request.action}'
            )
        path = snapshot_path(self._folder, request.path)
        at = moment_of(self._store.view(), request.at)
        return (lambda: write_snapshot(self._file, path, at)), 'The memory was copied to'

    async def _doctor(self, request: Any, response: Any) -> None:
        view = self._store.view()
        at = moment_of(view, request.at)
        if at is None:
            found = live_findings(self._inputs(), view, request.subject)
        elif request.subject:
            found = object_findings(view, request.subject, at)
        else:
            raise StoreError(
                'at: expected 0, or an object as subject: what is received is known of now alone'
            )
        write_common(response, _diagnosis(found, at or view.now()), view)
        messages = [
            DoctorFinding(
                severity=int(f.severity),
                code=f.code,
                subject=f.subject,
                message=f.message,
                remedy=f.remedy,
            )
            for f in found
        ]
        response.findings = fitting_messages(response, messages, self._max_bytes)


def _diagnosis(found: tuple[Finding, ...], at: Any) -> Answer:
    if not found:
        return Answer(AnswerStatus.KNOWN, '', 'Nothing wrong was found.', at)
    first = found[0]
    more = f' ({len(found)} findings in all)' if len(found) > 1 else ''
    sentence = f'{first.message[:1].upper()}{first.message[1:]}{more}.'
    return Answer(AnswerStatus.KNOWN, '', sentence, at)
