"""Objects, intervals and events as tables for people."""

from __future__ import annotations

from collections.abc import Sequence

from st_memory.cli.output import format_table
from st_memory.core.ports import MemoryReader
from st_memory.core.queries.wording import clip_name, describe_duration, is_just_now
from st_memory.core.records import Event, ObjectState, VisibilityInterval
from st_memory.core.stamps import Moment, NS_PER_S

__all__ = ['Clock', 'event_table', 'object_table', 'timeline_table']


class Clock:
    """
    Stamps as seconds after the first frame of their epoch, which people can read.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    at : Moment, optional
        Any moment of the epoch; None for the newest epoch.

    """

    def __init__(self, reader: MemoryReader, at: Moment | None) -> None:
        moment = at or reader.now()
        first = reader.first_moment(moment.epoch) if moment else None
        self._zero_ns = first.stamp_ns if first else 0

    def of(self, stamp_ns: int | None) -> str:
        """Give the seconds with a sign; '-' for no stamp."""
        return '-' if stamp_ns is None else f'{(stamp_ns - self._zero_ns) / NS_PER_S:+.1f}'


def object_table(objects: Sequence[ObjectState], at: Moment | None) -> str:
    """List objects, a line each."""
    header = ('object', 'label', 'x y z [m]', 'fixture', 'visibility', 'last seen', 'moves')
    rows = []
    for state in objects:
        place = ' '.join(f'{v:.2f}' for v in state.world_p) if state.world_p else '-'
        label, fixture = clip_name(state.label), state.fixture_id or '-'
        unseen = _ago(state.last_seen_ns, at)
        moves = str(state.num_moves)
        rows.append((state.object_id, label, place, fixture, state.visibility.name, unseen, moves))
    return format_table(header, rows)


def timeline_table(intervals: Sequence[VisibilityInterval], clock: Clock) -> str:
    """List visibility intervals, a line each."""
    header = ('start', 'end', 'camera', 'state', 'cause', 'confirmed')
    rows = []
    for i in intervals:
        share = f'{i.num_confirmed}/{i.num_frames}'
        start, end = clock.of(i.start_ns), clock.of(i.end_ns)
        rows.append((start, end, i.camera_id, i.state.name, i.cause or '-', share))
    return format_table(header, rows)


def event_table(events: Sequence[Event], clock: Clock) -> str:
    """List events, a line each."""
    rows = []
    for e in events:
        who = ', '.join(name for _, name in e.roles)
        rows.append((clock.of(e.start_ns), clock.of(e.end_ns), e.event_type, who, e.detail))
    return format_table(('start', 'end', 'event', 'who', 'what'), rows)


def _ago(stamp_ns: int | None, at: Moment | None) -> str:
    if stamp_ns is None or at is None:
        return '-'
    ago_ns = at.stamp_ns - stamp_ns
    return 'now' if is_just_now(ago_ns) else f'{describe_duration(ago_ns)} ago'
