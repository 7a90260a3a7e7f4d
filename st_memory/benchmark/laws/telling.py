"""Frames of a source with what people say in between, as a running node would take them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from st_memory.core.geometry import RigidTransform
from st_memory.core.geometry.pose_track import PoseTrack
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.memory.corrected_trajectory import CorrectedTrajectory
from st_memory.core.memory.rebase import plan_correction, plan_new_origin
from st_memory.core.ports import FrameSource, MemoryStore
from st_memory.core.records import Edit, EditAction, Rebase, SensedFrame

__all__ = ['live']

_EDIT_SHARE = 0.06
_NUM_REBASES = 2


def live(
    source: FrameSource, memory: ObjectMemory, store: MemoryStore, rng: Generator
) -> Iterator[SensedFrame]:
    """
    Fold a source twice over into a memory, and tell it something at random frames.

    The second time opens another epoch, as a clock that jumps back does.

    Parameters
    ----------
    source : FrameSource
        The frames.
    memory : ObjectMemory
        The fold, with the source's scene.
    store : MemoryStore
        Where it is kept.
    rng : Generator
        Says when what is told.

    Yields
    ------
    SensedFrame
        Every frame that was folded, right after its commit.

    """
    frames = list(source.frames())
    last = frames[-1].epoch + 1
    again = [replace(frame, epoch=frame.epoch + last) for frame in frames]
    frames += again
    rebases = set(rng.choice(len(frames), min(_NUM_REBASES, len(frames)), replace=False).tolist())
    shift = 0
    for index, frame in enumerate(frames):
        yield _fold(replace(frame, epoch=frame.epoch + shift), memory, store)
        now = memory.now
        if now is None:
            continue
        if index in rebases:
            plan = _change(store, rng)
            shift += 1
            moved = SensedFrame(now.stamp_ns + 1, now.epoch + 1, rebase=plan)
            yield _fold(moved, memory, store)
        elif rng.random() < _EDIT_SHARE:
            edit = _said(store, rng)
            if edit is not None and not memory.refusal(edit):
                yield _fold(SensedFrame(now.stamp_ns + 1, now.epoch, edits=(edit,)), memory, store)


def _fold(frame: SensedFrame, memory: ObjectMemory, store: MemoryStore) -> SensedFrame:
    store.commit(memory.integrate(frame))
    return frame


def _said(store: MemoryStore, rng: Generator) -> Edit | None:
    """Give something that somebody might say of an object."""
    names = [s.object_id for s in store.objects_at()]
    action = EditAction(int(rng.integers(len(EditAction))))
    x, y, z = rng.uniform(-1.0, 1.0, 3).tolist()
    if action is EditAction.MARK and rng.random() < 0.5:
        return Edit(action, label='marked thing', world_p=(x, y, z), note='it is there')
    if len(names) < 2:
        return None
    one, other = rng.choice(names, 2, replace=False).tolist()
    if action is EditAction.MARK:
        return Edit(action, one, world_p=(x, y, z))
    if action is EditAction.RENAME:
        return Edit(action, one, label=f'the {one}', note='so it is called')
    if action in (EditAction.MERGE, EditAction.SPLIT):
        return Edit(action, one, other)
    return Edit(action, one)


def _change(store: MemoryStore, rng: Generator) -> Rebase:
    """Give a change of the map: another origin, or a trajectory that was a little off."""
    step = RigidTransform(rng.uniform(-0.1, 0.1, 3), np.array([0.0, 0.0, 0.0, 1.0]))
    if rng.random() < 0.5:
        return plan_new_origin(store, step, MemorySettings(), 'a new map')
    poses: dict[str, PoseTrack] = {}
    for look in store.looks(None):
        if look.world_T_camera is not None:
            track = poses.setdefault(look.camera_id, PoseTrack())
            track.insert(look.stamp_ns, step @ look.world_T_camera)
    camera = sorted(poses)[-1] if poses else ''
    trajectory = CorrectedTrajectory(poses.get(camera, PoseTrack()), frame=camera)
    return plan_correction(store, trajectory, MemorySettings(), 'a loop was closed')
