"""Which objects turn out to be one thing when the map changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from st_memory.core.memory.reprojection import Reprojection
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.records import CarriedObject, LifeCycle

__all__ = ['at_one_place', 'fallen_together']


def fallen_together(
    anew: Reprojection, objects: Sequence[CarriedObject], epoch: int, settings: MemorySettings
) -> list[tuple[str, str]]:
    """Pair objects of one name that were apart, are not now, and never were in one look."""
    pairs = []
    believed = [o for o in objects if _can_be_double(o)]
    for kept, other in _pairs(believed, believed):
        apart_m = _gap_m(kept.state.world_p, other.state.world_p)
        gap_m = _gap_m(_place_now(kept), _place_now(other))
        if gap_m <= settings.same_object_m < apart_m and anew.looks_of(
            kept.state, epoch
        ).isdisjoint(anew.looks_of(other.state, epoch)):
            pairs.append((gap_m, kept, other))
    return _one_each(pairs)


def at_one_place(
    earlier: Sequence[CarriedObject], here: Sequence[CarriedObject], settings: MemorySettings
) -> list[tuple[str, str]]:
    """Pair objects of two epochs that have one name and are at one place."""
    pairs = []
    for kept in filter(_can_be_double, earlier):
        for other in filter(_can_be_double, here):
            gap_m = _gap_m(_place_now(kept), _place_now(other))
            if kept.state.label == other.state.label and gap_m <= settings.same_object_m:
                pairs.append((gap_m, kept, other))
    return _one_each(pairs)


def _pairs(
    some: Sequence[CarriedObject], others: Sequence[CarriedObject]
) -> Iterable[tuple[CarriedObject, CarriedObject]]:
    """Give pairs of one name, the one that was seen first in front."""
    for kept in some:
        for other in others:
            if kept.state.label == other.state.label and _age(kept) < _age(other):
                yield kept, other


def _age(carried: CarriedObject) -> tuple[int, str]:
    return (carried.state.first_seen_ns or 0, carried.object_id)


def _can_be_double(carried: CarriedObject) -> bool:
    state = carried.state
    is_believed = state.life_cycle is LifeCycle.CONFIRMED
    return is_believed and not state.in_motion and state.world_p is not None


def _gap_m(a: object, b: object) -> float:
    return float(np.linalg.norm(np.asarray(a, dtype=float) - np.asarray(b, dtype=float)))


def _one_each(
    pairs: list[tuple[float, CarriedObject, CarriedObject]],
) -> list[tuple[str, str]]:
    """Take the nearest pairs first; an object is in one of them at most."""
    pairs.sort(key=lambda pair: (pair[0], pair[1].object_id, pair[2].object_id))
    taken: set[str] = set()
    chosen = []
    for _, kept, other in pairs:
        if taken.isdisjoint((kept.object_id, other.object_id)):
            taken |= {kept.object_id, other.object_id}
            chosen.append((kept.object_id, other.object_id))
    return chosen


def _place_now(carried: CarriedObject) -> NDArray[np.float64] | None:
    place = carried.state.world_p
    return None if place is None else carried.new_T_old.apply(np.array(place))
