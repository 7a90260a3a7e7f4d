"""From what a person or planner says to the objects that are meant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
import re
from typing import NamedTuple

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.wording import join_names
from st_memory.core.records import AnswerStatus, LifeCycle, ObjectState
from st_memory.core.stamps import Moment

__all__ = ['Selection', 'Selector', 'reported_objects', 'select']


_REPORTED = (LifeCycle.CONFIRMED, LifeCycle.ABSENT)


@dataclass(frozen=True)
class Selector:
    """
    Which object a question is about.

    Exactly one field is used: ``object_id`` before ``label`` before ``text``. A label must equal
    the object's label or an alias; of a text, every word must occur in its id, label or aliases.
    """

    object_id: str = ''
    label: str = ''
    text: str = ''

    def describe(self) -> str:
        """Say what was asked for."""
        return self.object_id or self.label or self.text


class Selection(NamedTuple):
    """
    The object a selector means, or why none.

    ``found`` holds all candidates, the one seen last first; ``status`` is KNOWN for one,
    AMBIGUOUS for several (the first is the best guess and is named as such).
    """

    found: tuple[ObjectState, ...]
    status: AnswerStatus
    reason: str
    at: Moment | None


def reported_objects(reader: MemoryReader, at: Moment | None) -> tuple[ObjectState, ...]:
    """Objects that users are told of: confirmed ones and tombstones."""
    return tuple(s for s in reader.objects_at(at) if s.life_cycle in _REPORTED)


def select(reader: MemoryReader, selector: Selector, at: Moment | None) -> Selection:
    """
    Find the object that is meant, as of a moment.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    selector : Selector
        What was said.
    at : Moment, optional
        None for now.

    """
    moment = at if at is not None else reader.now()
    if moment is None:
        return Selection((), AnswerStatus.UNKNOWN, 'the memory is empty', None)
    if not selector.describe():
        return Selection((), AnswerStatus.UNKNOWN, 'no object was named', moment)
    first = reader.first_moment(moment.epoch)
    if first is None or moment < first:
        reason = 'the memory holds nothing from before that time'
        return Selection((), AnswerStatus.NOT_YET_SEEN, reason, moment)
    objects = reported_objects(reader, at)
    found = _fitting(objects, selector)
    if not found and selector.object_id:
        found = [s for s in objects if selector.object_id in s.aliases]
    if not found:
        known = join_names(sorted({s.label for s in objects})) or 'nothing'
        reason = f'no {selector.describe()} has been seen by then; known are: {known}'
        return Selection((), AnswerStatus.NOT_YET_SEEN, reason, moment)
    found.sort(key=lambda s: (-(s.last_seen_ns or 0), s.object_id))
    if len(found) > 1:
        names = join_names([s.object_id for s in found])
        reason = f'{len(found)} objects fit {selector.describe()}: {names}'
        return Selection(tuple(found), AnswerStatus.AMBIGUOUS, reason, moment)
    return Selection(tuple(found), AnswerStatus.KNOWN, '', moment)


def _fitting(objects: tuple[ObjectState, ...], selector: Selector) -> list[ObjectState]:
    """Give the objects that a selector names; a question is asked often, so the loops are bare."""
    if selector.object_id:
        return [s for s in objects if s.object_id == selector.object_id]
    if selector.label:
        label = selector.label.lower()
        return [
            s
            for s in objects
            if s.label.lower() == label
            or (s.aliases and label in [alias.lower() for alias in s.aliases])
        ]
    words = _words(selector.text)
    return [s for s in objects if words and words <= _words_of(s.object_id, s.label, s.aliases)]


@lru_cache(maxsize=4096)
def _words_of(object_id: str, label: str, aliases: tuple[str, ...]) -> frozenset[str]:
    """Words that an object is called by."""
    return _words(' '.join((object_id, label, *aliases)))


def _words(text: str) -> frozenset[str]:
    """Lower-case words, digits and letters of any script."""
    return frozenset(re.findall(r'[^\W_]+', text.lower()))
