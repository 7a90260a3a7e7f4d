"""From a word that somebody says to the object that is meant."""

from __future__ import annotations

from collections.abc import Callable

from st_memory.core.ports import MemoryReader
from st_memory.core.ports.text_encoder import TextEncoder
from st_memory.core.queries import Selector
from st_memory.core.queries.as_told import reported_called
from st_memory.core.queries.asked_names import check_names
from st_memory.core.stamps import Moment

__all__ = ['selector_of']


def selector_of(
    reader: MemoryReader,
    word: str,
    at: Moment | None,
    encoder: Callable[[], TextEncoder | None] = lambda: None,
) -> Selector:
    """
    Take a bare word for an id if there is such an object, else a label, else free text.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    word : str
        What was said.
    at : Moment, optional
        As of when it is asked; None for now.
    encoder : callable, optional
        Gives what compares free text by meaning, asked for only where there is a free text; None:
        its words must occur in a name.

    """
    check_names(name=word)
    if word and reader.object_at(word, at) is not None:
        return Selector(object_id=word)
    if word and reported_called(reader, word, at):
        return Selector(label=word)
    return Selector(text=word, encoder=encoder())
