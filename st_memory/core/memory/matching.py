"""Which measurement belongs to which track: by id, at rest, in pursuit, by place alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association import assign, Measurement, UNREACHABLE
from st_memory.core.memory.pursuit import Hangs, Pursuit, Stuck
from st_memory.core.memory.recognition import recognise
from st_memory.core.memory.resting import rest_costs, Resting
from st_memory.core.memory.rivals import nearly_as_good
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import LifeCycle
from st_memory.core.stamps import NS_PER_S

__all__ = ['Weak', 'match', 'normalized_distance']

Array = NDArray[np.float64]
Pair = tuple[Track, Measurement]
Weak = dict[Track, tuple[dict[Track, float], bool]]
Costs = Callable[[Sequence[Track], Sequence[Measurement]], Array]

# A class that is wrong so often in a row is not a slip of the detector, but another thing.
_MAX_SLIPS = 2
# A detection of another class must fall this much deeper inside the gate to count as mislabelled.
_MISLABELLED_SHARE = 0.5


def match(
    tracks: Sequence[Track],
    measurements: Sequence[Measurement],
    stamp_ns: int,
    settings: MemorySettings,
    *,
    pursue: bool = True,
    hangs: Hangs | None = None,
    is_stuck: Stuck | None = None,
    resting: Resting | None = None,
    weak: Weak | None = None,
) -> tuple[list[Pair], list[Measurement]]:
    """
    Assign located detections to tracks, one to one.

    Stages, each on what the earlier ones left: the id a tracker or annotation gave; the same
    class at the place where the thing rests; the same class within reach of a thing that is
    being carried; another class exactly at the place (a mislabelled detection); the same class
    where a thing was before it was found to be gone; and for what
    hangs in the air, the same class within reach of a thing that is missing, that rested in view
    a moment ago, or that is the only one of the class. In all but the first, looks count where
    both are known: they refuse what clearly looks otherwise, or like another thing, and a
    difference of ``appearance_margin`` outweighs any distance within the gate.

    Parameters
    ----------
    tracks : sequence of Track
        N tracks.
    measurements : sequence of Measurement
        M located detections; an id occurs at most once.
    stamp_ns : int
        Stamp of the frame.
    settings : MemorySettings
        Gates.
    pursue : bool
        Whether carried things are followed. What is not believed yet is followed only through
        the air: scattered false detections would make a path.
    hangs : callable, optional
        Tells whether a measured thing has nothing under it; None where nothing is known of it.
    is_stuck : callable, optional
        Tells whether a remembered thing is where nobody can take it, as behind a shut door.
    resting : Resting, optional
        What the tracks say, row by row; read from them when it is not given.
    weak : dict, optional
        Receives for each match without an id which others fitted nearly as well, with their
        likelihoods, and whether that is because they rest at one place: two that are both seen
        at rest are no rivals.

    Returns
    -------
    pairs : list of (Track, Measurement)
        Matches.
    rest : list of Measurement
        What nothing explains.

    """
    if not measurements:
        return [], []
    pairs, named, rest = _by_id(tracks, measurements)
    taken = {track for track, _ in pairs}
    resting = Resting.of(tracks) if resting is None else resting
    free, resting = _free(tracks, resting, taken)
    if not rest or not free:
        return pairs, named + rest
    # Once for all: the stages take parts of them.
    to_rest = rest_costs(resting, rest, settings)
    is_near = np.isfinite(to_rest)
    same = _goes_by(free, rest, is_near)
    # Most remembered things are far from all that is seen: they are not asked at first.
    is_close = is_near.any(axis=1)
    rows, columns = np.flatnonzero(is_close), np.arange(len(rest))
    by = Pursuit(stamp_ns, settings, hangs, is_stuck)
    looks = recognise(free, rest, is_near, settings)

    def at_rest(some: Sequence[Track], seen: Sequence[Measurement]) -> Array:
        costs = returned(some, seen)
        costs[resting.is_absent[rows]] = UNREACHABLE
        costs[by.passing(some, seen, costs, free)] = UNREACHABLE
        return costs

    def returned(some: Sequence[Track], seen: Sequence[Measurement]) -> Array:
        part = np.ix_(rows, columns)
        return np.where(same[part], to_rest[part], UNREACHABLE)

    def mislabelled(some: Sequence[Track], seen: Sequence[Measurement]) -> Array:
        costs = np.minimum(to_rest[np.ix_(rows, columns)], by.slipped(some, seen))
        costs[[not _may_slip(t, stamp_ns, settings) for t in some]] = UNREACHABLE
        return np.where(costs <= _MISLABELLED_SHARE * settings.gate_sigmas, costs, UNREACHABLE)

    stages: tuple[Costs, ...] = (at_rest, mislabelled, by.held)
    if pursue:
        stages = (at_rest, by.carried, by.set_off, mislabelled, returned, by.elsewhere)
    for costs in stages:
        table = costs([free[r] for r in rows.tolist()], [rest[c] for c in columns])
        is_in_sigmas = costs in (at_rest, mislabelled, returned)
        if looks is not None:
            gate_m = settings.max_speed_mps * settings.pursuit_s
            table = looks.weigh(
                table, rows, columns, settings.gate_sigmas if is_in_sigmas else gate_m
            )
        found = assign(table)
        if weak is not None:
            surprise = table**2 / 2 if is_in_sigmas else table / settings.same_object_m
            some = [free[r] for r in rows.tolist()]
            weak |= _weak(surprise, found, some, is_at_rest=costs is at_rest)
        pairs += [(free[rows[r]], rest[columns[c]]) for r, c in found]
        matched = [r for r, _ in found]
        columns = np.delete(columns, [c for _, c in found])
        if not len(columns):
            break
        if costs is at_rest:  # from here on, what may be elsewhere is asked, too
            labels = {rest[c].detection.label for c in columns}
            is_asked = is_close | by.possibly_elsewhere(free, resting, labels)
            is_asked[rows[matched]] = False
            rows = np.flatnonzero(is_asked)
        else:
            rows = np.delete(rows, matched)
    return pairs, named + [rest[c] for c in columns]


def _weak(
    surprise: Array, found: Sequence[tuple[int, int]], tracks: Sequence[Track], *, is_at_rest: bool
) -> Weak:
    """Give for each match which others were nearly as good; at rest, not those seen there."""
    matched = {row for row, _ in found} if is_at_rest else set()
    return {
        tracks[row]: ({tracks[o]: s for o, s in others.items() if o not in matched}, is_at_rest)
        for row, others in nearly_as_good(surprise, found).items()
    }


def _by_id(
    tracks: Sequence[Track], measurements: Sequence[Measurement]
) -> tuple[list[Pair], list[Measurement], list[Measurement]]:
    """
    Give matches by id, what has an id that nobody goes by, and what has none.

    A detection with an id of its own is that object or a new one, never an anonymous one.
    """
    rest = [m for m in measurements if not m.detection.track_id]
    if len(rest) == len(measurements):
        return [], [], rest
    by_id = {t.external_id: t for t in tracks if t.external_id and _is_live(t)}
    told = [t for t in tracks if t.said is not None and _is_live(t)]
    by_id |= {name: t for t in told for name in t.outside_ids}
    with_id = [m for m in measurements if m.detection.track_id]
    pairs = [(by_id[m.detection.track_id], m) for m in with_id if m.detection.track_id in by_id]
    return pairs, [m for m in with_id if m.detection.track_id not in by_id], rest


def normalized_distance(places: Array, m: Measurement, sigmas_m: Array | float) -> Array:
    """
    Distance from places to a measurement in sigmas, along the viewing ray and across it.

    Parameters
    ----------
    places : (..., 3) float64
        Fixed frame, metres.
    m : Measurement
        Has the two spreads.
    sigmas_m : (...) float64 or float
        Spread of the places themselves, metres.

    Returns
    -------
    (...) float64
        In sigmas.

    """
    gaps = m.world_p - places
    along = gaps @ m.world_ray
    across_squared = np.maximum(0.0, np.einsum('...i,...i->...', gaps, gaps) - along * along)
    own = np.square(sigmas_m)
    distance: Array = np.sqrt(
        along * along / (m.ray_sigma_m**2 + own) + across_squared / (m.lateral_sigma_m**2 + own)
    )
    return distance


def _free(
    tracks: Sequence[Track], resting: Resting, taken: Set[Track]
) -> tuple[Sequence[Track], Resting]:
    """Give the live tracks that are not taken, with their rows."""
    is_free = resting.is_live.copy()
    if taken:
        is_free &= [t not in taken for t in tracks]
    if is_free.all():
        return tracks, resting
    return [tracks[row] for row in np.flatnonzero(is_free).tolist()], resting.take(is_free)


def _is_live(track: Track) -> bool:
    return track.life_cycle != LifeCycle.RETIRED


def _may_slip(track: Track, stamp_ns: int, settings: MemorySettings) -> bool:
    """Whether it was a moment ago what it is, where it is: else another may be there by now."""
    if track.slips >= _MAX_SLIPS or track.last_seen_ns is None:
        return False
    return stamp_ns - track.last_seen_ns <= settings.rest_s * NS_PER_S


def _goes_by(
    tracks: Sequence[Track], seen: Sequence[Measurement], which: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Whether each track goes by the class of each measurement, (N, M); asked of some pairs."""
    table = np.zeros(which.shape, dtype=bool)
    for row, column in np.argwhere(which).tolist():
        table[row, column] = tracks[row].goes_by(seen[column].detection.label)
    return table
