"""Whether it can be seen, and why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import VisibilityAnswer
from st_memory.core.queries.as_of import FRESH_NS
from st_memory.core.queries.as_told import sight_at_rest
from st_memory.core.queries.asked_names import check_names
from st_memory.core.queries.guessing import names_its_guess
from st_memory.core.queries.history import evidence_of
from st_memory.core.queries.references import camera_named, never_looked
from st_memory.core.queries.selection import judge, select, Selection, Selector, Subject, Verdict
from st_memory.core.queries.where import stale_place
from st_memory.core.queries.wording import (
    clip_name,
    describe_duration,
    describe_visibility,
    is_gone,
    name_first,
)
from st_memory.core.records import (
    AnswerStatus,
    MOST_TELLING_FIRST,
    ObjectState,
    Visibility,
    VisibilityInterval,
)
from st_memory.core.stamps import Moment

__all__ = ['get_visibility']


@names_its_guess
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
        From which camera, by its id or optical frame; '' for any: of those that looked within
        the last second before the moment, the one whose verdict says most
        (``MOST_TELLING_FIRST``), as in the object's state; if none did, the one that looked
        last.

    """
    check_names(camera=camera_id)
    found = select(reader, selector, at, Subject.SIGHT)
    if not found.found:
        return VisibilityAnswer(
            found.status, found.reason, f'I do not know: {found.reason}.', at=found.at
        )
    state = found.found[0]
    camera_id = camera_named(reader, camera_id, found.at)
    open_intervals = [
        i
        for i in reader.intervals(state.object_id, found.at, camera_id or None)
        if i.end_ns is None
    ]
    if not open_intervals:
        return _unknown(reader, found, _why_no_look(reader, camera_id, found.at))
    return _answer(reader, found, _at_rest(state, _most_telling(open_intervals, found.at)))


def _why_no_look(reader: MemoryReader, camera_id: str, at: Moment | None) -> str:
    if not camera_id:
        return 'no camera looked yet'
    if reader.look_at(camera_id, at) is None:
        return never_looked(reader, camera_id, at)
    return f'camera {clip_name(camera_id)} has not looked for it yet'


def _most_telling(
    open_intervals: Sequence[VisibilityInterval], at: Moment | None
) -> VisibilityInterval:
    """Choose among cameras; those that have not looked for a second have no say."""
    latest = max(open_intervals, key=lambda i: (i.last_frame_ns, i.start_ns, i.camera_id))
    now_ns = latest.last_frame_ns if at is None else at.stamp_ns
    recent = [i for i in open_intervals if now_ns - i.last_frame_ns <= FRESH_NS]
    if not recent:
        return latest
    return min(recent, key=lambda i: (MOST_TELLING_FIRST.index(i.state), i.camera_id))


def _at_rest(state: ObjectState, row: VisibilityInterval) -> VisibilityInterval:
    """Take the motion out of a look whose frame found that the movement had ended before."""
    if state.in_motion or row.state is not Visibility.IN_MOTION:
        return row
    shown, cause = sight_at_rest(row.geometry)
    return replace(row, state=shown, cause=cause, start_ns=row.last_frame_ns)


def _answer(
    reader: MemoryReader, found: Selection, current: VisibilityInterval
) -> VisibilityAnswer:
    state = found.found[0]
    shown, cause, occluder_id = current.state, current.cause, current.occluder_id
    since_ns: int | None = current.start_ns
    if is_gone(state):
        if shown is not Visibility.ABSENT:  # concluded since, or that camera could not tell
            shown, cause, occluder_id, since_ns = Visibility.ABSENT, 'seen_through', '', None
    elif state.in_motion:
        shown, cause, occluder_id = state.visibility, state.cause, ''
    verdict = _verdict(state, found, current)
    return VisibilityAnswer(
        status=verdict.status,
        reason=verdict.reason,
        sentence=_sentence(state, verdict, found, current),
        at=found.at,
        object=state,
        alternatives=found.found[1:],
        evidence_ids=evidence_of(reader, state, found.at),
        state=shown,
        cause=cause,
        occluder_id=occluder_id,
        since_ns=since_ns,
        confirmed_fraction=current.confirmed_fraction,
        intervals=(current,),
        total=1,
    )


def _verdict(state: ObjectState, found: Selection, current: VisibilityInterval) -> Verdict:
    """Judge the answer; a camera that stopped looking makes it stale too."""
    if found.at is not None and not state.in_motion:
        age_ns = found.at.stamp_ns - current.last_frame_ns
        if age_ns > FRESH_NS:
            pause = f'camera {current.camera_id} last looked {describe_duration(age_ns)} ago'
            found = found._replace(lag='; '.join(filter(None, (pause, found.lag))))
    return judge(state, found, Subject.SIGHT)


def _sentence(
    state: ObjectState, verdict: Verdict, found: Selection, current: VisibilityInterval
) -> str:
    start = name_first(state)
    if verdict.status is AnswerStatus.UNKNOWN:
        return f'{start}: {verdict.reason}.'
    if is_gone(state):
        return stale_place(state, verdict, found)
    is_stale = verdict.status is AnswerStatus.STALE
    length_ns = 0 if state.in_motion else current.last_frame_ns - current.start_ns
    verb = 'was last' if is_stale else 'has been' if length_ns > 0 else 'is'
    if state.in_motion:
        what = describe_visibility(state.visibility, state.cause, '')
    else:
        what = describe_visibility(current.state, current.cause, current.occluder_id)
    text = f'{start} {verb} {what}'
    text += f' for {describe_duration(length_ns)}' if length_ns > 0 else ''
    return f'{text}: {verdict.reason}.' if is_stale else f'{text}.'


def _unknown(reader: MemoryReader, found: Selection, reason: str) -> VisibilityAnswer:
    state = found.found[0]
    why = '; '.join(filter(None, (reason, found.reason, found.lag)))
    return VisibilityAnswer(
        AnswerStatus.UNKNOWN,
        why,
        f'{name_first(state)}: {why}.',
        at=found.at,
        object=state,
        alternatives=found.found[1:],
        evidence_ids=evidence_of(reader, state, found.at),
    )
