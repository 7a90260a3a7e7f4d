"""Which measurement belongs to which track: by id, at rest, in pursuit, by place alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association import assign, Measurement, UNREACHABLE
from st_memory.core.memory.pursuit import Hangs, Pursuit, Stuck
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import LifeCycle
from st_memory.core.stamps import NS_PER_S

__all__ = ['match', 'normalized_distance']

Array = NDArray[np.float64]
Pair = tuple[Track, Measurement]
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
) -> tuple[list[Pair], list[Measurement]]:
    """
    Assign located detections to tracks, one to one.

    Stages, each on what the earlier ones left: the id a tracker or annotation gave; the same
    class at the place where the thing rests; the same class within reach of a thing that is
    being carried; another class exactly at the place (a mislabelled detection); the same class
    where a thing was before it was found to be gone; and for what
    hangs in the air, the same class within reach of a thing that is missing, that rested in view
    a moment ago, or that is the only one of the class.

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

    Returns
    -------
    pairs : list of (Track, Measurement)
        Matches.
    rest : list of Measurement
        What nothing explains.

    """
    if not measurements:
        return [], []
    by_id = {t.external_id: t for t in tracks if t.external_id and _is_live(t)}
    told = [t for t in tracks if t.said is not None and _is_live(t)]
    by_id |= {name: t for t in told for name in t.outside_ids}
    pairs = [
        (by_id[m.detection.track_id], m) for m in measurements if m.detection.track_id in by_id
    ]
    # A detection with an id of its own is that object or a new one, never an anonymous one.
    named = [m for m in measurements if m.detection.track_id and m.detection.track_id not in by_id]
    rest = [m for m in measurements if not m.detection.track_id]
    taken = {track for track, _ in pairs}
    if not rest:
        return pairs, named
    free = [t for t in tracks if _is_live(t) and t not in taken]

    def at_rest(some: Sequence[Track], seen: Sequence[Measurement]) -> Array:
        costs = np.where(_goes_by(some, seen), _rest_costs(some, seen, settings), UNREACHABLE)
        costs[[t.life_cycle == LifeCycle.ABSENT for t in some]] = UNREACHABLE
        return costs

    def returned(some: Sequence[Track], seen: Sequence[Measurement]) -> Array:
        return np.where(_goes_by(some, seen), _rest_costs(some, seen, settings), UNREACHABLE)

    def mislabelled(some: Sequence[Track], seen: Sequence[Measurement]) -> Array:
        costs = np.minimum(_rest_costs(some, seen, settings), by.slipped(some, seen))
        costs[[not _may_slip(t, stamp_ns, settings) for t in some]] = UNREACHABLE
        return np.where(costs <= _MISLABELLED_SHARE * settings.gate_sigmas, costs, UNREACHABLE)

    by = Pursuit(stamp_ns, settings, hangs, is_stuck)
    stages: tuple[Costs, ...] = (at_rest, mislabelled, by.held)
    if pursue:
        stages = (at_rest, by.carried, mislabelled, returned, by.elsewhere)
    for costs in stages:
        if not free or not rest:
            break
        found = [(free[r], rest[c]) for r, c in assign(costs(free, rest))]
        pairs += found
        taken = {track for track, _ in found}
        used = {m.index for _, m in found}
        free = [t for t in free if t not in taken]
        rest = [m for m in rest if m.index not in used]
    return pairs, named + rest


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


def _is_live(track: Track) -> bool:
    return track.life_cycle != LifeCycle.RETIRED


def _may_slip(track: Track, stamp_ns: int, settings: MemorySettings) -> bool:
    """Whether it was a moment ago what it is, where it is: else another may be there by now."""
    if track.slips >= _MAX_SLIPS or track.last_seen_ns is None:
        return False
    return stamp_ns - track.last_seen_ns <= settings.rest_s * NS_PER_S


def _goes_by(tracks: Sequence[Track], seen: Sequence[Measurement]) -> NDArray[np.bool_]:
    """Whether each track goes by the class of each measurement, (N, M)."""
    columns: dict[str, list[int]] = {}
    for column, m in enumerate(seen):
        columns.setdefault(m.detection.label, []).append(column)
    table = np.zeros((len(tracks), len(seen)), dtype=bool)
    for row, track in enumerate(tracks):
        for label in track.label_votes:
            if label in columns and track.goes_by(label):
                table[row, columns[label]] = True
    return table


def _rest_costs(
    tracks: Sequence[Track], seen: Sequence[Measurement], settings: MemorySettings
) -> Array:
    """Sigmas from where each track rests, (N, M); unreachable outside the gate."""
    resting = np.array([t.mean is not None and not t.in_motion for t in tracks])
    places = np.array([t.mean if t.mean is not None else (0.0, 0.0, 0.0) for t in tracks])
    spreads = np.sqrt(np.array([t.variance for t in tracks]))
    costs = np.empty((len(tracks), len(seen)))
    for column, m in enumerate(seen):  # over detections; the tracks are done at once
        sigmas = normalized_distance(places, m, spreads)
        gaps = m.world_p - places
        near = np.einsum('ij,ij->i', gaps, gaps) <= settings.same_object_m**2
        reachable = resting & (near | (sigmas <= settings.gate_sigmas))
        costs[:, column] = np.where(reachable, sigmas, UNREACHABLE)
    return costs
