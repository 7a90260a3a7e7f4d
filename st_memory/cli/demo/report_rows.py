"""What the report shows of each remembered object, next to the real thing it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from st_memory.cli.demo.truth import ObjectTrack, Truth
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import list_objects
from st_memory.core.records import ObjectState, Observation, Visibility

__all__ = ['Bar', 'ObjectRow', 'rows_of']

# A detection further than this from a thing, in the median, is not of that thing.
_MAX_MEDIAN_M = 0.5


@dataclass(frozen=True)
class Bar:
    """A stretch of time in one state, stamps in nanoseconds."""

    start_ns: int
    end_ns: int
    state: Visibility


@dataclass(frozen=True, eq=False)
class ObjectRow:
    """
    One remembered object.

    Parameters
    ----------
    state : ObjectState
        Its newest state.
    bars : tuple of Bar
        Its visibility as the memory told it.
    shown : tuple of (int, int)
        When the real thing showed in the image, stamps; empty without a match.
    track : ObjectTrack, optional
        The real thing that its detections are nearest to.

    """

    state: ObjectState
    bars: tuple[Bar, ...]
    shown: tuple[tuple[int, int], ...]
    track: ObjectTrack | None


def rows_of(reader: MemoryReader, truth: Truth) -> list[ObjectRow]:
    """Give the remembered objects by label, each matched to at most one real thing."""
    states = sorted(list_objects(reader).objects, key=lambda s: (s.label, s.object_id))
    tracks = _match(reader, states, truth)
    last_ns = int(truth.stamps_ns[-1])
    return [
        ObjectRow(state, _bars(reader, state, last_ns), _shown(track, truth), track)
        for state, track in zip(states, tracks, strict=True)
    ]


def _bars(reader: MemoryReader, state: ObjectState, last_ns: int) -> tuple[Bar, ...]:
    return tuple(
        Bar(i.start_ns, last_ns if i.end_ns is None else i.end_ns, i.state)
        for i in reader.intervals(state.object_id)
    )


def _shown(track: ObjectTrack | None, truth: Truth) -> tuple[tuple[int, int], ...]:
    """Give the runs of images in which the thing shows; each image lasts until the next."""
    if track is None:
        return ()
    ends = [*truth.stamps_ns[1:].tolist(), int(truth.stamps_ns[-1])]
    runs: list[tuple[int, int]] = []
    for i in np.flatnonzero(track.is_visible).tolist():
        start_ns, end_ns = int(truth.stamps_ns[i]), ends[i]
        if runs and runs[-1][1] == start_ns:
            start_ns = runs.pop()[0]
        runs.append((start_ns, end_ns))
    return tuple(runs)


def _match(
    reader: MemoryReader, states: Sequence[ObjectState], truth: Truth
) -> list[ObjectTrack | None]:
    """Assign real things of the same label by the median distance of the detections."""
    tracks = list(truth.tracks.values())
    cost = np.full((len(states), len(tracks)), 1e3)
    for row, state in enumerate(states):
        observations = reader.observations(state.object_id)
        for column, track in enumerate(tracks):
            if track.label == state.label:
                cost[row, column] = _median_distance(observations, track, truth)
    matched: list[ObjectTrack | None] = [None] * len(states)
    for row, column in zip(*linear_sum_assignment(cost), strict=True):
        if cost[row, column] <= _MAX_MEDIAN_M:
            matched[row] = tracks[column]
    return matched


def _median_distance(
    observations: Sequence[Observation], track: ObjectTrack, truth: Truth
) -> float:
    distances = [
        float(np.linalg.norm(np.array(o.world_p) - track.position[truth.index_at(o.stamp_ns)]))
        for o in observations
        if o.world_p is not None
    ]
    return float(np.median(distances)) if distances else 1e3
