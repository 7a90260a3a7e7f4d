"""The search box: every family of questions, asked of the file as any program asks it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from st_memory.asking import MemoryFile
from st_memory.asking.answer_fields import answer_fields, event_fields
from st_memory.asking.told_events import events_about
from st_memory.core.errors import StMemoryError
from st_memory.core.queries import Answer
from st_memory.core.stamps import Moment
from st_memory.view.asked import Asked

__all__ = ['OPTIONS', 'QUESTIONS', 'ask', 'questions_fields']

OPTIONS = ('question', 'what', 'reference', 'since')
_LIMIT = 200


class _Question(NamedTuple):
    """
    A family.

    Attributes
    ----------
    needs : str
        What must be named: ``object``, ``holder`` (a fixture or object), or '' for nothing.
    ask : callable
        From the memory, the name, the moment, and the other words, to an answer.
    extra : str
        The option that it has beside a name; '' for none.

    """

    needs: str
    ask: Callable[[MemoryFile, str, Moment | None, Asked], Answer]
    extra: str = ''


QUESTIONS: Mapping[str, _Question] = {
    'where': _Question('object', lambda m, what, at, _: m.where(what, at)),
    'visible': _Question('object', lambda m, what, at, _: m.visible(what, at)),
    'timeline': _Question('object', lambda m, what, at, _: m.timeline(what, at, limit=_LIMIT)),
    'first-seen': _Question('object', lambda m, what, at, _: m.first_seen(what, at)),
    'last-seen': _Question('object', lambda m, what, at, _: m.last_seen(what, at)),
    'last-detected': _Question('object', lambda m, what, at, _: m.last_detected(what, at)),
    'last-placed': _Question('object', lambda m, what, at, _: m.last_placed(what, at)),
    'static-since': _Question('object', lambda m, what, at, _: m.static_since(what, at)),
    'moves': _Question(
        'object',
        lambda m, what, at, asked: m.moves(what, at, since=_since(m, at, asked)),
        'since',
    ),
    'itinerary': _Question('object', lambda m, what, at, _: m.itinerary(what, at)),
    'relative': _Question(
        'object',
        lambda m, what, at, asked: m.relative(what, asked.text('reference') or 'camera', at),
        'reference',
    ),
    'fixture': _Question('object', lambda m, what, at, _: m.fixture(what, at)),
    'find': _Question('object', lambda m, what, at, _: m.find(what, at)),
    'contents': _Question('holder', lambda m, what, at, _: m.contents(what, at)),
    'changes': _Question(
        '', lambda m, _what, at, asked: m.changes(_since(m, at, asked), at), 'since'
    ),
    'predict': _Question('', lambda m, _what, at, _: m.predict('camera', at)),
    'list': _Question('', lambda m, _what, at, _: m.objects(at)),
}
_EVENTS = 'events'


def questions_fields() -> list[dict[str, str]]:
    """Give the families, and what each needs."""
    rows = [{'name': k, 'needs': q.needs, 'extra': q.extra} for k, q in QUESTIONS.items()]
    return [*rows, {'name': _EVENTS, 'needs': '', 'extra': ''}]


def ask(memory: MemoryFile, asked: Asked, frame: str) -> dict[str, Any]:
    """
    Answer a question as of the moment.

    Parameters
    ----------
    memory : MemoryFile
        The memory.
    asked : Asked
        ``question``, ``what``, and the options of the question.
    frame : str
        Name of the fixed frame.

    Returns
    -------
    dict
        ``sentence``, ``status``, and the answer with the fields of ``st_memory query --json``.

    Raises
    ------
    StMemoryError
        If it is no question, or what it is about is not named.

    """
    name = asked.choice('question', (*QUESTIONS, _EVENTS), 'where')
    what = asked.text('what')
    at = asked.moment(memory.reader)
    if name == _EVENTS:
        return _events(memory, what, at)
    question = QUESTIONS[name]
    if question.needs and not what:
        raise StMemoryError(f'{name}: name the {question.needs}: an id, a label or other words')
    answer = question.ask(memory, what, at, asked)
    return {
        'question': name,
        'what': what,
        'sentence': answer.sentence,
        'status': answer.status.name,
        'answer': answer_fields(answer, frame),
    }


def _events(memory: MemoryFile, what: str, at: Moment | None) -> dict[str, Any]:
    events, reason = events_about(memory.reader, at, word=what)
    whose = f' of {what}' if what else ''
    number = f'{len(events)} event{"" if len(events) == 1 else "s"}'
    more = f', the newest {_LIMIT} shown' if len(events) > _LIMIT else ''
    return {
        'question': _EVENTS,
        'what': what,
        'sentence': f'I know of {number}{whose}{more}{f"; {reason}" if reason else ""}.',
        'status': 'KNOWN',
        'answer': [event_fields(e) for e in events[-_LIMIT:]],
    }


def _since(memory: MemoryFile, at: Moment | None, asked: Asked) -> Moment | None:
    return None if at is None else asked.after(memory.reader, 'since', at.epoch)
