"""What a person who named an object that is not there may have meant."""

from __future__ import annotations

from difflib import get_close_matches

from st_memory.core.ports import MemoryReader
from st_memory.core.records import LifeCycle
from st_memory.core.stamps import Moment

__all__ = ['hint_for']

_END_OF_TIME_NS = 2**63 - 1
_MAX_NAMED = 10


def hint_for(reader: MemoryReader, name: str) -> str:
    """
    Say where a name that is no id leads.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    name : str
        What was given for an id.

    Returns
    -------
    str
        That it is a label, and of which ids; that it is an id of an earlier map; or which ids
        look like it. '' for none of these.

    """
    now = reader.now()
    if now is None:
        return ''
    states = [s for s in reader.objects_at() if s.life_cycle != LifeCycle.RETIRED]
    labelled = [s.object_id for s in states if s.label.lower() == name.lower()]
    if labelled:
        return f'an id is needed, and {name!r} is the label of {_joined(labelled)}'
    for epoch in sorted((e for e in reader.epochs() if e < now.epoch), reverse=True):
        if reader.object_at(name, Moment(epoch, _END_OF_TIME_NS)) is not None:
            return f'it is of an earlier map (epoch {epoch}): rebase first, which brings it along'
    near = get_close_matches(name, [s.object_id for s in states], 3)
    return f'near it are: {_joined(near)}' if near else ''


def _joined(names: list[str]) -> str:
    more = f' and {len(names) - _MAX_NAMED} more' if len(names) > _MAX_NAMED else ''
    return ', '.join(sorted(names)[:_MAX_NAMED]) + more
