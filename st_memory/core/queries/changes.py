"""What is different now from how it was at an earlier time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from st_memory.core.errors import StMemoryError
from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import Answer
from st_memory.core.queries.as_of import as_of
from st_memory.core.queries.history import events_of, placements_of, state_then
from st_memory.core.queries.listing import ObjectFilter
from st_memory.core.queries.selection import REPORTED, reported_objects, select, Selector
from st_memory.core.queries.wording import clip_name, describe_count, describe_place, is_gone
from st_memory.core.records import AnswerStatus, Event, ObjectState
from st_memory.core.stamps import Moment

__all__ = ['Change', 'ChangesAnswer', 'list_changes']

# Event types that tell when a change of each kind happened.
_TOLD_BY = {
    'appeared': ('appeared',),
    'moved': ('moved', 'merged'),
    'lifted': (),
    'gone': ('absent',),
    'returned': ('returned',),
}
_OF_FIXTURES = ('opened', 'closed')
_MAX_NAMED = 6


@dataclass(frozen=True)
class Change:
    """
    One difference.

    Parameters
    ----------
    kind : str
        ``appeared``, ``moved``, ``lifted`` (being moved now, was at rest then), ``gone``,
        ``returned``, and of fixtures ``opened``, ``closed``.
    object_id, label : str
        Object or fixture.
    stamp_ns : int
        When it happened, as far as it is known.
    from_fixture, to_fixture : str
        Where it was and is; '' when not known.
    text : str
        A short clause.
    event_ids : tuple of str
        Events that it rests on.

    """

    kind: str
    object_id: str
    label: str
    stamp_ns: int
    from_fixture: str
    to_fixture: str
    text: str
    event_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChangesAnswer(Answer):
    """Differences between two times, by stamp; the earlier time is ``since``."""

    changes: tuple[Change, ...] = ()
    since: Moment | None = None


def list_changes(
    reader: MemoryReader,
    since_ns: int | None = None,
    at: Moment | None = None,
    wanted: ObjectFilter | None = None,
) -> ChangesAnswer:
    """
    Compare what is known as of a moment with what was known as of an earlier one.

    It is what differs in the end that counts: a thing that was moved away and back has moved,
    one that went and came back while nobody looked has not changed.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    since_ns : int, optional
        The earlier time, in the epoch of ``at``; None for before its first frame.
    at : Moment, optional
        As of when; None for now.
    wanted : ObjectFilter, optional
        Only objects that pass it now.

    Raises
    ------
    StMemoryError
        If ``since_ns`` is after ``at``.

    """
    moment, status, reason = as_of(reader, at)
    if moment is None or status in (AnswerStatus.UNKNOWN, AnswerStatus.NOT_YET_SEEN):
        return ChangesAnswer(status, reason, f'I do not know: {reason}.', at=moment)
    limit_ns = moment.stamp_ns if at is None else max(moment.stamp_ns, at.stamp_ns)
    if since_ns is not None and since_ns > limit_ns:
        raise StMemoryError(
            f'since: expected a time not after the answer, {moment.stamp_ns} ns, got {since_ns} ns'
        )
    first = reader.first_moment(moment.epoch)
    begin_ns = (moment.stamp_ns if first is None else first.stamp_ns) - 1
    since = Moment(moment.epoch, begin_ns if since_ns is None else since_ns)
    chosen = wanted or ObjectFilter()
    if chosen.object_id:
        named = select(reader, Selector(object_id=chosen.object_id), moment)
        if not named.found:
            return ChangesAnswer(
                named.status, named.reason, f'I do not know: {named.reason}.', at=moment
            )
        chosen = replace(chosen, object_id=named.found[0].object_id)
    found = [
        change
        for state in reported_objects(reader, moment)
        if chosen.accepts(state)
        for change in _changes_of(reader, state, moment, since)
    ]
    if wanted is None:
        found.extend(_of_fixtures(reader, moment, since))
    found.sort(key=lambda change: (change.stamp_ns, change.object_id))
    return ChangesAnswer(
        status,
        reason,
        _sentence(found, reason),
        at=moment,
        evidence_ids=tuple(name for change in found[-_MAX_NAMED:] for name in change.event_ids),
        changes=tuple(found),
        since=since,
    )


def _changes_of(
    reader: MemoryReader, state: ObjectState, at: Moment, since: Moment
) -> Iterator[Change]:
    """Give the difference of one object; none for one that is as it was."""
    before = state_then(reader, state, at, since)
    if before is not None and before.life_cycle not in REPORTED:
        before = None
    kind = _kind(before, state)
    if not kind:
        return
    events = [
        e
        for e in events_of(reader, state, at)
        if e.event_type in _TOLD_BY[kind] and e.recorded_ns > since.stamp_ns
    ]
    yield Change(
        kind,
        state.object_id,
        state.label,
        _stamp_ns(kind, state, events, at, since),
        '' if before is None else before.fixture_id,
        '' if is_gone(state) or state.in_motion else state.fixture_id,
        _appeared(reader, state, at) if before is None else _text(kind, before, state),
        tuple(e.event_id for e in events[-3:]),
    )


def _kind(before: ObjectState | None, state: ObjectState) -> str:
    if before is None:
        return '' if is_gone(state) else 'appeared'
    if is_gone(state):
        return '' if is_gone(before) else 'gone'
    if state.num_moves > before.num_moves:
        return 'moved'
    if is_gone(before):
        return 'returned'
    return 'lifted' if state.in_motion and not before.in_motion else ''


def _stamp_ns(
    kind: str, state: ObjectState, events: list[Event], at: Moment, since: Moment
) -> int:
    """
    Say when it happened: by its event, the last of several, else by the object's own stamps.

    What began before the earlier time and was concluded after it changed when it was concluded.
    """
    if events:
        # What another one was merged into appeared when the first of them did.
        last = events[0] if kind == 'appeared' else events[-1]
        stamp_ns = last.start_ns if kind in ('appeared', 'gone') else last.end_ns
        return stamp_ns if stamp_ns > since.stamp_ns else last.recorded_ns
    own_ns = {'moved': state.last_placed_ns, 'appeared': state.first_seen_ns}.get(kind)
    return at.stamp_ns if own_ns is None or own_ns <= since.stamp_ns else own_ns


def _appeared(reader: MemoryReader, state: ObjectState, at: Moment) -> str:
    """Say where it was when it appeared, and where it is by now if it is elsewhere."""
    rows = placements_of(reader, state, at)
    if not rows or (len(rows) == 1 and rows[0].end_ns is None):
        return f'appeared {describe_place(state)}'
    x, y, z = rows[0].world_p
    first = rows[0].fixture_id
    where = f'at {first}' if first else f'at ({x:.2f}, {y:.2f}, {z:.2f}) m'
    now = 'being moved' if state.in_motion else describe_place(state)
    return f'appeared {where} and is now {now}'


def _text(kind: str, before: ObjectState, state: ObjectState) -> str:
    """Say the difference, to follow the object's id."""
    if kind == 'moved':
        times = state.num_moves - before.num_moves
        often = f', {describe_count(times)}' if times > 1 else ''
        where = 'and is being moved' if state.in_motion else f'to be {describe_place(state)}'
        return f'was moved from where it was {describe_place(before)} {where}{often}'
    words = {
        'gone': f'is no longer {describe_place(state)}',
        'returned': f'is back {describe_place(state)}',
        'lifted': f'was taken up from where it was {describe_place(before)}',
    }
    return words[kind]


def _of_fixtures(reader: MemoryReader, at: Moment, since: Moment) -> Iterator[Change]:
    """Give what was opened and closed and is left so, as far as events tell."""
    latest: dict[str, Event] = {}
    for event in reader.events(at):
        if event.event_type in _OF_FIXTURES and event.start_ns > since.stamp_ns and event.roles:
            latest[event.roles[0][1]] = event
    labels = {f.fixture_id: f.label for f in reader.scene().fixtures}
    for name, event in latest.items():
        label = labels.get(name, name)
        text = f'was {event.event_type}'
        ids = (event.event_id,)
        yield Change(event.event_type, name, label, event.end_ns, '', '', text, ids)


def _sentence(changes: list[Change], reason: str) -> str:
    if not changes:
        text = 'Nothing that I know of has changed'
    else:
        named = '; '.join(f'{clip_name(c.object_id)} {c.text}' for c in changes[-_MAX_NAMED:])
        things = '1 change' if len(changes) == 1 else f'{len(changes)} changes'
        left_out = ', the latest' if len(changes) > _MAX_NAMED else ''
        text = f'I know of {things}{left_out}: {named}'
    return f'{text}; {reason}.' if reason else f'{text}.'
