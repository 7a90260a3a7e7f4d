"""Answers that are a time: made alike for all questions that begin with "when"."""

from __future__ import annotations

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import WhenAnswer
from st_memory.core.queries.history import evidence_of
from st_memory.core.queries.selection import judge, Selection, Subject
from st_memory.core.queries.wording import describe_when, name_first
from st_memory.core.records import AnswerStatus

__all__ = ['known_when', 'nothing_known', 'unknown_when']


def nothing_known(found: Selection) -> WhenAnswer:
    """Answer that no object was found."""
    return WhenAnswer(found.status, found.reason, f'I do not know: {found.reason}.', at=found.at)


def unknown_when(reader: MemoryReader, found: Selection, reason: str) -> WhenAnswer:
    """Answer that the object is known and the time is not, with the reason."""
    state = found.found[0]
    why = '; '.join(filter(None, (reason, found.reason, found.lag)))
    return WhenAnswer(
        AnswerStatus.UNKNOWN,
        why,
        f'{name_first(state)}: {why}.',
        at=found.at,
        object=state,
        alternatives=found.found[1:],
        evidence_ids=evidence_of(reader, state, found.at),
    )


def known_when(
    reader: MemoryReader,
    found: Selection,
    stamp_ns: int,
    subject: Subject,
    words: str,
    source: str,
) -> WhenAnswer:
    """
    Answer with a time.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    found : Selection
        The first of it is the object.
    stamp_ns : int
        When it was.
    subject : Subject
        What is asked, which decides what makes the answer doubtful.
    words : str
        What was, to follow the object's name.
    source : str
        How it is known.

    """
    state = found.found[0]
    verdict = judge(state, found, subject)
    ago_ns = found.at.stamp_ns - stamp_ns if found.at is not None else 0
    text = f'{name_first(state)} {words} {describe_when(ago_ns, lagging=bool(found.lag))}'
    if verdict.status is AnswerStatus.STALE:
        text += f': {verdict.reason}'
    return WhenAnswer(
        status=verdict.status,
        reason=verdict.reason,
        sentence=f'{text}.',
        at=found.at,
        object=state,
        alternatives=found.found[1:],
        evidence_ids=evidence_of(reader, state, found.at),
        stamp_ns=stamp_ns,
        ago_ns=ago_ns,
        source=source,
    )
