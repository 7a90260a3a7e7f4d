"""The events of what somebody names."""

from __future__ import annotations

from collections.abc import Sequence

from st_memory.asking.words import selector_of
from st_memory.core.errors import StMemoryError
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import Selector
from st_memory.core.queries.asked_names import check_names
from st_memory.core.queries.history import events_of
from st_memory.core.queries.selection import select
from st_memory.core.records import Event
from st_memory.core.stamps import Moment
from st_memory.vlm.word_encoder import word_encoder

__all__ = ['events_about']


def events_about(
    reader: MemoryReader, at: Moment | None, *, word: str = '', object_id: str = ''
) -> tuple[Sequence[Event], str]:
    """
    Give the events of what is named, a fixture too; of everything where nothing is.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    at : Moment, optional
        As of when; None for now.
    word : str
        An id, a label or other words.
    object_id : str
        An id and nothing else; counts where there is no word.

    Returns
    -------
    tuple of sequence of Event, and str
        By (start, event id), and what is doubtful about who was meant; '' for nothing.

    Raises
    ------
    StMemoryError
        If nothing is called so, or a name is no text.

    """
    name = word or object_id
    check_names(name=name)
    events = reader.events(at, object_id=name or None)
    if events or not name or any(f.fixture_id == name for f in reader.scene().fixtures):
        return events, ''
    who = selector_of(reader, word, at, word_encoder) if word else Selector(object_id=name)
    found = select(reader, who, at)
    if not found.found:
        raise StMemoryError(found.reason)
    told = {e.event_id: e for state in found.found for e in events_of(reader, state, at)}
    return sorted(told.values(), key=lambda e: (e.start_ns, e.event_id)), found.reason
