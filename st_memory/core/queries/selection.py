"""From what a person or planner says to the objects that are meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import enum
from typing import NamedTuple

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.as_of import as_of
from st_memory.core.queries.as_told import (
    as_told,
    REPORTED,
    reported_called,
    reported_objects,
)
from st_memory.core.queries.meaning import Likeness, SAME
from st_memory.core.queries.naming import (
    alike,
    describe_meant,
    fitting,
    named_briefly,
    named_so,
    Selector,
)
from st_memory.core.queries.straying import straying
from st_memory.core.queries.unfound import why_not_found
from st_memory.core.queries.wording import clip_name, describe_duration, is_gone
from st_memory.core.records import AnswerStatus, ObjectState
from st_memory.core.records.objects import PLACED_BY_LOSS
from st_memory.core.stamps import Moment, NS_PER_S

__all__ = [
    'MOVING_FRESH_NS',
    'REPORTED',
    'Selection',
    'Selector',
    'Subject',
    'Verdict',
    'judge',
    'reported_objects',
    'select',
]

# A thing in a hand, unseen for longer than this, may be anywhere.
MOVING_FRESH_NS = 2 * NS_PER_S


class Selection(NamedTuple):
    """
    The object a selector means, or why none.

    ``found`` holds all candidates, the one seen last first; ``status`` is KNOWN for one,
    AMBIGUOUS for several (the first is the best guess and is named as such), and for one that
    the words only come close to. ``at`` is the
    moment of the frame that is answered from; ``lag`` says that it is long before the time
    asked about, '' when it is not. ``astray`` says that the first was seen elsewhere than at the
    place that is kept of it, '' when it was not or no place is asked for.
    """

    found: tuple[ObjectState, ...]
    status: AnswerStatus
    reason: str
    at: Moment | None
    lag: str = ''
    astray: str = ''


@enum.unique
class Subject(enum.Enum):
    """What a question is about: it decides what makes the answer doubtful."""

    PLACE = enum.auto()
    SIGHT = enum.auto()
    LAST_SIGHT = enum.auto()
    LAST_PLACEMENT = enum.auto()
    FIRST_SIGHT = enum.auto()


_OF_A_PLACE = (Subject.PLACE, Subject.LAST_PLACEMENT)
_OF_THE_PAST = (Subject.LAST_SIGHT, Subject.LAST_PLACEMENT, Subject.FIRST_SIGHT)


class Verdict(NamedTuple):
    """How good an answer is, and why it is not better; '' for KNOWN."""

    status: AnswerStatus
    reason: str


def judge(state: ObjectState, found: Selection, subject: Subject) -> Verdict:
    """
    Say how good an answer about one of the selected objects is.

    UNKNOWN outweighs STALE, and STALE outweighs AMBIGUOUS; the reason names all that apply.

    Parameters
    ----------
    state : ObjectState
        The object that is answered about.
    found : Selection
        What it was selected from.
    subject : Subject
        What is asked. Stamps of the past need no measured position; whether a thing in motion
        can be seen is known however long ago it was seen.

    """
    unknown = _missing(state, subject)
    stale = list(filter(None, (*_doubts(state, found, subject), found.lag)))
    status = found.status
    if unknown:
        status = AnswerStatus.UNKNOWN
    elif stale:
        status = AnswerStatus.STALE
    return Verdict(status, '; '.join(filter(None, (unknown, *stale, found.reason))))


def _missing(state: ObjectState, subject: Subject) -> str:
    """Why nothing can be said at all; '' when something can."""
    if state.world_p is not None or subject in _OF_THE_PAST:
        return ''
    if subject is Subject.SIGHT and state.in_motion:
        return ''
    if state.last_placed_ns is not None:
        return 'its position has not been measured since it was moved'
    return 'it was reported but its position was never measured'


def _doubts(state: ObjectState, found: Selection, subject: Subject) -> Iterator[str]:
    """Reasons why what is known of the object may no longer hold."""
    if subject is Subject.FIRST_SIGHT:
        return  # nothing that came later changes it
    if is_gone(state):
        yield 'its last place was seen to be empty'
        return
    if state.placed_by == PLACED_BY_LOSS and (
        not state.in_motion or subject is Subject.LAST_PLACEMENT
    ):
        yield 'it was lost from sight while being carried'
    if found.astray and subject in _OF_A_PLACE:
        yield found.astray
    if state.in_motion and subject is not Subject.SIGHT and found.at is not None:
        if state.last_seen_ns is None:
            yield 'it is being moved and has not been seen yet'
        elif found.at.stamp_ns - state.last_seen_ns > MOVING_FRESH_NS:
            ago = describe_duration(found.at.stamp_ns - state.last_seen_ns)
            yield f'it is being moved and was last seen {ago} ago'


def select(
    reader: MemoryReader, selector: Selector, at: Moment | None, subject: Subject | None = None
) -> Selection:
    """
    Find the object that is meant, as of the newest frame not after a moment.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    selector : Selector
        What was said. The id of an object that was merged means the one it was merged into.
    at : Moment, optional
        None for now.
    subject : Subject, optional
        What is asked; whether it was seen elsewhere is looked up only where a place is. None for
        what no doubt about a place changes.

    """
    moment, status, lag = as_of(reader, at)
    if moment is None:
        return Selection((), status, lag, None)
    if not selector.describe():
        return Selection((), AnswerStatus.UNKNOWN, 'no object was named', moment)
    if status not in (AnswerStatus.KNOWN, AnswerStatus.STALE):
        return Selection((), status, lag, moment)
    found, meant = _found(reader, selector, moment)
    if not found:
        status, reason = why_not_found(reader, selector, moment, meant)
        return Selection((), status, reason, moment, lag)
    found.sort(key=lambda s: (-(s.last_seen_ns or 0), s.object_id))
    astray = straying(reader, found[0], moment, lag) if subject in _OF_A_PLACE else ''
    if len(found) > 1:
        names = named_briefly([s.object_id for s in found])
        reason = f'{len(found)} objects fit {clip_name(selector.describe())}: {names}'
        reason += f' ({describe_meant(meant)})' if meant else ''
        return Selection(tuple(found), AnswerStatus.AMBIGUOUS, reason, moment, lag, astray)
    reason = (
        f'{clip_name(selector.text)} is taken to mean {describe_meant(meant)}' if meant else ''
    )
    is_guess = bool(meant) and meant[0].cosine < SAME
    status = AnswerStatus.AMBIGUOUS if is_guess else AnswerStatus.KNOWN
    return Selection(tuple(found), status, reason, moment, lag, astray)


def _found(
    reader: MemoryReader, selector: Selector, at: Moment
) -> tuple[list[ObjectState], Sequence[Likeness]]:
    """Give the objects that are meant, and what their names were taken to mean."""
    if selector.object_id:  # the usual case needs one row, however many objects there are
        state = reader.object_at(selector.object_id, at)
        if state is not None and state.life_cycle in REPORTED:
            return [as_told(state)], []
        called = reported_called(reader, selector.object_id, at)
        return [s for s in called if selector.object_id in s.aliases], []
    if selector.label:
        return list(reported_called(reader, selector.label, at)), []
    objects = reported_objects(reader, at)
    found = fitting(objects, selector)
    meant = [] if found else alike(objects, selector)
    return found or named_so(objects, meant), meant
