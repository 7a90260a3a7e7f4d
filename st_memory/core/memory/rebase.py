"""
Work out what a change of the map makes of a memory, before anything is changed.

A plan is made from a reader alone, so that it can be shown first (``dry_run``), and is then
carried into the fold as ``SensedFrame.rebase``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from st_memory.core.errors import EditError
from st_memory.core.geometry import RigidTransform
from st_memory.core.memory.corrected_trajectory import CorrectedTrajectory
from st_memory.core.memory.duplicates import at_one_place, fallen_together
from st_memory.core.memory.lineage import end_of, parent_of
from st_memory.core.memory.reprojection import Reprojection
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.ports import MemoryReader
from st_memory.core.records import (
    CarriedObject,
    Event,
    LifeCycle,
    ObjectState,
    Placement,
    Rebase,
    RebaseKind,
)

__all__ = ['plan_correction', 'plan_new_origin', 'unanchored_epoch']

# Rounding alone makes no change of a place.
_UNMOVED_M = 1e-9


def unanchored_epoch(reader: MemoryReader) -> int | None:
    """
    Give the earlier epoch whose map has not been brought together with the newest one.

    Returns
    -------
    int or None
        The newest earlier epoch that holds objects; None when the newest epoch is the first one,
        or was opened by a rebase.

    """
    now = reader.now()
    if now is None or parent_of(reader, now.epoch) is not None:
        return None
    earlier = (epoch for epoch in reversed(reader.epochs()) if epoch < now.epoch)
    return next((epoch for epoch in earlier if reader.objects_at(end_of(epoch))), None)


def plan_new_origin(
    reader: MemoryReader, new_T_old: RigidTransform, settings: MemorySettings, note: str = ''
) -> Rebase:
    """
    Plan for a fixed frame with another origin.

    When objects are known from an earlier epoch only, because the memory was started anew or the
    clock jumped, it is their map that is meant: they are brought into the newest epoch's frame,
    whose own objects stay where they are; what then lies at one place under one name is one
    thing. Else all objects of the newest epoch are moved.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    new_T_old : RigidTransform
        Takes places in the old frame to places in the new one; the identity says that the two
        maps are the same.
    settings : MemorySettings
        Numbers of the fold.
    note : str
        Why.

    Raises
    ------
    EditError
        If the memory is empty.

    """
    epoch = _newest_epoch(reader)
    earlier = unanchored_epoch(reader)
    if earlier is None:
        objects = [_moved(reader, s, epoch, new_T_old) for s in reader.objects_at()]
        events = reader.events()
        merged: list[tuple[str, str]] = []
    else:
        objects = [
            _moved(reader, s, earlier, new_T_old) for s in reader.objects_at(end_of(earlier))
        ]
        ours = _renamed(reader.objects_at(), {o.object_id for o in objects})
        unmoved = RigidTransform.identity()
        here = [_moved(reader, s, epoch, unmoved, name) for name, s in ours.items()]
        merged = at_one_place(objects, here, settings)
        names = {s.object_id: name for name, s in ours.items()}
        events = (*reader.events(end_of(earlier)), *_with_names(reader.events(), names))
        objects += here
    return _plan(RebaseKind.NEW_ORIGIN, epoch, objects, merged, events, note)


def plan_correction(
    reader: MemoryReader,
    trajectory: CorrectedTrajectory,
    settings: MemorySettings,
    note: str = '',
) -> Rebase:
    """
    Plan for cameras that were elsewhere than thought, as a loop closure finds out.

    Every stay is projected anew from what was measured in the frames of the cameras. What the
    trajectory does not cover is left where it was, and counted. Objects that fall together, and
    never were in one look, are one thing seen from two sides of the drift.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    trajectory : CorrectedTrajectory
        Where the cameras have been.
    settings : MemorySettings
        Numbers of the fold.
    note : str
        Why.

    Raises
    ------
    EditError
        If the memory is empty.

    """
    epoch = _newest_epoch(reader)
    anew = Reprojection(reader, trajectory, settings)
    states = reader.objects_at()
    objects = [_corrected(anew, state, epoch) for state in states]
    for state in states:
        if state.life_cycle is not LifeCycle.RETIRED:
            anew.count(state, epoch)
    merged = fallen_together(anew, objects, epoch, settings)
    plan = _plan(RebaseKind.CORRECTED_TRAJECTORY, epoch, objects, merged, reader.events(), note)
    return replace(plan, num_observations=anew.num_observations, num_left=anew.num_left)


def _newest_epoch(reader: MemoryReader) -> int:
    now = reader.now()
    if now is None:
        raise EditError('rebase: expected a memory that holds something, this one is empty')
    return now.epoch


def _plan(
    kind: RebaseKind,
    epoch: int,
    objects: Iterable[CarriedObject],
    merged: Iterable[tuple[str, str]],
    events: Iterable[Event],
    note: str,
) -> Rebase:
    ordered = tuple(sorted(objects, key=lambda o: o.object_id))
    shifts = [_shift_m(o) for o in ordered if o.state.life_cycle is not LifeCycle.RETIRED]
    return Rebase(
        kind,
        epoch,
        ordered,
        tuple(merged),
        tuple(events),
        num_objects=sum(shift > _UNMOVED_M for shift in shifts),
        max_shift_m=max(shifts, default=0.0),
        note=note,
    )


def _shift_m(carried: CarriedObject) -> float:
    if carried.state.world_p is None:
        return 0.0
    before = np.array(carried.state.world_p)
    return float(np.linalg.norm(carried.new_T_old.apply(before) - before))


def _moved(
    reader: MemoryReader,
    state: ObjectState,
    epoch: int,
    new_T_old: RigidTransform,
    name: str = '',
) -> CarriedObject:
    """Move an object and its stays as a whole."""
    stays = tuple(
        replace(stay, object_id=name or state.object_id, world_p=_at(new_T_old, stay))
        for stay in reader.placements(state.object_id, end_of(epoch))
    )
    seen = reader.observations(state.object_id, end_of(epoch), limit=1)
    is_named = not seen or not seen[0].camera_id
    return CarriedObject(
        name or state.object_id, epoch, state.object_id, state, new_T_old, stays, is_named
    )


def _at(new_T_old: RigidTransform, stay: Placement) -> tuple[float, float, float]:
    x, y, z = new_T_old.apply(np.array(stay.world_p)).tolist()
    return x, y, z


def _corrected(anew: Reprojection, state: ObjectState, epoch: int) -> CarriedObject:
    """Move an object and each of its stays by what its measurements say."""
    stays = anew.reader.placements(state.object_id, end_of(epoch))
    places = [anew.place(state, stay, epoch).world_p for stay in stays]
    turn = anew.turn(state, epoch) or RigidTransform.identity()
    before = None if state.world_p is None else np.array(state.world_p)
    if before is None or state.in_motion or not stays:
        new_T_old = turn
    else:
        last = np.array(stays[-1].world_p) if stays[-1].end_ns is not None else before
        after = before + places[-1] - last
        turned = RigidTransform(np.zeros(3), turn.quat_xyzw)
        new_T_old = RigidTransform(after - turned.apply(before), turn.quat_xyzw)
    moved = tuple(
        replace(stay, world_p=(float(p[0]), float(p[1]), float(p[2])))
        for stay, p in zip(stays, places, strict=True)
    )
    return CarriedObject(state.object_id, epoch, state.object_id, state, new_T_old, moved)


def _renamed(states: Iterable[ObjectState], taken: set[str]) -> dict[str, ObjectState]:
    """Give objects by ids that others do not have."""
    ordered = list(states)
    used = taken | {s.object_id for s in ordered}
    given: dict[str, ObjectState] = {}
    for state in ordered:
        name, number = state.object_id, 1
        while name in taken or (name in used and name != state.object_id):
            number += 1
            name = f'{state.object_id}_{number}'
        used.add(name)
        given[name] = state
    return given


def _with_names(events: Iterable[Event], names: dict[str, str]) -> Iterable[Event]:
    """Let events name objects by their new ids."""
    for event in events:
        roles = tuple((role, names.get(who, who)) for role, who in event.roles)
        yield event if roles == event.roles else replace(event, roles=roles)
