"""Where it is."""

from __future__ import annotations

from dataclasses import replace

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import LocateAnswer
from st_memory.core.queries.guessing import names_its_guess
from st_memory.core.queries.history import evidence_of
from st_memory.core.queries.persistence import StayChances, StayPrior
from st_memory.core.queries.selection import judge, select, Selection, Selector, Subject, Verdict
from st_memory.core.queries.wording import (
    clip_name,
    describe_doubt,
    describe_place,
    describe_visibility,
    describe_when,
    is_gone,
    is_just_now,
    join_names,
    name_first,
)
from st_memory.core.records import AnswerStatus, ObjectState
from st_memory.core.stamps import Moment

__all__ = ['locate', 'stale_place']


@names_its_guess
def locate(
    reader: MemoryReader,
    selector: Selector,
    at: Moment | None = None,
    persistence: StayPrior | None = None,
) -> LocateAnswer:
    """
    Say where an object is, whether or not it can be seen.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    selector : Selector
        Which object.
    at : Moment, optional
        As of when; None for now. What is answered is as of the newest frame not after it.
    persistence : StayPrior, optional
        Give the ``existence_probability`` of what is out of sight, learned from how often things
        of its class were moved so far. It moves no place and changes no status.

    Returns
    -------
    LocateAnswer
        AMBIGUOUS when several objects fit (the one seen last is ``object``), UNKNOWN when it is
        known by name only, STALE when what is known may no longer hold: it was shown to be gone
        from its last place, was lost while being carried, is on its way unseen, was seen
        elsewhere since, or the newest frame is long before ``at``.

    """
    found = select(reader, selector, at, Subject.PLACE)
    if not found.found:
        return LocateAnswer(
            found.status, found.reason, f'I do not know: {found.reason}.', at=found.at
        )
    state = found.found[0]
    verdict = judge(state, found, Subject.PLACE)
    sentence = _sentence(state, verdict, found)
    chance = None
    if persistence is not None and found.at is not None:
        asked = found.at if at is None or at.epoch != found.at.epoch else max(at, found.at)
        chance = StayChances(reader, asked, persistence).of(state)
        if chance is not None:
            state = replace(state, existence_probability=chance)
            sentence += _chance_in_words(chance)
    return LocateAnswer(
        status=verdict.status,
        reason=verdict.reason,
        sentence=sentence,
        at=found.at,
        object=state,
        alternatives=found.found[1:],
        evidence_ids=evidence_of(reader, state, found.at),
        existence_estimated=chance is not None,
    )


def _chance_in_words(chance: float) -> str:
    if not 0.0 < chance < 1.0:
        return ''
    return f' It is still there with a probability of {chance:.2f}.'


def stale_place(state: ObjectState, verdict: Verdict, found: Selection) -> str:
    """Say where it was last, and why that may no longer hold."""
    text = f'{name_first(state)} was last {describe_place(state)}'
    if is_gone(state):
        text += ' and is no longer there'
    if not state.in_motion and not found.astray:
        text += _last_seen(state, found)
    return f'{text}{describe_doubt(state)}: {verdict.reason}.'


def _sentence(state: ObjectState, verdict: Verdict, found: Selection) -> str:
    if verdict.status is AnswerStatus.UNKNOWN:
        return f'{name_first(state)}: {verdict.reason}.'
    if verdict.status is AnswerStatus.STALE:
        return stale_place(state, verdict, found)
    if state.in_motion and state.last_seen_ns != (found.at and found.at.stamp_ns):
        text = f'{name_first(state)} is being moved, and was {describe_place(state)}'
        return f'{text}{_last_seen(state, found)}{_others(found)}.'
    text = f'{name_first(state)} is {describe_place(state)}'
    text += f', {describe_visibility(state.visibility, state.cause, state.occluder_id)}'
    return f'{text}{_last_seen(state, found)}{_others(found)}.'


def _others(found: Selection) -> str:
    doubt = describe_doubt(found.found[0])
    if len(found.found) < 2:
        return doubt
    names = join_names([clip_name(s.object_id) for s in found.found[1:]])
    return f'; others that fit: {names}{doubt}'


def _last_seen(state: ObjectState, found: Selection) -> str:
    if state.last_seen_ns is None or found.at is None:
        return ''
    ago_ns = found.at.stamp_ns - state.last_seen_ns
    if is_just_now(ago_ns) and not found.lag:
        return ', seen just now'
    return f', last seen {describe_when(ago_ns, lagging=bool(found.lag))}'
