"""Take objects over into the epoch that a rebase opens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.places import Places
from st_memory.core.memory.said import Said
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.memory.unions import Unions
from st_memory.core.records import CarriedObject, Placement, Rebase, RebaseKind
from st_memory.core.records.edits import HUMAN

__all__ = ['carry_over']


def carry_over(
    before: FoldState,
    before_epoch: int | None,
    rebase: Rebase,
    settings: MemorySettings,
    unions: Unions,
    places: Places,
    out: DeltaBuilder,
) -> FoldState:
    """
    Fill a new epoch with what was known before.

    Parameters
    ----------
    before : FoldState
        State of the epoch that ends; its objects are taken over with all their counters.
    before_epoch : int, optional
        That epoch.
    rebase : Rebase
        What becomes of each object. One that it brings from another epoch is known by its public
        state alone.
    settings : MemorySettings
        Numbers of the fold.
    unions : Unions
        Puts together what turned out to be one.
    places : Places
        Fixtures; they stay where they are when cameras turn out to have been elsewhere. After a
        change of the origin objects keep the fixtures that they had.
    out : DeltaBuilder
        Receives the rows of the new epoch.

    Returns
    -------
    FoldState
        State of the new epoch. No camera has looked yet, nothing is on probation.

    """
    state = FoldState.after(before, settings)
    for carried in rebase.objects:
        track = before.tracks.get(carried.source_id)
        if carried.source_epoch != before_epoch or track is None:
            track = _track_of(carried, rebase)
        _enter(track, carried, rebase, places, out)
        state.add(track)
    state.name_living()
    _retell(rebase, out)
    for kept_id, other_id in rebase.merged:
        kept, other = state.tracks[kept_id], state.tracks[other_id]
        if kept.external_id and other.external_id and kept.external_id != other.external_id:
            continue  # a tracker says that they are two
        unions.merge(kept, other, state, out)
        roles = [('object', kept_id), ('merged', other_id)]
        detail = f'{other_id} is {kept_id}, as the corrected map shows'
        out.event('merged', out.stamp_ns, out.stamp_ns, roles, detail=detail)
    return state


def _enter(
    track: Track, carried: CarriedObject, rebase: Rebase, places: Places, out: DeltaBuilder
) -> None:
    """Put an object where it is now, and tell its stays again."""
    before = track.mean
    track.object_id = carried.object_id
    _move(track, carried.new_T_old)
    if rebase.kind is RebaseKind.NEW_ORIGIN:
        _move_carrier(track, carried.new_T_old)
    elif track.mean != before:
        places.attribute(track)
    track.views.clear()
    track.missed_from = []
    track.placed_ns = None
    for stay in _tellable(carried, out):
        if stay.end_ns is None and not track.in_motion:
            track.placed_ns = stay.start_ns
            out.placement(track)
        else:
            out.placement_row(stay)
    out.touched.add(track.object_id)


def _tellable(carried: CarriedObject, out: DeltaBuilder) -> Iterator[Placement]:
    """
    Give the stays as rows of the new epoch.

    The clock may have been set back since: a stay that began later than now began now, and one
    that also ended is left out.
    """
    for stay in carried.placements:
        if stay.start_ns > out.stamp_ns and stay.end_ns is not None:
            continue
        yield replace(
            stay,
            object_id=carried.object_id,
            epoch=out.epoch,
            start_ns=min(stay.start_ns, out.stamp_ns),
            recorded_ns=out.stamp_ns,
        )


def _move(track: Track, new_T_old: RigidTransform) -> None:
    """Take all places of an object to where they are now."""
    if new_T_old == RigidTransform.identity():
        return
    for name in ('mean', 'last_fix', 'sure_fix', 'first_fix'):
        place = getattr(track, name)
        if place is not None:
            setattr(track, name, new_T_old.apply(np.array(place)).tolist())
    track.trail = [(stamp, new_T_old.apply(np.array(fix)).tolist()) for stamp, fix in track.trail]
    box = new_T_old @ RigidTransform(np.zeros(3), np.array(track.quat))
    if not np.array_equal(new_T_old.quat_xyzw, RigidTransform.identity().quat_xyzw):
        track.quat = box.quat_xyzw.tolist()


def _move_carrier(track: Track, new_T_old: RigidTransform) -> None:
    """Take the part that an object lies in along."""
    if track.carrier_pose:
        pose = RigidTransform(np.array(track.carrier_pose[:3]), np.array(track.carrier_pose[3:]))
        moved = new_T_old @ pose
        track.carrier_pose = [*moved.translation.tolist(), *moved.quat_xyzw.tolist()]


def _track_of(carried: CarriedObject, rebase: Rebase) -> Track:
    """Make an object of what is publicly known of it."""
    state = carried.state
    told = [
        e
        for e in rebase.events
        if e.source == HUMAN and carried.source_id in dict(e.roles).values()
    ]
    track = Track(
        carried.object_id,
        carried.object_id if carried.is_named else '',
        label_votes={state.label: max(1.0, float(state.num_observations))},
        aliases=list(state.aliases),
        life_cycle=state.life_cycle,
        mean=None if state.world_p is None else [*state.world_p],
        num_fixes=max(1, state.num_observations),
        variance=state.position_sigma_m**2,
        size=[*state.size_m],
        num_sizes=int(any(state.size_m)),
        quat=[*state.quat_xyzw],
        last_fix=None if state.world_p is None else [*state.world_p],
        last_fix_ns=state.last_seen_ns,
        placement_source=carried.placements[-1].source if carried.placements else '',
        fixture_id=state.fixture_id,
        fixture_alternatives=list(state.fixture_alternatives),
        container_id=state.container_id,
        num_moves=state.num_moves,
        last_placed_ns=state.last_placed_ns,
        placed_by=state.placed_by,
        first_seen_ns=state.first_seen_ns,
        first_fix=None if state.world_p is None else [*state.world_p],
        last_seen_ns=state.last_seen_ns,
        last_visible_ns=state.last_visible_ns,
        num_observations=state.num_observations,
        score_sum=float(state.num_observations),
        expected_looks=state.num_observations,
    )
    if any(e.event_type in ('marked', 'renamed') for e in told):
        track.said = Said(label=state.label)
    last = [e.event_type for e in told if e.event_type in ('forgotten', 'restored')][-1:]
    if last == ['forgotten']:
        track.said = replace(track.said or Said(), is_forgotten=True)
        track.said.external_id, track.external_id = track.external_id, ''
    return track


def _retell(rebase: Rebase, out: DeltaBuilder) -> None:
    """Tell what had happened, and that the map has changed."""
    for event in rebase.events:
        if event.event_type == 'rebased' or event.start_ns > out.stamp_ns:
            continue
        out.event_row(replace(event, epoch=out.epoch, recorded_ns=out.stamp_ns))
    roles = [
        ('epoch', str(out.epoch)),
        ('from_epoch', str(rebase.from_epoch)),
        ('kind', rebase.kind.name.lower()),
    ]
    clause = rebase.describe()
    detail = f'{clause}: {rebase.note}' if rebase.note else clause
    out.event('rebased', out.stamp_ns, out.stamp_ns, roles, source=HUMAN, detail=detail)
