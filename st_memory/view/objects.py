"""The lists of the page: objects that pass a filter, and their timelines, a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from st_memory.asking import MemoryFile
from st_memory.core.queries import Selector
from st_memory.core.queries.history import events_of
from st_memory.core.records import Event, LifeCycle, ObjectState, Visibility
from st_memory.core.stamps import Moment
from st_memory.view.asked import Asked
from st_memory.view.clock import PageClock

__all__ = ['FILTERS', 'list_page', 'row_fields', 'timeline_fields', 'timeline_page']

FILTERS = ('find', 'label', 'visibility', 'fixture', 'sort', 'offset', 'limit')

_PAGE = 50
_LARGEST_PAGE = 200
_FAR = 10**9
# More strips than a screen has columns show nothing more; the newest count.
_INTERVALS = 600
_STAYS = 200
_EVENTS = 200
_STATES = tuple(state.name.lower() for state in Visibility)
_SORTS: dict[str, Callable[[ObjectState], Any]] = {
    'id': lambda s: s.object_id,
    'label': lambda s: (s.label.lower(), s.object_id),
    'last_seen': lambda s: (-(s.last_seen_ns or -_FAR), s.object_id),
    'moves': lambda s: (-s.num_moves, s.object_id),
}


def list_page(memory: MemoryFile, asked: Asked) -> dict[str, Any]:
    """Give the objects that pass, as of the moment, a page of them."""
    at = asked.moment(memory.reader)
    clock = PageClock(memory.reader, at)
    chosen, fields = _page(memory, asked, at)
    return {**fields, 'at': clock.fields(), 'objects': [row_fields(s, clock) for s in chosen]}


def timeline_page(memory: MemoryFile, asked: Asked) -> dict[str, Any]:
    """Give what happened to the objects that pass, up to the moment, a page of them."""
    at = asked.moment(memory.reader)
    clock = PageClock(memory.reader, at)
    chosen, fields = _page(memory, asked, at)
    rows = [{**row_fields(s, clock), **timeline_fields(memory, s, at)} for s in chosen]
    return {**fields, 'at': clock.fields(), 'objects': rows}


def row_fields(state: ObjectState, clock: PageClock) -> dict[str, Any]:
    """Give an object as a row of a list."""
    return {
        'id': state.object_id,
        'label': state.label,
        'aliases': list(state.aliases),
        'state': state.visibility.name,
        'cause': state.cause,
        'occluder': state.occluder_id,
        'fixture': state.fixture_id,
        'container': state.container_id,
        'place': None if state.world_p is None else list(state.world_p),
        'last_seen': clock.maybe(state.last_seen_ns),
        'moves': state.num_moves,
        'in_motion': state.in_motion,
        'absent': state.life_cycle is LifeCycle.ABSENT,
    }


def timeline_fields(memory: MemoryFile, state: ObjectState, at: Moment | None) -> dict[str, Any]:
    """
    Give what happened to an object up to a moment: verdicts, stays and events.

    Parameters
    ----------
    memory : MemoryFile
        The memory.
    state : ObjectState
        The object as of the moment.
    at : Moment, optional
        As of when.

    Returns
    -------
    dict
        ``intervals``, ``stays`` and ``events`` with times in seconds after the first frame;
        what was open then ends at None. ``*_total`` count those that were left out, too.

    """
    reader = memory.reader
    clock = PageClock(reader, at)
    who = Selector(object_id=state.object_id)
    sight = memory.timeline(who, at, limit=_INTERVALS)
    stays = memory.itinerary(who, at)
    events = events_of(reader, state, at)
    return {
        'intervals': [
            {
                'start': clock.of(i.start_ns),
                'end': clock.maybe(i.end_ns),
                'state': i.state.name,
                'cause': i.cause,
                'camera': i.camera_id,
                'frames': i.num_frames,
                'confirmed': i.num_confirmed,
            }
            for i in sight.intervals
        ],
        'intervals_total': sight.total,
        'stays': [
            {
                'start': clock.of(p.start_ns),
                'end': clock.maybe(p.end_ns),
                'fixture': p.fixture_id,
                'place': list(p.world_p),
                'source': p.source,
            }
            for p in stays.placements[-_STAYS:]
        ],
        'stays_total': stays.total,
        'events': [event_row(e, clock) for e in events[-_EVENTS:]],
        'events_total': len(events),
    }


def event_row(event: Event, clock: PageClock) -> dict[str, Any]:
    """Give an event as a row."""
    return {
        'id': event.event_id,
        'type': event.event_type,
        'start': clock.of(event.start_ns),
        'end': clock.of(event.end_ns),
        'detail': event.detail,
        'source': event.source,
        'roles': [{'role': role, 'object': who} for role, who in event.roles],
    }


def _page(
    memory: MemoryFile, asked: Asked, at: Moment | None
) -> tuple[Sequence[ObjectState], dict[str, Any]]:
    wanted: dict[str, Any] = {'label': asked.text('label'), 'fixture_id': asked.text('fixture')}
    seen = asked.choice('visibility', ('', *_STATES), '')
    if seen:
        wanted['visibility'] = Visibility[seen.upper()]
    answer = memory.objects(at, **wanted)
    part = asked.text('find').lower()
    found = [s for s in answer.objects if _is_named(s, part)]
    found.sort(key=_SORTS[asked.choice('sort', tuple(_SORTS), 'id')])
    offset = asked.whole('offset', 0, _FAR)
    limit = max(1, asked.whole('limit', _PAGE, _LARGEST_PAGE))
    fields = {
        'status': answer.status.name,
        'sentence': answer.sentence,
        'total': len(found),
        'offset': offset,
        'limit': limit,
    }
    return found[offset : offset + limit], fields


def _is_named(state: ObjectState, part: str) -> bool:
    """Whether some letters are in one of an object's names."""
    names = (state.object_id, state.label, *state.aliases)
    return not part or any(part in name.lower() for name in names)
