"""Why no object fits what was said: it is forgotten, of an earlier epoch, or was never seen."""

from __future__ import annotations

from collections.abc import Sequence

from st_memory.core.memory.lineage import parent_of
from st_memory.core.ports import MemoryReader
from st_memory.core.queries.as_told import as_told, REPORTED, reported_objects
from st_memory.core.queries.meaning import Likeness, WORTH_NAMING
from st_memory.core.queries.naming import describe_meant, fitting, named_briefly, Selector
from st_memory.core.queries.wording import clip_name, describe_place
from st_memory.core.records import AnswerStatus, LifeCycle, ObjectState
from st_memory.core.stamps import Moment

__all__ = ['why_not_found']

_END_OF_TIME_NS = 2**63 - 1


def why_not_found(
    reader: MemoryReader, selector: Selector, at: Moment, meant: Sequence[Likeness]
) -> tuple[AnswerStatus, str]:
    """
    Say why nothing fits a selector.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    selector : Selector
        What was said; not empty.
    at : Moment
        As of when.
    meant : sequence of Likeness
        What comes closest to it in meaning, though not close enough.

    """
    forgotten = _forgotten(reader, selector, at)
    if forgotten:
        reason = f'{clip_name(forgotten)} was forgotten, as a person asked'
        return AnswerStatus.UNKNOWN, reason
    # A rebase has taken everything over: what it left behind is in no map.
    is_rebased = parent_of(reader, at.epoch) is not None
    earlier = () if is_rebased else (e for e in reader.epochs() if e < at.epoch)
    for epoch in sorted(earlier, reverse=True):
        end = Moment(epoch, _END_OF_TIME_NS)
        found = [as_told(s) for s in _fitting(reader, selector, end) if s.life_cycle in REPORTED]
        if found:
            found.sort(key=lambda s: (-(s.last_seen_ns or 0), s.object_id))
            where = f'{clip_name(found[0].object_id)} was last {describe_place(found[0])}'
            return (
                AnswerStatus.NO_POSE,
                f'{where} in an earlier map; its place in this map is not known',
            )
    known = named_briefly(sorted({s.label for s in reported_objects(reader, at)})) or 'nothing'
    reason = f'no {clip_name(selector.describe())} has been seen by then; '
    if meant and meant[0].cosine >= WORTH_NAMING:
        reason += f'closest is {describe_meant(meant)}; '
    return AnswerStatus.NOT_YET_SEEN, f'{reason}known are: {known}'


def _forgotten(reader: MemoryReader, selector: Selector, at: Moment) -> str:
    """Give the id of an object that fits, and is told of no more as a person asked; or ''."""
    for state in _fitting(reader, selector, at):
        if state.life_cycle is not LifeCycle.RETIRED:
            continue
        said = reader.events(at, object_id=state.object_id)
        last = [e.event_type for e in said if e.event_type in ('forgotten', 'restored')][-1:]
        if last == ['forgotten']:
            return state.object_id
    return ''


def _fitting(reader: MemoryReader, selector: Selector, at: Moment) -> list[ObjectState]:
    """Give what fits at a moment, whatever its life cycle; only a free text reads everything."""
    if selector.object_id:
        state = reader.object_at(selector.object_id, at)
        return [] if state is None else [state]
    if selector.label:
        return list(reader.objects_called(selector.label, at))
    return fitting(reader.objects_at(at), selector)
