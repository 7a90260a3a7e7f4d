"""From the words of ``st_memory query`` to the answer about one object."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from st_memory.cli.moments import moment_of
from st_memory.core import queries
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import Answer, list_objects, ObjectFilter, Selector
from st_memory.core.stamps import Moment

__all__ = ['answer_of']


def answer_of(store: MemoryReader, at: Moment | None, arguments: argparse.Namespace) -> Answer:
    """
    Answer the question that was typed.

    Parameters
    ----------
    store : MemoryReader
        The memory.
    at : Moment, optional
        As of when; None for now.
    arguments : argparse.Namespace
        What was typed after ``query``.

    """
    who = _selector(store, at, arguments)
    ask: dict[str, Callable[[], Answer]] = {
        'where': lambda: queries.locate(store, who, at),
        'visible': lambda: queries.get_visibility(store, who, at, arguments.camera),
        'timeline': lambda: _timeline(store, who, at, arguments),
        'last-seen': lambda: queries.when_last_visible(store, who, at),
        'last-placed': lambda: queries.when_last_placed(store, who, at),
        'relative': lambda: queries.relative_pose(
            store, who, arguments.reference, queries.DirectionScheme(arguments.scheme), at
        ),
    }
    return ask[arguments.question]()


def _timeline(
    store: MemoryReader, who: Selector, at: Moment | None, arguments: argparse.Namespace
) -> Answer:
    epoch = at.epoch if at is not None else arguments.epoch
    start = moment_of(store, arguments.start, epoch) if arguments.start else None
    end = moment_of(store, arguments.end, epoch) if arguments.end else None
    return queries.get_timeline(
        store,
        who,
        at,
        arguments.camera,
        start_ns=start.stamp_ns if start else None,
        end_ns=end.stamp_ns if end else None,
        limit=arguments.limit,
    )


def _selector(store: MemoryReader, at: Moment | None, arguments: argparse.Namespace) -> Selector:
    """Take what was typed; a bare word is an id if there is such an object, else a label."""
    if not arguments.selector:
        return Selector(arguments.id, arguments.label, arguments.text)
    word = arguments.selector
    if store.object_at(word, at) is not None:
        return Selector(object_id=word)
    if list_objects(store, ObjectFilter(label=word), at).objects:
        return Selector(label=word)
    return Selector(text=word)
