"""The fold of a running memory: it goes on from what is on disk, whatever goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from st_memory.core.errors import EditError
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.ports import MemoryStore
from st_memory.core.records import FrameDelta, Scene, SensedFrame
from st_memory.core.stamps import Moment
from st_memory.core.visibility import VisibilityPreset
from st_memory.ros.scenes import caster_of, is_same_scene

__all__ = ['LiveFold', 'Tell']

Tell = Callable[[ObjectMemory, MemoryStore], FrameDelta]
"""Folds one frame and commits it; an ``EditError`` says that nothing was changed."""

# What happens all the time, and costs nothing; looks without a pose are counted as such already.
_BENIGN = frozenset(('candidates_dropped', 'edit', 'merges', 'no_pose', 'world_detection'))


class LiveFold:
    """
    Fold frames into a store, one at a time.

    Until a frame is on disk nothing vouches for the state of the fold: after any error the next
    frame finds it as the last committed one left it.

    Parameters
    ----------
    store : MemoryStore
        Opened for writing; an earlier memory in it is gone on with.
    settings : MemorySettings
        Numbers of the fold.
    visibility : VisibilityPreset
        Rules of the visibility verdict.
    ray_caster : str
        Name of the ray caster.

    Attributes
    ----------
    on_probation : mapping of str to int
        Matches of what is not believed in yet, by label.

    """

    def __init__(
        self,
        store: MemoryStore,
        settings: MemorySettings,
        visibility: VisibilityPreset,
        ray_caster: str = 'embree',
    ) -> None:
        self._store = store
        self._settings = settings
        self._visibility = visibility
        self._ray_caster = ray_caster
        self._scene = store.scene()
        self._memory: ObjectMemory | None = None
        self._epoch_shift: int | None = None
        self._counters: Mapping[str, int] = {}
        self.on_probation: Mapping[str, int] = {}

    @property
    def counters(self) -> Mapping[str, int]:
        """What was detected in this epoch and could not be used as it came, by reason."""
        return {name: n for name, n in self._counters.items() if name not in _BENIGN}

    def use_scene(self, scene: Scene) -> None:
        """Keep a new scene; the memory goes on from its last frame with the new meshes."""
        if is_same_scene(scene, self._scene):
            self._scene = scene  # a stored one knows nothing of joints
            return
        self._store.put_scene(scene)
        self._scene = scene
        self._memory = None

    def integrate(self, frame: SensedFrame) -> FrameDelta | None:
        """Fold and commit what was sensed; None for a frame that comes too late."""
        memory = self._taken()
        placed = self._in_epoch(frame, memory.now)
        delta = None
        if placed is not None:
            delta = memory.integrate(placed)
            self._store.commit(delta)
            self._counters = memory.counters
            self.on_probation = memory.on_probation
        self._memory = memory
        return delta

    def tell(self, tell: Tell) -> FrameDelta:
        """
        Fold and commit what no sensor brings; what is sensed goes on in the epoch that it opens.

        Raises
        ------
        EditError
            If it cannot be done; nothing is changed then.
        StoreError
            If the medium refuses.

        """
        memory = self._taken()
        before = memory.now
        try:
            delta = tell(memory, self._store)
        except EditError:
            self._memory = memory
            raise
        if self._epoch_shift is not None and before is not None:
            self._epoch_shift += delta.frame.epoch - before.epoch
        self._memory = memory
        return delta

    def _taken(self) -> ObjectMemory:
        """Take the fold, or what the store has of it; to be given back when all is on disk."""
        memory, self._memory = self._memory, None
        if memory is not None:
            return memory
        return ObjectMemory(
            self._settings,
            self._scene,
            caster_of(self._scene, self._ray_caster),
            self._store.checkpoint(),
            self._visibility,
        )

    def _in_epoch(self, frame: SensedFrame, now: Moment | None) -> SensedFrame | None:
        """Count epochs on from those that the store held when this process started."""
        if self._epoch_shift is None:
            self._epoch_shift = 0
            if now is not None:
                goes_on = frame.stamp_ns > now.stamp_ns
                self._epoch_shift = now.epoch + (0 if goes_on else 1) - frame.epoch
        moment = Moment(frame.epoch + self._epoch_shift, frame.stamp_ns)
        if now is not None and moment <= now:
            return None
        return replace(frame, epoch=moment.epoch)
