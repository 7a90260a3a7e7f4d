"""Fold the frames of a source into a store, from wherever the store left off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from st_memory.core.errors import StoreError
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.ports import Checkpoint, FrameSource, MemoryStore, RayCaster
from st_memory.core.records import SensedFrame
from st_memory.core.stamps import Moment
from st_memory.core.visibility import VisibilityPreset

__all__ = ['ReplayProgress', 'ReplayReport', 'replay']

ReplayProgress = Callable[[int, Moment], None]
"""Called after each frame with the number of frames gone through and the frame's moment."""


@dataclass(frozen=True)
class ReplayReport:
    """
    What a replay did.

    Parameters
    ----------
    source : str
        Name of the source.
    num_frames : int
        Frames integrated in this run.
    num_resumed : int
        Frames passed over because the store already held them.
    first, last : Moment, optional
        Range of what the store now holds; None for an empty memory.
    source_counters : mapping of str to int
        What the source did not turn into frames, by reason.
    memory_counters : mapping of str to int
        What became of the detections of the newest epoch, by outcome.

    """

    source: str
    num_frames: int
    num_resumed: int
    first: Moment | None
    last: Moment | None
    source_counters: Mapping[str, int] = field(default_factory=dict)
    memory_counters: Mapping[str, int] = field(default_factory=dict)


def replay(
    source: FrameSource,
    store: MemoryStore,
    settings: MemorySettings,
    caster: RayCaster | None = None,
    progress: ReplayProgress | None = None,
    visibility: VisibilityPreset | None = None,
) -> ReplayReport:
    """
    Drive ``store.commit(memory.integrate(frame))`` over all frames of a source.

    A store that already holds the beginning of the same source is gone on with; the result is
    the same as that of a run that was never interrupted.

    Parameters
    ----------
    source : FrameSource
        Where the frames and the scene come from.
    store : MemoryStore
        Where the memory is kept.
    settings : MemorySettings
        Numbers of the fold; those of the first run when one is gone on with.
    caster : RayCaster, optional
        The scene's meshes, for occlusion; None when there are none.
    progress : callable, optional
        Called after each frame.
    visibility : VisibilityPreset, optional
        Rules of the visibility verdict; by default those that ``settings`` names.

    Returns
    -------
    ReplayReport
        Counts of the run.

    Raises
    ------
    StoreError
        If the store holds frames that the source does not begin with, or cannot be written.

    """
    scene = source.scene
    resumed = _Resumption(source.name, store.checkpoint())
    if resumed.checkpoint is None:
        store.put_scene(scene)
    memory = ObjectMemory(settings, scene, caster, resumed.checkpoint, visibility)
    num_frames = 0
    for frame in source.frames():
        moment = Moment(frame.epoch, frame.stamp_ns)
        if not resumed.holds(frame):
            store.commit(memory.integrate(frame))
            num_frames += 1
        if progress is not None:
            progress(resumed.num_held + num_frames, moment)
    resumed.finish()
    epochs = store.epochs()
    return ReplayReport(
        source=source.name,
        num_frames=num_frames,
        num_resumed=resumed.num_held,
        first=store.first_moment(epochs[0]) if epochs else None,
        last=store.now(),
        source_counters=dict(source.counters()),
        memory_counters=memory.counters,
    )


class _Resumption:
    """Passes over the frames that a store holds, and insists that they are the source's own."""

    def __init__(self, source: str, checkpoint: Checkpoint | None) -> None:
        self.checkpoint = checkpoint
        self.num_held = 0
        self._source = source
        self._newest = (
            Moment(checkpoint.frame.epoch, checkpoint.frame.stamp_ns) if checkpoint else None
        )
        self._is_checked = checkpoint is None

    def holds(self, frame: SensedFrame) -> bool:
        """Whether the store has this frame."""
        moment = Moment(frame.epoch, frame.stamp_ns)
        if self._newest is None or moment > self._newest:
            self._check()
            return False
        self.num_held += 1
        if moment == self._newest:
            self._check()
        return True

    def finish(self) -> None:
        """Check a source that ended before its first new frame."""
        self._check()

    def _check(self) -> None:
        """Compare the number of frames passed over with the number that the store holds."""
        if self._is_checked or self.checkpoint is None:
            return
        expected = self.checkpoint.frame.seq + 1
        if self.num_held != expected:
            raise StoreError(
                f'{self._source}: the memory holds {expected} frames up to {self._newest}, but '
                f'{self.num_held} of this source lie there: it is the memory of something else, '
                'or a person has edited it since'
            )
        self._is_checked = True
