"""Which measurement belongs to which track: by id, at rest, in pursuit, by place alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association import assign, Measurement, UNREACHABLE
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import LifeCycle, Visibility
from st_memory.core.stamps import NS_PER_S

__all__ = ['match', 'normalized_distance']

Pair = tuple[Track, Measurement]
Cost = Callable[[Track, Measurement], float]

# A detection of another class must fall this much deeper inside the gate to count as mislabelled.
_MISLABELLED_SHARE = 0.5


def match(
    tracks: Sequence[Track],
    measurements: Sequence[Measurement],
    stamp_ns: int,
    settings: MemorySettings,
    *,
    pursue: bool = True,
) -> tuple[list[Pair], list[Measurement]]:
    """
    Assign located detections to tracks, one to one.

    Stages, each on what the earlier ones left: the id a tracker or annotation gave; the same
    class at the place where the thing rests; the same class within reach of a thing that was
    seen a moment ago or is being carried; another class exactly at the place (a mislabelled
    detection).

    Parameters
    ----------
    tracks, measurements
        What is to be matched.
    stamp_ns : int
        Stamp of the frame.
    settings : MemorySettings
        Gates.
    pursue : bool
        Whether carried things are followed. Not for what is not believed yet: scattered false
        detections would make a path.

    Returns
    -------
    pairs : list of (Track, Measurement)
        Matches.
    rest : list of Measurement
        What nothing explains.

    """
    pairs: list[Pair] = []
    free = [t for t in tracks if t.life_cycle != LifeCycle.RETIRED]
    rest = list(measurements)

    by_id = {t.object_id: t for t in free}
    for m in measurements:
        track = by_id.pop(m.detection.track_id, None) if m.detection.track_id else None
        if track is not None:
            pairs.append((track, m))
            free.remove(track)
            rest.remove(m)
    # A detection with an id of its own is that object or a new one, never an anonymous one.
    named = [m for m in rest if m.detection.track_id]
    rest = [m for m in rest if not m.detection.track_id]

    def at_rest(track: Track, m: Measurement) -> float:
        return _rest_cost(track, m, settings) if _same_label(track, m) else UNREACHABLE

    def in_pursuit(track: Track, m: Measurement) -> float:
        return _pursuit_cost(track, m, stamp_ns, settings)

    def mislabelled(track: Track, m: Measurement) -> float:
        cost = _rest_cost(track, m, settings)
        return cost if cost <= _MISLABELLED_SHARE * settings.gate_sigmas else UNREACHABLE

    stages = (at_rest, in_pursuit, mislabelled) if pursue else (at_rest, mislabelled)
    for cost in stages:
        found = _stage(free, rest, cost)
        pairs += found
        taken = {id(t) for t, _ in found}
        used = {m.index for _, m in found}
        free = [t for t in free if id(t) not in taken]
        rest = [m for m in rest if m.index not in used]
    return pairs, named + rest


def normalized_distance(track_p: NDArray[np.float64], m: Measurement, sigma_m: float) -> float:
    """
    Distance from a place to a measurement in sigmas, along the viewing ray and across it.

    Parameters
    ----------
    track_p : (3,) float64
        The place, fixed frame, metres.
    m : Measurement
        Has the two spreads.
    sigma_m : float
        Spread of the place itself, metres.

    """
    gap = m.world_p - track_p
    along = float(gap @ m.world_ray)
    across_squared = max(0.0, float(gap @ gap) - along * along)
    ray_variance = m.ray_sigma_m**2 + sigma_m**2
    lateral_variance = m.lateral_sigma_m**2 + sigma_m**2
    return float(np.sqrt(along * along / ray_variance + across_squared / lateral_variance))


def _stage(tracks: Sequence[Track], measurements: Sequence[Measurement], cost: Cost) -> list[Pair]:
    """Run one assignment over what is left."""
    if not tracks or not measurements:
        return []
    table = np.array([[cost(t, m) for m in measurements] for t in tracks])
    return [(tracks[r], measurements[c]) for r, c in assign(table)]


def _same_label(track: Track, m: Measurement) -> bool:
    return m.detection.label in track.label_votes


def _rest_cost(track: Track, m: Measurement, settings: MemorySettings) -> float:
    """Sigmas from where it rests; unreachable outside the gate."""
    if track.mean is None or track.in_motion:
        return UNREACHABLE
    place = np.array(track.mean)
    sigmas = normalized_distance(place, m, float(np.sqrt(track.variance)))
    gap = m.world_p - place
    near = float(np.sqrt(gap @ gap)) <= settings.same_object_m
    return sigmas if near or sigmas <= settings.gate_sigmas else UNREACHABLE


def _pursuit_cost(track: Track, m: Measurement, stamp_ns: int, settings: MemorySettings) -> float:
    """Metres from where it was seen a moment ago; unreachable beyond what it can have moved."""
    if track.last_fix is None or track.last_fix_ns is None or not _same_label(track, m):
        return UNREACHABLE
    if track.annotated or track.life_cycle == LifeCycle.ABSENT:
        return UNREACHABLE
    elapsed_s = (stamp_ns - track.last_fix_ns) / NS_PER_S
    if not track.in_motion and (elapsed_s > settings.pursuit_s or _is_out_of_sight(track)):
        return UNREACHABLE
    gap = m.world_p - np.array(track.last_fix)
    distance = float(np.sqrt(gap @ gap))
    reach = settings.max_speed_mps * elapsed_s + settings.same_object_m
    return distance if distance <= reach else UNREACHABLE


def _is_out_of_sight(track: Track) -> bool:
    """Whether nobody can have seen it leave: its place was not in view at the last look."""
    return track.view is None or track.view.geometry in (
        Visibility.OUT_OF_VIEW,
        Visibility.UNKNOWN,
    )
