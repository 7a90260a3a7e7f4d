"""The frames of a bag, folded into a store from wherever it left off."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from st_memory.bags import BagFrameSource
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.ports import MemoryStore
from st_memory.core.records import Scene
from st_memory.scene import ray_caster_named

__all__ = ['fold_of', 'go_on']


def fold_of(scene: Scene, store: MemoryStore | None = None) -> ObjectMemory:
    """Give a fold with the default settings that goes on from a store, or knows nothing yet."""
    caster = ray_caster_named('embree', scene) if scene.parts else None
    checkpoint = store.checkpoint() if store is not None else None
    return ObjectMemory(MemorySettings(), scene, caster, checkpoint)


def go_on(bag: Path, store: MemoryStore) -> Iterator[int]:
    """
    Fold what a store does not hold yet.

    Parameters
    ----------
    bag : Path
        The recording.
    store : MemoryStore
        Opened for writing; holds the beginning of the recording, or nothing.

    Yields
    ------
    int
        Number of each frame, after its commit.

    """
    source = BagFrameSource(bag)
    checkpoint = store.checkpoint()
    if checkpoint is None:
        store.put_scene(source.scene)
    memory = fold_of(source.scene, store)
    num_held = 0 if checkpoint is None else checkpoint.frame.seq + 1
    for seq, frame in enumerate(islice(source.frames(), num_held, None), num_held):
        store.commit(memory.integrate(frame))
        yield seq
