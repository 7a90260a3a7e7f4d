"""Every kind of question, put to a memory about given objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
import dataclasses
import enum
from functools import partial
import hashlib
import json
from typing import Any

import numpy as np

from st_memory.core import queries
from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import ObjectFilter, Selector
from st_memory.core.records import Visibility
from st_memory.core.stamps import Moment, NS_PER_S

__all__ = ['answers', 'digest']


def answers(
    reader: MemoryReader, at: Moment, object_ids: Sequence[str], labels: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """
    Ask everything.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    at : Moment
        As of when.
    object_ids, labels : sequence of str
        What is asked about; some may not be known then, or ever.

    Yields
    ------
    (str, str)
        The question, and all that was answered as one line of text.

    """
    for who in (*map(Selector, object_ids), *(Selector(label=name) for name in labels)):
        for kind, ask in _of_one(reader, who, at).items():
            yield f'{kind} {who.describe()}', _text(ask())
    for kind, ask in _of_all(reader, at, labels).items():
        yield kind, _text(ask())


def digest(text: str) -> str:
    """Give 16 hexadecimal digits that stand for an answer."""
    return hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]


def _of_one(reader: MemoryReader, who: Selector, at: Moment) -> Mapping[str, Callable[[], object]]:
    then_ns = at.stamp_ns - 5 * NS_PER_S
    scheme = queries.DirectionScheme
    return {
        'where': lambda: queries.locate(reader, who, at),
        'visible': lambda: queries.get_visibility(reader, who, at),
        'visible to head': lambda: queries.get_visibility(reader, who, at, 'head'),
        'timeline': lambda: queries.get_timeline(reader, who, at),
        'timeline in window': lambda: queries.get_timeline(reader, who, at, start_ns=then_ns),
        'first seen': lambda: queries.when_first_seen(reader, who, at),
        'last visible': lambda: queries.when_last_visible(reader, who, at),
        'last confirmed': lambda: queries.when_last_visible(reader, who, at, confirmed_only=True),
        'last detected': lambda: queries.when_last_detected(reader, who, at),
        'last placed': lambda: queries.when_last_placed(reader, who, at),
        'static since': lambda: queries.when_static_since(reader, who, at),
        'moves': lambda: queries.count_moves(reader, who, at),
        'moves since': lambda: queries.count_moves(reader, who, at, then_ns),
        'itinerary': lambda: queries.get_itinerary(reader, who, at),
        'fixture': lambda: queries.nearest_fixture(reader, who, at),
        'find': lambda: queries.find_item(reader, who, at),
        'from camera': lambda: queries.relative_pose(reader, who, 'camera', at=at),
        'from base': lambda: queries.relative_pose(reader, who, 'base', scheme.CLOCK, at),
        'from another': lambda: queries.relative_pose(reader, who, 'cup_1', scheme.SECTORS, at),
    }


def _of_all(
    reader: MemoryReader, at: Moment, labels: Sequence[str]
) -> Mapping[str, Callable[[], object]]:
    then_ns = at.stamp_ns - 5 * NS_PER_S
    fixtures = [fixture.fixture_id for fixture in reader.scene().fixtures]
    filters = {
        'list': ObjectFilter(include_absent=True),
        'list hidden': ObjectFilter(visibilities=(Visibility.OUT_OF_VIEW, Visibility.OCCLUDED)),
        'list moved': ObjectFilter(moved_since_ns=then_ns),
        'list out of sight': ObjectFilter(out_of_sight_since_ns=then_ns),
        'list near': ObjectFilter(centre=(2.0, 1.0, 1.0), radius_m=1.5),
        **{f'list label {name}': ObjectFilter(label=name) for name in labels},
        **{f'list on {name}': ObjectFilter(fixture_id=name) for name in fixtures},
    }
    ask: dict[str, Callable[[], object]] = {
        'changes': lambda: queries.list_changes(reader, then_ns, at),
        'events': lambda: reader.events(at),
        'predict of the camera': lambda: queries.predict_interaction(reader, 'camera', at),
        'predict of the base': lambda: queries.predict_interaction(reader, 'base', at),
    }
    for name, wanted in filters.items():
        ask[name] = partial(queries.list_objects, reader, wanted, at)
    for name in fixtures:
        ask[f'inside {name}'] = partial(queries.list_contents, reader, name, at)
    return ask


def _text(answer: object) -> str:
    return json.dumps(_plain(answer), sort_keys=True, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """Turn an answer into what JSON knows, to the last digit."""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, RigidTransform):
        return [*value.translation.tolist(), *value.quat_xyzw.tolist()]
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if dataclasses.is_dataclass(value):
        fields = {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {'is': type(value).__name__, **fields}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list | set | frozenset):
        return [_plain(item) for item in value]
    return value
