"""The page of one object: what is known of it, since when, and what that rests on."""

from __future__ import annotations

from typing import Any

from st_memory.asking import MemoryFile
from st_memory.asking.answer_fields import object_fields
from st_memory.core.queries import Selector
from st_memory.core.queries.history import observations_of
from st_memory.core.records import Observation
from st_memory.core.stamps import Moment
from st_memory.view.asked import Asked
from st_memory.view.clock import PageClock
from st_memory.view.objects import row_fields, timeline_fields

__all__ = ['NO_PICTURES', 'object_page']

# A memory keeps what was measured in a picture, never the picture.
NO_PICTURES = 'No pictures are kept in a memory file: evidence is stamps, boxes and positions.'
_EVIDENCE = 50
_TOLD = (
    ('where', 'where'),
    ('visible', 'visible'),
    ('last-seen', 'last_seen'),
    ('last-placed', 'last_placed'),
    ('static-since', 'static_since'),
    ('moves', 'moves'),
    ('fixture', 'fixture'),
)


def object_page(memory: MemoryFile, asked: Asked, frame: str) -> dict[str, Any]:
    """
    Give everything about one object as of the moment.

    Parameters
    ----------
    memory : MemoryFile
        The memory.
    asked : Asked
        ``id``: its id.
    frame : str
        Name of the fixed frame.

    Returns
    -------
    dict
        ``object`` is None where the memory does not know it then, and ``sentence`` says so.

    """
    reader = memory.reader
    at = asked.moment(reader)
    clock = PageClock(reader, at)
    who = Selector(object_id=asked.text('id'))
    located = memory.where(who, at)
    fields: dict[str, Any] = {
        'at': clock.fields(),
        'status': located.status.name,
        'sentence': located.sentence,
        'object': None,
    }
    state = located.object
    if state is None:
        return fields
    return {
        **fields,
        'object': object_fields(state, located.at, frame),
        'row': {**row_fields(state, clock), **timeline_fields(memory, state, at)},
        'told': [_told(memory, question, method, who, at) for question, method in _TOLD],
        'evidence': [
            _evidence(o, clock)
            for o in reversed(observations_of(reader, state, at, limit=_EVIDENCE))
        ],
        'evidence_limit': _EVIDENCE,
        'pictures': NO_PICTURES,
    }


def _told(
    memory: MemoryFile, question: str, method: str, who: Selector, at: Moment | None
) -> dict[str, Any]:
    answer = getattr(memory, method)(who, at)
    return {
        'question': question,
        'status': answer.status.name,
        'sentence': answer.sentence,
        'evidence': list(answer.evidence_ids),
    }


def _evidence(seen: Observation, clock: PageClock) -> dict[str, Any]:
    return {
        'id': seen.observation_id,
        'after': clock.of(seen.stamp_ns),
        'camera': seen.camera_id,
        'label': seen.label,
        'score': seen.score,
        'box_px': None if seen.box_px is None else list(seen.box_px),
        'place': None if seen.world_p is None else list(seen.world_p),
        'source': seen.source,
    }
