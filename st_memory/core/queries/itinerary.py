"""Where an object has been: its placements in order, and how often it was moved."""

from __future__ import annotations

from dataclasses import dataclass

from st_memory.core.errors import StMemoryError
from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import Answer
from st_memory.core.queries.guessing import names_its_guess
from st_memory.core.queries.history import events_of, evidence_of, placements_of, state_then
from st_memory.core.queries.selection import judge, select, Selection, Selector, Subject, Verdict
from st_memory.core.queries.wording import (
    describe_count,
    describe_duration,
    describe_when,
    is_gone,
    join_names,
    name_first,
)
from st_memory.core.records import AnswerStatus, ObjectState, Placement
from st_memory.core.stamps import Moment

__all__ = ['CountAnswer', 'ItineraryAnswer', 'count_moves', 'get_itinerary', 'static_since_ns']

# More stops than this make no sentence to listen to.
_MAX_STOPS = 4


@dataclass(frozen=True)
class ItineraryAnswer(Answer):
    """
    The stays of an object, and the times that go with them.

    Parameters
    ----------
    placements : tuple of Placement
        By start; with a limit the newest ones.
    total : int
        How many there are.
    num_moves : int
        Completed movements.
    first_seen_ns, last_seen_ns, last_visible_ns : int, optional
        First and latest match with a detection, and latest frame in which it was visible.
    static_since_ns : int, optional
        Start of its present rest; None while it is being moved, or gone.

    """

    placements: tuple[Placement, ...] = ()
    total: int = 0
    num_moves: int = 0
    first_seen_ns: int | None = None
    last_seen_ns: int | None = None
    last_visible_ns: int | None = None
    static_since_ns: int | None = None


@dataclass(frozen=True)
class CountAnswer(Answer):
    """
    How often something happened.

    Parameters
    ----------
    count : int, optional
        None when it is not known.
    since_ns : int, optional
        Counted from then on; None for from the beginning.

    """

    count: int | None = None
    since_ns: int | None = None


@names_its_guess
def get_itinerary(
    reader: MemoryReader,
    selector: Selector,
    at: Moment | None = None,
    *,
    limit: int | None = None,
    offset: int = 0,
) -> ItineraryAnswer:
    """
    Give all places where an object has rested, in order.

    Parameters
    ----------
    reader, selector, at
        As in :func:`st_memory.core.queries.locate`.
    limit : int, optional
        At most this many placements, the newest; None for all.
    offset : int
        Skip that many of the newest.

    Raises
    ------
    ValueError
        If the limit or the offset is negative.

    """
    if (limit is not None and limit < 0) or offset < 0:
        raise ValueError(f'limit and offset: expected >= 0, got {limit} and {offset}')
    found = select(reader, selector, at, Subject.LAST_PLACEMENT)
    if not found.found:
        return ItineraryAnswer(
            found.status, found.reason, f'I do not know: {found.reason}.', at=found.at
        )
    state = found.found[0]
    rows = placements_of(reader, state, found.at)
    verdict = judge(state, found, Subject.LAST_PLACEMENT)
    status, reason = verdict
    if not rows:
        status = AnswerStatus.UNKNOWN
        nowhere = 'it has not been seen at rest anywhere'
        reason = '; '.join(filter(None, (nowhere, found.reason, found.lag)))
    end = max(0, len(rows) - offset)
    moves = [e.event_id for e in events_of(reader, state, found.at) if e.event_type == 'moved']
    return ItineraryAnswer(
        status,
        reason,
        _sentence(state, rows, Verdict(status, reason), found),
        at=found.at,
        object=state,
        alternatives=found.found[1:],
        evidence_ids=(*moves[-3:], *evidence_of(reader, state, found.at)),
        placements=rows[0 if limit is None else max(0, end - limit) : end],
        total=len(rows),
        num_moves=state.num_moves,
        first_seen_ns=state.first_seen_ns,
        last_seen_ns=state.last_seen_ns,
        last_visible_ns=state.last_visible_ns,
        static_since_ns=static_since_ns(state, rows),
    )


@names_its_guess
def count_moves(
    reader: MemoryReader,
    selector: Selector,
    at: Moment | None = None,
    since_ns: int | None = None,
) -> CountAnswer:
    """
    Say how many times an object has been moved: picked up and put down elsewhere.

    Parameters
    ----------
    reader, selector, at
        As in :func:`st_memory.core.queries.locate`.
    since_ns : int, optional
        Count only movements completed after this stamp; None for all.

    Raises
    ------
    StMemoryError
        If ``since_ns`` is after the moment that is answered as of.

    """
    found = select(reader, selector, at)
    if not found.found:
        return CountAnswer(
            found.status, found.reason, f'I do not know: {found.reason}.', at=found.at
        )
    state = found.found[0]
    count = state.num_moves
    if since_ns is not None and found.at is not None:
        if since_ns > found.at.stamp_ns:
            raise StMemoryError(
                f'since: expected a time not after the answer, {found.at.stamp_ns} ns, '
                f'got {since_ns} ns'
            )
        before = state_then(reader, state, found.at, Moment(found.at.epoch, since_ns))
        count -= 0 if before is None else min(count, before.num_moves)
    moves = [e.event_id for e in events_of(reader, state, found.at) if e.event_type == 'moved']
    status, reason = found.status, '; '.join(filter(None, (found.lag, found.reason)))
    if found.lag:
        status = AnswerStatus.STALE
    return CountAnswer(
        status,
        reason,
        _count_sentence(state, count, since_ns, found),
        at=found.at,
        object=state,
        alternatives=found.found[1:],
        evidence_ids=tuple(moves[len(moves) - min(count, 3) :]),
        count=count,
        since_ns=since_ns,
    )


def static_since_ns(state: ObjectState, rows: tuple[Placement, ...]) -> int | None:
    """
    Give the start of an object's present rest; None when it is being moved, or gone.

    What was put down where nobody measured it rests there all the same.
    """
    if state.in_motion or is_gone(state):
        return None
    if rows and rows[-1].end_ns is None:
        return rows[-1].start_ns
    placed_ns = state.last_placed_ns
    if placed_ns is None or (rows and (rows[-1].end_ns or 0) > placed_ns):
        return None
    return placed_ns


def _count_sentence(state: ObjectState, count: int, since_ns: int | None, found: Selection) -> str:
    text = f'{name_first(state)} has been moved {describe_count(count)}'
    if since_ns is not None and found.at is not None:
        text += f' in the last {describe_duration(found.at.stamp_ns - since_ns)}'
    if count and state.last_placed_ns is not None and found.at is not None:
        ago_ns = found.at.stamp_ns - state.last_placed_ns
        text += f', last {describe_when(ago_ns, lagging=bool(found.lag))}'
    text += ', and is being moved now' if state.in_motion else ''
    return f'{text}: {found.lag}.' if found.lag else f'{text}.'


def _sentence(
    state: ObjectState, rows: tuple[Placement, ...], verdict: Verdict, found: Selection
) -> str:
    """Name the stops in order, the newest ones when there are many."""
    if not rows:
        return f'{name_first(state)}: {verdict.reason}.'
    stops = [_stop(row, found) for row in rows[-_MAX_STOPS:]]
    left_out = len(rows) - len(stops)
    text = f'{name_first(state)} was '
    text += f'at {_number(left_out)} before, then ' if left_out else ''
    text += (
        join_names(stops) if len(stops) < 2 else f'{", ".join(stops[:-1])} and then {stops[-1]}'
    )
    if state.in_motion:
        text += '; it is being moved now'
    elif rows[-1].end_ns is None and not found.astray:
        text += ', where it is still believed to be'
    return f'{text}: {verdict.reason}.' if verdict.status is AnswerStatus.STALE else f'{text}.'


def _number(places: int) -> str:
    """Say how many places."""
    return 'one more place' if places == 1 else f'{places} more places'


def _stop(row: Placement, found: Selection) -> str:
    x, y, z = row.world_p
    where = f'at {row.fixture_id}' if row.fixture_id else f'at ({x:.2f}, {y:.2f}, {z:.2f}) m'
    ago_ns = 0 if found.at is None else found.at.stamp_ns - row.start_ns
    return f'{where} from {describe_when(ago_ns, lagging=bool(found.lag))}'
