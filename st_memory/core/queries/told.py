"""What came of what a person said, as an answer."""

from __future__ import annotations

from dataclasses import dataclass

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import Answer
from st_memory.core.records import AnswerStatus, Edit, EditAction, FrameDelta, LifeCycle, Rebase
from st_memory.core.records.edits import HUMAN
from st_memory.core.stamps import Moment

__all__ = ['RebaseAnswer', 'edit_answer', 'rebase_answer', 'refused']


@dataclass(frozen=True)
class RebaseAnswer(Answer):
    """
    What a change of the map made of a memory.

    Parameters
    ----------
    epoch : int
        The newest epoch, the one that was opened unless it is only a plan.
    num_observations, num_left : int
        Observations that were projected anew, and those that could not be.
    num_objects : int
        Objects whose place changed.
    merged : tuple of (str, str)
        Ids of objects that turned out to be one; the first stays.
    max_shift_m : float
        Largest change of a place, metres.

    """

    epoch: int = 0
    num_observations: int = 0
    num_left: int = 0
    num_objects: int = 0
    merged: tuple[tuple[str, str], ...] = ()
    max_shift_m: float = 0.0


def edit_answer(reader: MemoryReader, edit: Edit, delta: FrameDelta) -> Answer:
    """
    Say what an edit changed.

    Parameters
    ----------
    reader : MemoryReader
        The memory after the edit.
    edit : Edit
        What was said.
    delta : FrameDelta
        What it changed.

    """
    at = Moment(delta.frame.epoch, delta.frame.stamp_ns)
    told = [event for event in delta.events if event.source == HUMAN]
    names = [who for event in told for role, who in event.roles if role == 'object']
    object_id = names[0] if names else edit.object_id
    state = None if edit.action is EditAction.FORGET else reader.object_at(object_id, at)
    if state is not None and state.life_cycle is LifeCycle.RETIRED:
        state = None
    clauses = [event.detail for event in told] or ['that is so already, nothing was changed']
    return Answer(
        AnswerStatus.KNOWN,
        '',
        ' '.join(map(_sentence, clauses)),
        at,
        state,
        evidence_ids=tuple(event.event_id for event in told),
    )


def rebase_answer(plan: Rebase, delta: FrameDelta | None, at: Moment) -> RebaseAnswer:
    """
    Say what a change of the map did, or would do.

    Parameters
    ----------
    plan : Rebase
        The change.
    delta : FrameDelta, optional
        The frame that it came in; None when it is only planned.
    at : Moment
        Newest moment of the memory.

    """
    clause = plan.describe()
    if delta is None:
        clause = f'nothing was changed; it would be: {clause}'
    events = () if delta is None else delta.events
    return RebaseAnswer(
        AnswerStatus.KNOWN,
        '',
        _sentence(clause),
        at,
        evidence_ids=tuple(e.event_id for e in events if e.event_type == 'rebased'),
        epoch=at.epoch,
        num_observations=plan.num_observations,
        num_left=plan.num_left,
        num_objects=plan.num_objects,
        merged=plan.merged,
        max_shift_m=plan.max_shift_m,
    )


def refused(reader: MemoryReader, reason: str) -> Answer:
    """Say why nothing was changed."""
    return Answer(
        AnswerStatus.UNKNOWN, reason, _sentence(f'nothing was changed: {reason}'), reader.now()
    )


def _sentence(clause: str) -> str:
    text = clause[:1].upper() + clause[1:]
    return text if text.endswith(('.', '!', '?')) else f'{text}.'
