"""Since when: first seen, last detected, and resting where it is."""

from __future__ import annotations

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import WhenAnswer
from st_memory.core.queries.guessing import names_its_guess
from st_memory.core.queries.history import names_of, placements_of
from st_memory.core.queries.itinerary import static_since_ns
from st_memory.core.queries.selection import select, Selector, Subject
from st_memory.core.queries.when_answers import known_when, nothing_known, unknown_when
from st_memory.core.queries.wording import describe_place, is_gone
from st_memory.core.stamps import Moment

__all__ = ['when_first_seen', 'when_last_detected', 'when_static_since']


@names_its_guess
def when_first_seen(
    reader: MemoryReader, selector: Selector, at: Moment | None = None
) -> WhenAnswer:
    """
    Say when an object was first seen: its first match with a detection.

    Parameters
    ----------
    reader, selector, at
        As in :func:`st_memory.core.queries.locate`. Of an object that others were merged into,
        the first of all counts.

    """
    found = select(reader, selector, at, Subject.FIRST_SIGHT)
    if not found.found:
        return nothing_known(found)
    state = found.found[0]
    states = [reader.object_at(name, found.at) for name in names_of(reader, state, found.at)]
    stamps = [s.first_seen_ns for s in states if s is not None and s.first_seen_ns is not None]
    if not stamps:
        return unknown_when(reader, found, 'it was reported and never seen')
    how = Subject.FIRST_SIGHT, 'was first seen', 'detection'
    return known_when(reader, found, min(stamps), *how)


@names_its_guess
def when_last_detected(
    reader: MemoryReader, selector: Selector, at: Moment | None = None
) -> WhenAnswer:
    """
    Say when a detector last found an object, which may be before it was last visible.

    Parameters
    ----------
    reader, selector, at
        As in :func:`st_memory.core.queries.locate`.

    """
    found = select(reader, selector, at, Subject.LAST_SIGHT)
    if not found.found:
        return nothing_known(found)
    state = found.found[0]
    if state.last_seen_ns is None:
        return unknown_when(reader, found, 'no detector has found it')
    words = 'was last detected'
    how = Subject.LAST_SIGHT, words, 'detection'
    return known_when(reader, found, state.last_seen_ns, *how)


@names_its_guess
def when_static_since(
    reader: MemoryReader, selector: Selector, at: Moment | None = None
) -> WhenAnswer:
    """
    Say since when an object has rested where it is.

    Parameters
    ----------
    reader, selector, at
        As in :func:`st_memory.core.queries.locate`.

    Returns
    -------
    WhenAnswer
        UNKNOWN for what is being moved or gone. What was never seen to move has rested at least
        since it was first seen: ``source`` is ``first_seen`` then.

    """
    found = select(reader, selector, at, Subject.LAST_PLACEMENT)
    if not found.found:
        return nothing_known(found)
    state = found.found[0]
    if state.in_motion:
        return unknown_when(reader, found, 'it is being moved')
    if is_gone(state):
        return unknown_when(reader, found, 'it is no longer at its last place')
    rows = placements_of(reader, state, found.at)
    since_ns = static_since_ns(state, rows)
    if since_ns is None:
        return unknown_when(reader, found, 'it has not been seen at rest')
    source = state.placed_by
    if rows and rows[-1].end_ns is None:
        source = rows[-1].source
    at_least = ' at least' if source == 'first_seen' else ''
    verb = 'had' if found.astray else 'has'
    words = f'{verb} been {describe_place(state)} without moving{at_least} since'
    how = Subject.LAST_PLACEMENT, words, source
    return known_when(reader, found, since_ns, *how)
