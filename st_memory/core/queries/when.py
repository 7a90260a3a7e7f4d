"""When it was last visible, and when it was last put down."""

from __future__ import annotations

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import WhenAnswer
from st_memory.core.queries.asked_names import check_names
from st_memory.core.queries.guessing import names_its_guess
from st_memory.core.queries.history import intervals_of, observations_of
from st_memory.core.queries.references import camera_named, never_looked
from st_memory.core.queries.selection import select, Selector, Subject
from st_memory.core.queries.when_answers import known_when, nothing_known, unknown_when
from st_memory.core.queries.wording import describe_place
from st_memory.core.records import ObjectState, Visibility
from st_memory.core.records.objects import PLACED_BY_LOSS
from st_memory.core.stamps import Moment

__all__ = ['when_last_placed', 'when_last_visible']


@names_its_guess
def when_last_visible(
    reader: MemoryReader,
    selector: Selector,
    at: Moment | None = None,
    camera_id: str = '',
    *,
    confirmed_only: bool = False,
) -> WhenAnswer:
    """
    Say when an object was last visible.

    That is the latest frame whose fused state was VISIBLE, or that showed it being moved.

    Parameters
    ----------
    reader, selector, at
        As in :func:`st_memory.core.queries.locate`.
    camera_id : str
        By which camera, by its id or optical frame; '' for any.
    confirmed_only : bool
        Count only frames with a matching detection.

    """
    check_names(camera=camera_id)
    found = select(reader, selector, at, Subject.LAST_SIGHT)
    if not found.found:
        return nothing_known(found)
    state = found.found[0]
    camera_id = camera_named(reader, camera_id, found.at)
    if camera_id or confirmed_only:
        stamps = _stamps_by(reader, state, found.at, camera_id, confirmed_only)
    else:
        stamps = [] if state.last_visible_ns is None else [state.last_visible_ns]
    if not stamps and camera_id and reader.look_at(camera_id, found.at) is None:
        return unknown_when(reader, found, never_looked(reader, camera_id, found.at))
    if not stamps:
        whose = f' by camera {camera_id}' if camera_id else ''
        what = 'its sight was never confirmed' if confirmed_only else 'it was never visible'
        return unknown_when(reader, found, what + whose)
    source = 'detection' if max(stamps) == state.last_seen_ns else 'geometry'
    how = Subject.LAST_SIGHT, 'was last visible', source
    return known_when(reader, found, max(stamps), *how)


@names_its_guess
def when_last_placed(
    reader: MemoryReader, selector: Selector, at: Moment | None = None
) -> WhenAnswer:
    """
    Say when an object was last put down: the end of its last completed movement.

    Parameters
    ----------
    reader, selector, at
        As in :func:`st_memory.core.queries.locate`.

    Returns
    -------
    WhenAnswer
        UNKNOWN, with the reason, for an object that was never seen to move.

    """
    found = select(reader, selector, at, Subject.LAST_PLACEMENT)
    if not found.found:
        return nothing_known(found)
    state = found.found[0]
    if state.last_placed_ns is None:
        reason = 'it is being moved for the first time' if state.in_motion else ''
        return unknown_when(reader, found, reason or 'it has not been seen to move')
    is_assumed = state.placed_by == PLACED_BY_LOSS
    words = 'is assumed to have been put down' if is_assumed else 'was last put down'
    if not state.in_motion:
        words += f' {describe_place(state)}'
    how = Subject.LAST_PLACEMENT, words, state.placed_by
    return known_when(reader, found, state.last_placed_ns, *how)


def _stamps_by(
    reader: MemoryReader,
    state: ObjectState,
    at: Moment | None,
    camera_id: str,
    confirmed_only: bool,
) -> list[int]:
    """
    Stamps of frames that showed it, by one camera or (with '') any.

    Being seen to move is being seen; a frame without a match counts only where the verdict of
    its interval is VISIBLE.
    """
    stamps = [
        o.stamp_ns
        for o in observations_of(reader, state, at)
        if o.camera_id and camera_id in ('', o.camera_id)
    ]
    if not confirmed_only:
        stamps += [
            i.last_frame_ns
            for i in intervals_of(reader, state, at, camera_id)
            if i.state is Visibility.VISIBLE
        ]
    return stamps
