"""What is inside a fixture or another object."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import Answer
from st_memory.core.queries.as_of import as_of
from st_memory.core.queries.asked_names import check_names
from st_memory.core.queries.history import evidence_of
from st_memory.core.queries.selection import reported_objects
from st_memory.core.queries.straying import doubts_of
from st_memory.core.queries.wording import clip_name, is_gone, join_names
from st_memory.core.records import AnswerStatus, ObjectState, Scene
from st_memory.core.stamps import Moment

__all__ = ['ContentsAnswer', 'list_contents', 'unheard']

_MAX_NAMED = 10


@dataclass(frozen=True)
class ContentsAnswer(Answer):
    """
    Objects inside something.

    Parameters
    ----------
    container_id, container_label : str
        The fixture or object; the first by id of several that fit.
    objects : tuple of ObjectState
        By id; what is inside one of them too. ``alternatives`` are objects that are at the
        fixture and not inside it, on top of it mostly.

    """

    container_id: str = ''
    container_label: str = ''
    objects: tuple[ObjectState, ...] = ()


class _Holder(NamedTuple):
    """A fixture or object that things may be in or on."""

    name: str
    label: str
    encloses: bool


def list_contents(
    reader: MemoryReader, container: str, at: Moment | None = None
) -> ContentsAnswer:
    """
    Say what is inside a container: a fixture, or an object that holds others.

    A fixture that encloses nothing, a table, gives what lies on it.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    container : str
        Id of a fixture or object, else the label of one or more.
    at : Moment, optional
        As of when; None for now.

    Returns
    -------
    ContentsAnswer
        An empty container is an answer. AMBIGUOUS when several fit: the objects are those of
        all of them, and the sentence says which is where. NOT_YET_SEEN when none fits, STALE when
        one of them was seen elsewhere since.

    """
    check_names(container=container)
    moment, status, reason = as_of(reader, at)
    if moment is None or status in (AnswerStatus.UNKNOWN, AnswerStatus.NOT_YET_SEEN):
        return ContentsAnswer(status, reason, f'I do not know: {reason}.', at=moment)
    if not container:
        return _refused(AnswerStatus.UNKNOWN, 'no container was named', moment)
    objects = [s for s in reported_objects(reader, moment) if not is_gone(s)]
    holders = _holders(reader.scene(), objects, container)
    if not holders:
        return _refused(AnswerStatus.NOT_YET_SEEN, unheard(reader.scene(), container), moment)
    lag = f'; {reason}' if reason else ''
    inside = {h.name: _inside(objects, h) for h in holders}
    everything = {s.object_id: s for rows in inside.values() for s in rows}
    if len(holders) > 1:
        names = join_names([h.name for h in holders[:_MAX_NAMED]])
        several = f'{len(holders)} fit {clip_name(container)}: {names}'
        reason = '; '.join(filter(None, (reason, several)))
        status = AnswerStatus.AMBIGUOUS if status is AnswerStatus.KNOWN else status
    shown = tuple(everything[name] for name in sorted(everything))
    doubts = doubts_of(reader, shown, moment, lag)
    if doubts:
        reason, status = '; '.join(filter(None, (doubts, reason))), AnswerStatus.STALE
        lag = f'; {doubts}{lag}'
    text = '; '.join(_clause(h, inside[h.name]) for h in holders[:_MAX_NAMED])
    return ContentsAnswer(
        status,
        reason,
        f'{text[0].upper()}{text[1:]}{lag}.',
        at=moment,
        alternatives=_beside(objects, holders, everything),
        evidence_ids=tuple(i for s in shown[:_MAX_NAMED] for i in evidence_of(reader, s, moment)),
        container_id=holders[0].name,
        container_label=holders[0].label,
        objects=shown,
    )


def _refused(status: AnswerStatus, reason: str, at: Moment) -> ContentsAnswer:
    return ContentsAnswer(status, reason, f'I do not know: {reason}.', at=at)


def _holders(scene: Scene, objects: Sequence[ObjectState], name: str) -> list[_Holder]:
    """Give what a name means: the one with that id, else all with that label."""
    holders = [_Holder(f.fixture_id, f.label, f.is_container) for f in scene.fixtures]
    holders += [_Holder(s.object_id, s.label, True) for s in objects]
    exact = [h for h in holders if h.name == name]
    if exact:
        return exact[:1]
    return sorted(h for h in holders if h.label.lower() == name.lower())


def unheard(scene: Scene, name: str) -> str:
    """Say that nothing is called so, and what is."""
    names = sorted(f.fixture_id for f in scene.fixtures)
    named = [clip_name(n) for n in names[:_MAX_NAMED]]
    known = join_names(named, len(names) - len(named)) or 'none'
    return f'no fixture or object {clip_name(name)} is known by then; fixtures are: {known}'


def _inside(objects: Sequence[ObjectState], holder: _Holder) -> list[ObjectState]:
    """Give what a holder holds, and what that holds in turn; a loop is followed once."""
    found: dict[str, ObjectState] = {}
    waiting = [holder.name]
    while waiting:
        name = waiting.pop()
        for s in objects:
            is_on = not holder.encloses and name == holder.name and s.fixture_id == name
            is_new = s.object_id not in found and s.object_id != holder.name
            if is_new and (s.container_id == name or is_on):
                found[s.object_id] = s
                waiting.append(s.object_id)
    return [found[name] for name in sorted(found)]


def _beside(
    objects: Sequence[ObjectState], holders: Sequence[_Holder], inside: Container[str]
) -> tuple[ObjectState, ...]:
    """Give what is at the holders and not inside them."""
    names = {h.name for h in holders}
    return tuple(s for s in objects if s.fixture_id in names and s.object_id not in inside)


def _clause(holder: _Holder, objects: Sequence[ObjectState]) -> str:
    where = f'{"inside" if holder.encloses else "on"} {clip_name(holder.name)}'
    if not objects:
        return f'{where} is nothing that I know of'
    names = [clip_name(s.object_id) for s in objects[:_MAX_NAMED]]
    told = join_names(names, len(objects) - len(names))
    return f'{where} {"is" if len(objects) == 1 else "are"} {told}'
