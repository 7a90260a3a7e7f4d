"""Two objects that are one thing, and one object that is two."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.looks import LookRecorder
from st_memory.core.memory.said import Said
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import LifeCycle

__all__ = ['Unions']

# Where it is, and how that is known.
_PLACE = (
    'mean',
    'num_fixes',
    'variance',
    'quat',
    'sunk_m',
    'last_fix',
    'last_fix_ns',
    'sure_fix',
    'sure_fix_ns',
    'is_held',
    'whole_fix',
    'placement_source',
    'fixture_id',
    'fixture_alternatives',
    'container_id',
    'carrier',
    'carrier_pose',
    'last_seen_ns',
    'last_visible_ns',
)
# What is as it was before, once the two are told apart again.
_OWN = (
    *_PLACE,
    'external_id',
    'life_cycle',
    'placed_ns',
    'first_seen_ns',
    'first_fix',
    'appearance',
    'appearance_count',
    'aliases',
    'num_moves',
    'last_placed_ns',
    'placed_by',
)


class Unions:
    """Takes one object into another, and gives it back, because somebody knows better."""

    def __init__(self, settings: MemorySettings, looks: LookRecorder) -> None:
        self._far_m = max(settings.move_distance_m, settings.same_object_m)
        self._looks = looks

    def merge(self, kept: Track, other: Track, state: FoldState, out: DeltaBuilder) -> None:
        """
        Let one object take over another, which is retired; its id goes on to mean the first.

        Where it is, is what was seen last of the two. If one was first seen after the other was
        seen last, and elsewhere, it has been moved.
        """
        kept.doubt = other.doubt = None  # somebody knows better
        kept.said = kept.said or Said()
        kept.said.before[other.object_id] = _snapshot(kept)
        self.close_views(kept, state, out)
        self._take_place(kept, other, out)
        self.retire(other, state, out)
        self._take_history(kept, other)
        for name in other.outside_ids:
            if not kept.external_id:
                kept.external_id = name
            elif name not in kept.outside_ids:
                kept.said.other_ids.append(name)
            state.answer_to(name, kept)
        out.touched.update((kept.object_id, other.object_id))

    def split(self, kept: Track, other: Track, state: FoldState, out: DeltaBuilder) -> None:
        """
        Give back what an object took over.

        The one that was nearer to where the object is now stays there, and has what was seen
        since; the other is where it was before the two were put together.
        """
        self.close_views(kept, state, out)
        kept.doubt = other.doubt = None
        out.placement(kept, end_ns=out.stamp_ns)
        kept.placed_ns = None
        if kept.in_motion and kept.last_fix is not None:
            kept.reset_estimate(np.array(kept.last_fix))
        kept.in_motion, kept.motion_start_ns = False, None
        kept.trail.clear()
        before = {} if kept.said is None else kept.said.before.pop(other.object_id, {})
        own_place = before.get('mean', kept.mean)
        own_is_nearer = _gap(kept.mean, own_place) <= _gap(kept.mean, other.mean)
        if not own_is_nearer:
            _copy_place(kept, other)
        self._give_back(kept, other, before, keep_place=own_is_nearer)
        for name in other.outside_ids:
            if kept.said is not None and name in kept.said.other_ids:
                kept.said.other_ids.remove(name)
            state.answer_to(name, other)
        for name in kept.outside_ids:
            state.answer_to(name, kept)
        for track in (kept, other):
            self.reopen(track, out)

    def retire(self, track: Track, state: FoldState, out: DeltaBuilder) -> None:
        """Close all that is open of an object that is no longer answered for."""
        self.close_views(track, state, out)
        out.placement(track, end_ns=out.stamp_ns)
        track.placed_ns, track.in_motion, track.motion_start_ns = None, False, None
        track.trail.clear()
        track.life_cycle = LifeCycle.RETIRED
        out.touched.add(track.object_id)

    def reopen(self, track: Track, out: DeltaBuilder) -> None:
        """Believe in an object where it was last known to be."""
        track.life_cycle = LifeCycle.CONFIRMED
        track.forget_absence()
        track.misses = 0
        if track.mean is not None and not track.in_motion:
            track.placed_ns = out.stamp_ns
            out.placement(track)
        out.touched.add(track.object_id)

    def close_views(self, track: Track, state: FoldState, out: DeltaBuilder) -> None:
        """Close the visibility intervals of an object."""
        for camera_id, log in sorted(state.logs.items()):
            self._looks.close(track, camera_id, log, out)
        track.views.clear()

    def _take_place(self, kept: Track, other: Track, out: DeltaBuilder) -> None:
        """Write where it is now, and whether it went there."""
        other_is_newer = (other.last_seen_ns or -1) > (kept.last_seen_ns or -1)
        older, newer = (kept, other) if other_is_newer else (other, kept)
        was_moved = (
            newer.first_seen_ns is not None
            and older.last_seen_ns is not None
            and newer.first_seen_ns > older.last_seen_ns
            and _gap(older.mean, newer.mean) > self._far_m
        )
        if kept.mean is None or (other_is_newer and other.mean is not None):
            since_ns = out.stamp_ns if other.placed_ns is None else other.placed_ns
            out.placement(kept, end_ns=since_ns)
            _copy_place(other, kept)
            kept.life_cycle = other.life_cycle
            kept.in_motion, kept.motion_start_ns = other.in_motion, other.motion_start_ns
            kept.trail = list(other.trail)
            kept.forget_absence()
            kept.placed_ns = None if other.placed_ns is None else since_ns
            out.placement(kept)
        if was_moved:
            kept.num_moves += 1
            kept.last_placed_ns, kept.placed_by = newer.first_seen_ns, 'inferred'

    @staticmethod
    def _take_history(kept: Track, other: Track) -> None:
        """Take over what was seen of it."""
        names = {*kept.aliases, *other.aliases, other.object_id, other.label}
        kept.aliases = sorted(names - {kept.object_id, kept.label})
        if other.first_seen_ns is not None and (
            kept.first_seen_ns is None or other.first_seen_ns < kept.first_seen_ns
        ):
            kept.first_seen_ns, kept.first_fix = other.first_seen_ns, other.first_fix
        if (other.last_seen_ns or -1) > (kept.last_seen_ns or -1):
            kept.last_seen_ns = other.last_seen_ns
        if (other.last_visible_ns or -1) > (kept.last_visible_ns or -1):
            kept.last_visible_ns = other.last_visible_ns
        if (other.last_placed_ns or -1) > (kept.last_placed_ns or -1):
            kept.last_placed_ns, kept.placed_by = other.last_placed_ns, other.placed_by
        if not kept.appearance:
            kept.appearance, kept.appearance_count = other.appearance, other.appearance_count
        kept.num_moves += other.num_moves
        kept.num_observations += other.num_observations
        kept.score_sum += other.score_sum
        for label, votes in other.label_votes.items():
            kept.label_votes[label] = kept.label_votes.get(label, 0.0) + votes

    @staticmethod
    def _give_back(kept: Track, other: Track, before: dict[str, Any], *, keep_place: bool) -> None:
        """Make an object what it was, but for what came since."""
        names = {other.object_id, other.label, *other.aliases} - set(before.get('aliases', ()))
        kept.aliases = sorted(set(kept.aliases) - names)
        for name in _OWN:
            if name in before and not (keep_place and name in _PLACE):
                setattr(kept, name, copy.deepcopy(before[name]))
        kept.placed_ns = None
        kept.num_observations = max(0, kept.num_observations - other.num_observations)
        kept.score_sum = max(0.0, kept.score_sum - other.score_sum)
        for label, votes in other.label_votes.items():
            kept.label_votes[label] = max(0.0, kept.label_votes.get(label, 0.0) - votes)
        rest = {name: votes for name, votes in kept.label_votes.items() if votes > 0.0}
        kept.label_votes = rest or {kept.kind: 0.0}


def _snapshot(track: Track) -> dict[str, Any]:
    """Give what an object is, as plain values of its own."""
    return {name: copy.deepcopy(getattr(track, name)) for name in _OWN}


def _copy_place(source: Track, target: Track) -> None:
    for name in _PLACE:
        setattr(target, name, copy.deepcopy(getattr(source, name)))


def _gap(a: list[float] | None, b: list[float] | None) -> float:
    """Distance of two places, metres; none when one is not known."""
    if a is None or b is None:
        return 0.0
    return float(np.linalg.norm(np.array(a) - np.array(b)))
