"""Whether it can be seen, why not, and how that has been over time."""

from __future__ import annotations

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import VisibilityAnswer
from st_memory.core.queries.selection import select, Selector
from st_memory.core.queries.where import evidence_of, sentence_start
from st_memory.core.queries.wording import describe_duration, describe_visibility
from st_memory.core.records import AnswerStatus, ObjectState, VisibilityInterval
from st_memory.core.stamps import Moment

__all__ = ['get_timeline', 'get_visibility']


def get_visibility(
    reader: MemoryReader,
    selector: Selector,
    at: Moment | None = None,
    camera_id: str = '',
) -> VisibilityAnswer:
    """
    Say whether an object can be seen at a moment, and if not, why not.

    Parameters
    ----------
    reader, selector, at
        As in :func:`st_memory.core.queries.locate`.
    camera_id : str
        From which camera; '' for the one that looked last.

    """
    found = select(reader, selector, at)
    if not found.found:
        return VisibilityAnswer(
            found.status, found.reason, f'I do not know: {found.reason}.', at=found.at
        )
    state = found.found[0]
    open_intervals = [
        i for i in reader.intervals(state.object_id, at, camera_id or None) if i.end_ns is None
    ]
    if not open_intervals:
        reason = f'camera {camera_id} has not looked yet' if camera_id else 'no camera looked yet'
        return VisibilityAnswer(
            AnswerStatus.UNKNOWN,
            reason,
            f'{sentence_start(state)}: {reason}.',
            at=found.at,
            object=state,
            alternatives=found.found[1:],
        )
    current = max(open_intervals, key=lambda i: (i.last_frame_ns, i.start_ns, i.camera_id))
    return _answer(
        reader, state, current, (current,), found.status, found.reason, found.at, found.found[1:]
    )


def get_timeline(
    reader: MemoryReader,
    selector: Selector,
    at: Moment | None = None,
    camera_id: str = '',
) -> VisibilityAnswer:
    """Give all visibility intervals up to a moment, beside the current state."""
    current = get_visibility(reader, selector, at, camera_id)
    if current.object is None:
        return current
    intervals = reader.intervals(current.object.object_id, at, camera_id or None)
    return VisibilityAnswer(**{**vars(current), 'intervals': intervals})


def _answer(
    reader: MemoryReader,
    state: ObjectState,
    current: VisibilityInterval,
    intervals: tuple[VisibilityInterval, ...],
    status: AnswerStatus,
    reason: str,
    at: Moment | None,
    alternatives: tuple[ObjectState, ...],
) -> VisibilityAnswer:
    moving = state.in_motion
    shown = state.visibility if moving else current.state
    cause = state.cause if moving else current.cause
    text = f'{sentence_start(state)} is {describe_visibility(shown, cause, current.occluder_id)}'
    if at is not None and at.stamp_ns > current.start_ns and not moving:
        text += f' for {describe_duration(at.stamp_ns - current.start_ns)}'
    return VisibilityAnswer(
        status=status,
        reason=reason,
        sentence=text + '.',
        at=at,
        object=state,
        alternatives=alternatives,
        evidence_ids=evidence_of(reader, state, at),
        state=shown,
        cause=cause,
        occluder_id='' if moving else current.occluder_id,
        since_ns=current.start_ns,
        confirmed_fraction=current.confirmed_fraction,
        intervals=intervals,
    )
