"""Where it is."""

from __future__ import annotations

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import LocateAnswer
from st_memory.core.queries.selection import select, Selection, Selector
from st_memory.core.queries.wording import (
    describe_duration,
    describe_place,
    describe_visibility,
    join_names,
)
from st_memory.core.records import AnswerStatus, LifeCycle, ObjectState
from st_memory.core.stamps import Moment

__all__ = ['evidence_of', 'locate', 'sentence_start']


def locate(reader: MemoryReader, selector: Selector, at: Moment | None = None) -> LocateAnswer:
    """
    Say where an object is, whether or not it can be seen.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    selector : Selector
        Which object.
    at : Moment, optional
        As of when; None for now.

    Returns
    -------
    LocateAnswer
        AMBIGUOUS when several objects fit (the one seen last is ``object``), UNKNOWN when it is
        known by name only, STALE when it was shown to be gone from its last place.

    """
    found = select(reader, selector, at)
    if not found.found:
        return LocateAnswer(
            found.status, found.reason, f'I do not know: {found.reason}.', at=found.at
        )
    state = found.found[0]
    status, reason = _status(state, found)
    return LocateAnswer(
        status=status,
        reason=reason,
        sentence=_sentence(state, status, found),
        at=found.at,
        object=state,
        alternatives=found.found[1:],
        evidence_ids=evidence_of(reader, state, found.at),
    )


def evidence_of(reader: MemoryReader, state: ObjectState, at: Moment | None) -> tuple[str, ...]:
    """Give the observation that a state rests on most recently."""
    latest = reader.observations(state.object_id, at, limit=1)
    return tuple(o.observation_id for o in latest)


def sentence_start(state: ObjectState) -> str:
    """Name the object at the start of a sentence."""
    name = state.label
    return f'The {name}' if state.object_id == name else f'The {name} ({state.object_id})'


def _status(state: ObjectState, found: Selection) -> tuple[AnswerStatus, str]:
    if state.world_p is None:
        return AnswerStatus.UNKNOWN, 'it was reported but its position was never measured'
    if state.life_cycle == LifeCycle.ABSENT:
        return AnswerStatus.STALE, 'its last place was seen to be empty'
    return found.status, found.reason


def _sentence(state: ObjectState, status: AnswerStatus, found: Selection) -> str:
    start = sentence_start(state)
    if status is AnswerStatus.UNKNOWN:
        return f'{start} is known, but where it is has never been measured.'
    if status is AnswerStatus.STALE:
        text = f'{start} was last {describe_place(state)} and is no longer there'
    else:
        text = f'{start} is {describe_place(state)}'
        text += f', {describe_visibility(state.visibility, state.cause, state.occluder_id)}'
    if state.last_seen_ns is not None and found.at is not None:
        ago = found.at.stamp_ns - state.last_seen_ns
        text += ', seen just now' if ago == 0 else f', last seen {describe_duration(ago)} ago'
    if len(found.found) > 1:
        text += f'; others that fit: {join_names([s.object_id for s in found.found[1:]])}'
    return text + '.'
