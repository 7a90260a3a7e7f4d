"""From messages to committed frames: one thread, one assembler, one memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
import threading
from typing import Any

from st_memory.conversions.assembler import FrameAssembler
from st_memory.conversions.assembly_settings import AssemblerSettings
from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.core.errors import EditError, StMemoryError
from st_memory.core.memory import MemorySettings
from st_memory.core.records import Scene, SensedFrame
from st_memory.core.visibility import VisibilityPreset
from st_memory.ros.backlog import Backlog, Told, ToTell
from st_memory.ros.guard import guarded
from st_memory.ros.ingest_figures import IngestFigures
from st_memory.ros.ingest_listener import IngestListener, IngestProgress
from st_memory.ros.live_fold import LiveFold, Tell
from st_memory.ros.live_store import LiveStore

__all__ = ['Ingest', 'IngestListener', 'IngestProgress']

_PROGRESS_EVERY = 32


class Ingest:
    """
    Fold what is received into the store, off the threads that receive.

    Messages are taken in the order they are handed in. A frame is seen by questions and
    listeners once it is on disk. Whatever goes wrong with one message or frame costs only that:
    the memory goes on from the last committed frame.

    Parameters
    ----------
    store : LiveStore
        Opened for writing; an earlier memory in it is gone on with.
    memory_settings : MemorySettings
        Numbers of the fold.
    visibility : VisibilityPreset
        Rules of the visibility verdict.
    assembler_settings : AssemblerSettings
        Numbers of the assembly; ``roles`` are taken from ``expected_roles``.
    expected_roles : callable
        Gives the roles that are known to be delivered; asked at the first message.
    listener : IngestListener
        Who is told.
    scene : Scene, optional
        Counts instead of what comes as markers.
    ray_caster : str
        Name of the ray caster.
    capacity : int
        Messages that may wait. Beyond it sensor data is dropped and counted; transforms, scenes
        and movements only beyond a hundred times as many.

    Attributes
    ----------
    figures : IngestFigures
        What it measures of itself.
    capacity : int
        As given.

    """

    def __init__(
        self,
        store: LiveStore,
        memory_settings: MemorySettings,
        visibility: VisibilityPreset,
        assembler_settings: AssemblerSettings,
        expected_roles: Callable[[], tuple[TopicRole, ...]],
        listener: IngestListener,
        capacity: int = 1000,
        *,
        scene: Scene | None = None,
        ray_caster: str = 'embree',
    ) -> None:
        self._store = store
        self._fold = LiveFold(store, memory_settings, visibility, ray_caster)
        self._assembler_settings = assembler_settings
        self._expected_roles = expected_roles
        self._listener = listener
        self._backlog = Backlog(capacity)
        self.capacity = capacity
        self._problems: Counter[str] = Counter()
        self.figures = IngestFigures()
        self._assembler: FrameAssembler | None = None
        self._given_scene = scene
        self._num_messages = 0
        self._num_dropped = 0  # written by the receiving thread, the other by the ingest's
        self._num_frames = 0
        self._thread = threading.Thread(target=self._run, name='ingest', daemon=True)

    @property
    def counters(self) -> Mapping[str, int]:
        """What could not be used, by reason."""
        assembled = self._assembler.counters if self._assembler is not None else {}
        counted = Counter(assembled) + self._problems + Counter(self._fold.counters)
        return dict(sorted(counted.items()))

    @property
    def progress(self) -> IngestProgress:
        """How far it is."""
        num_messages = self._num_messages + self._num_dropped
        return IngestProgress(num_messages, self._num_frames, self._store.now())

    @property
    def on_probation(self) -> Mapping[str, int]:
        """Matches of what is not believed in yet, by label."""
        return self._fold.on_probation

    @property
    def num_queued(self) -> int:
        """Messages that wait to be taken."""
        return len(self._backlog)

    @property
    def num_waiting(self) -> int:
        """Frames that wait for what is missing, such as a transform."""
        return self._assembler.num_pending if self._assembler is not None else 0

    def start(self) -> None:
        """Begin to take messages."""
        self._thread.start()

    def put(self, role: TopicRole, message: Any) -> None:
        """Hand in a message; never blocks."""
        if not self._backlog.put(role, message):
            self._num_dropped += 1
            self._problem('backlog', f'{role.kind.value} dropped: the memory is too slow')

    def tell(self, tell: Tell, told: Told) -> None:
        """
        Fold in what no topic brings, after all that was handed in before.

        Parameters
        ----------
        tell : callable
            Folds one frame with the memory and commits it to the store; an ``EditError`` says
            that it has changed nothing.
        told : callable
            Told the frame once it is on disk, or what went wrong; on the ingest's thread.

        """
        self._backlog.tell(tell, told)

    def stop(self, timeout_s: float = 1.5) -> bool:
        """
        Take what was handed in, commit the frames that still wait, and end the thread.

        Returns
        -------
        bool
            False if that was not done in time; the thread then ends with the process.

        """
        self._backlog.end()
        if self._thread.is_alive():
            self._thread.join(timeout_s)
        is_done = not self._thread.is_alive()
        for late in self._backlog.take_late() if is_done else ():
            late.told(EditError('the memory is being stopped'))
        return is_done

    def _run(self) -> None:
        take = guarded(self._take, self._report)
        finish = guarded(self._finish, self._report)
        for item in self._backlog.take_all():
            if isinstance(item, ToTell):
                self._tell(*item)
                continue
            take(*item)
            self._num_messages += 1
            if self._backlog.is_empty or self._num_messages % _PROGRESS_EVERY == 0:
                guarded(self._listener.on_progress, self._report)(self.progress)
        finish()

    def _take(self, role: TopicRole, message: Any) -> None:
        assembler = self._assembler
        if assembler is None:
            settings = replace(self._assembler_settings, roles=self._expected_roles())
            assembler = self._assembler = FrameAssembler(settings, self._given_scene or Scene())
            if self._given_scene is not None:
                self._fold.use_scene(self._given_scene)
        if role.kind is TopicKind.SCENE and self._given_scene is not None:
            return
        self.figures.take(role, message)
        try:
            frames = assembler.push(role, message)
        except StMemoryError as error:
            self.figures.refuse(role, str(error))
            self._problem('unusable_message', str(error))
            return
        if role.kind in (TopicKind.SCENE, TopicKind.MESH):
            self._fold.use_scene(assembler.scene)
        self._integrate_all(frames)

    def _finish(self) -> None:
        self._integrate_all(self._assembler.flush() if self._assembler is not None else ())
        self._listener.on_progress(self.progress)

    def _integrate_all(self, frames: Sequence[SensedFrame]) -> None:
        for frame in frames:
            guarded(self._integrate, self._report)(frame)

    def _integrate(self, frame: SensedFrame) -> None:
        self.figures.begin(frame)
        delta = self._fold.integrate(frame)
        if delta is None:
            self._problem('late_frame', f'a frame at {frame.stamp_ns} ns came too late')
            return
        self._num_frames += 1
        self.figures.commit(frame)
        guarded(self._listener.on_commit, self._report)(delta)

    def _tell(self, tell: Tell, told: Told) -> None:
        try:
            delta = self._fold.tell(tell)
        except Exception as error:  # noqa: BLE001 - whoever asked is told
            told(error)
            return
        self._num_frames += 1
        guarded(self._listener.on_commit, self._report)(delta)
        guarded(self._listener.on_progress, self._report)(self.progress)
        told(delta)

    def _problem(self, reason: str, text: str) -> None:
        self._problems[reason] += 1
        self._listener.on_problem(reason, text)

    def _report(self, error: Exception) -> None:
        self._problem('internal_error', f'{type(error).__name__}: {error}')
