"""What was recorded of an object, under its own id and under those merged into it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.as_told import as_told
from st_memory.core.records import (
    Event,
    LifeCycle,
    ObjectState,
    Observation,
    Placement,
    VisibilityInterval,
)
from st_memory.core.stamps import Moment

__all__ = [
    'events_of',
    'evidence_of',
    'intervals_of',
    'names_of',
    'observations_of',
    'placements_of',
    'state_then',
]

_END_OF_TIME_NS = 2**63 - 1


def evidence_of(reader: MemoryReader, state: ObjectState, at: Moment | None) -> tuple[str, ...]:
    """Give the observation that a state rests on most recently."""
    latest = observations_of(reader, state, at, limit=1)
    return tuple(o.observation_id for o in latest)


def observations_of(
    reader: MemoryReader, state: ObjectState, at: Moment | None, *, limit: int | None = None
) -> tuple[Observation, ...]:
    """
    Observations of an object by (stamp, camera), those of merged ids too.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    state : ObjectState
        The object as of ``at``.
    at : Moment, optional
        As of when; None for now.
    limit : int, optional
        This many of the latest only.

    """
    names = names_of(reader, state, at)
    rows = [row for name in names for row in reader.observations(name, at, limit=limit)]
    if len(names) > 1:
        rows.sort(key=lambda row: (row.stamp_ns, row.camera_id))
    return tuple(rows if limit is None else rows[max(0, len(rows) - limit) :])


def intervals_of(
    reader: MemoryReader, state: ObjectState, at: Moment | None, camera_id: str = ''
) -> tuple[VisibilityInterval, ...]:
    """
    Visibility intervals of an object by (start, camera), those of merged ids too.

    Parameters
    ----------
    reader, state, at
        As in :func:`observations_of`.
    camera_id : str
        Of one camera; '' for all.

    Returns
    -------
    tuple of VisibilityInterval
        Under the object's id. Those of one camera do not overlap: while two ids stood for the
        object, the one that appeared later is right, since it was merged because it was the
        object that the other one missed; what is left of an interval is counted anew.

    """
    names = names_of(reader, state, at)
    if len(names) == 1:
        return reader.intervals(state.object_id, at, camera_id or None)
    rows: list[VisibilityInterval] = []
    for name in names:
        found = reader.intervals(name, at, camera_id or None)
        rows += [piece for row in found for piece in _cut(reader, row, tuple(rows), at)]
    rows.sort(key=lambda row: (row.start_ns, row.camera_id))
    return tuple(replace(row, object_id=state.object_id) for row in rows)


def placements_of(
    reader: MemoryReader, state: ObjectState, at: Moment | None
) -> tuple[Placement, ...]:
    """
    Give the placements of an object by start, those of merged ids too, under the object's id.

    Parameters
    ----------
    reader, state, at
        As in :func:`observations_of`.

    Returns
    -------
    tuple of Placement
        Of a merged id those that began while no stay of the object's own is known: what was
        concluded at the merge counts. One that another begins in ends there. The present stay is
        at the fixture that the object is at, which may have been told only after it came to rest.

    """
    *merged, own = names_of(reader, state, at)
    rows = list(reader.placements(own, at))
    for name in merged:
        found = reader.placements(name, at)
        rows += [r for row in found for r in _apart(row, rows, state.num_moves)]
    rows.sort(key=lambda row: (row.start_ns, row.recorded_ns))
    if rows and rows[-1].end_ns is None and state.fixture_id and not state.in_motion:
        rows[-1] = replace(rows[-1], fixture_id=state.fixture_id)
    return tuple(replace(row, object_id=state.object_id) for row in rows)


def events_of(reader: MemoryReader, state: ObjectState, at: Moment | None) -> tuple[Event, ...]:
    """
    Give the events that an object took part in by (start, event id), under merged ids too.

    Parameters
    ----------
    reader, state, at
        As in :func:`observations_of`.

    """
    rows = {
        row.event_id: row
        for name in names_of(reader, state, at)
        for row in reader.events(at, object_id=name)
    }
    return tuple(sorted(rows.values(), key=lambda row: (row.start_ns, row.event_id)))


def state_then(
    reader: MemoryReader, state: ObjectState, at: Moment | None, then: Moment
) -> ObjectState | None:
    """
    State of an object at an earlier moment, when it may have gone by an id merged since.

    Parameters
    ----------
    reader, state, at
        As in :func:`observations_of`.
    then : Moment
        The earlier moment.

    """
    for name in names_of(reader, state, at):
        earlier = reader.object_at(name, then)
        if earlier is not None and earlier.life_cycle is not LifeCycle.RETIRED:
            return as_told(earlier)
    return None


def names_of(reader: MemoryReader, state: ObjectState, at: Moment | None) -> list[str]:
    """
    Ids that an object goes by, the one that appeared last first, its own last.

    An alias may be a mere label; only the id of an object that is retired was merged.
    """
    states = [reader.object_at(name, at) for name in state.aliases if name != state.object_id]
    merged = [s for s in states if s is not None and s.life_cycle is LifeCycle.RETIRED]
    merged.sort(key=lambda s: (-(s.first_seen_ns or 0), s.object_id))
    return [*(s.object_id for s in merged), state.object_id]


def _apart(row: Placement, stays: Sequence[Placement], num_moves: int) -> Iterator[Placement]:
    """
    Give what is left of a merged id's stay beside the object's own: it was in one place.

    Nothing of one that begins during another. One that another begins in ends there, unless the
    object was never moved: then it was never elsewhere.
    """
    end_ns = _stay_end(row)
    if any(stay.start_ns <= row.start_ns < _stay_end(stay) for stay in stays):
        return
    later = [s.start_ns for s in stays if row.start_ns < s.start_ns < end_ns]
    if not later:
        yield row
    elif num_moves:
        yield replace(row, end_ns=min(later))


def _stay_end(row: Placement) -> int:
    return _END_OF_TIME_NS if row.end_ns is None else row.end_ns


def _cut(
    reader: MemoryReader,
    row: VisibilityInterval,
    taken: Sequence[VisibilityInterval],
    at: Moment | None,
) -> Iterator[VisibilityInterval]:
    """Give what intervals of the same camera leave of one."""
    free = [(row.start_ns, _end(row))]
    for other in taken:
        if other.camera_id == row.camera_id:
            free = list(_without(free, other.start_ns, _end(other)))
    if free == [(row.start_ns, _end(row))]:
        yield row
        return
    looks = [look.stamp_ns for look in reader.looks(row.camera_id, at)]
    for start_ns, end_ns in free:
        inside = [stamp for stamp in looks if start_ns <= stamp < end_ns]
        yield replace(
            row,
            start_ns=start_ns,
            end_ns=None if end_ns == _END_OF_TIME_NS else end_ns,
            last_frame_ns=max(inside, default=start_ns),
            num_frames=max(1, len(inside)),
            num_confirmed=reader.num_confirmed(
                row.object_id, row.camera_id, (start_ns, end_ns), at
            ),
        )


def _without(
    spans: Iterable[tuple[int, int]], start_ns: int, end_ns: int
) -> Iterator[tuple[int, int]]:
    """Take a span out of others; half-open, empty rests are dropped."""
    for low, high in spans:
        for piece in ((low, min(high, start_ns)), (max(low, end_ns), high)):
            if piece[0] < piece[1]:
                yield piece


def _end(row: VisibilityInterval) -> int:
    return _END_OF_TIME_NS if row.end_ns is None else row.end_ns
