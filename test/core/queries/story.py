"""
Twenty seconds in a kitchen, written by hand: every answer about it is known.

One frame a second, at 1 s to 20 s, from a camera at the origin that looks along +x.

====== ===============================================================================
second what happens
====== ===============================================================================
1      the mug is seen on the table, the plate on the counter
3      the bowl appears on the counter; the drawer is opened
5      the mug is taken up
8      the mug is put down in the drawer, next to the spoon that lies there since 6 s
10     the drawer is closed
12     the mug is taken up again
14     the bowl is found to be gone
15     the mug is put down on the counter
18     the plate is taken up and is in the hand until the end
====== ===============================================================================
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from st_memory.core.geometry import RigidTransform
from st_memory.core.records import (
    Event,
    Fixture,
    LifeCycle,
    ObjectState,
    Placement,
    Scene,
    Visibility,
)
from st_memory.core.records.detections import Point
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, S

__all__ = ['COUNTER_P', 'DRAWER_P', 'SCENE', 'TABLE_P', 'event', 'fixture', 'make_story', 'rest']

TABLE_P, DRAWER_P, COUNTER_P = (2.0, 0.0, 1.0), (4.0, 1.0, 0.5), (0.0, 3.0, 1.0)


def fixture(
    name: str, centre: Point, size: Point, *, label: str = '', is_container: bool = False
) -> Fixture:
    """Make a box along the axes."""
    place = RigidTransform(np.array(centre), np.array([0.0, 0.0, 0.0, 1.0]))
    return Fixture(name, label or name.rpartition('_')[0], place, size, is_container)


SCENE = Scene(
    fixtures=(
        fixture('counter_1', (0.0, 3.0, 0.5), (1.0, 1.0, 1.0)),
        fixture('drawer_1', (4.0, 1.0, 0.5), (0.4, 0.4, 0.4), is_container=True),
        fixture('drawer_2', (8.0, 1.0, 0.5), (0.4, 0.4, 0.4), is_container=True),
        fixture('table_1', (2.0, 0.0, 0.5), (1.0, 1.0, 1.0)),
    )
)


def rest(object_id: str, start: float, end: float | None, at: Point, **given: Any) -> Placement:
    """Make a placement from seconds; it is known from its start on."""
    end_ns = None if end is None else round(end * S)
    known_ns = round(given.pop('recorded', start) * S)
    return Placement(object_id, 0, round(start * S), end_ns, known_ns, at, **given)


def event(name: str, kind: str, start: float, end: float, who: str, **given: Any) -> Event:
    """Make an event of one object that is known at its end."""
    end_ns = round(end * S)
    return Event(name, kind, 0, round(start * S), end_ns, end_ns, (('object', who),), **given)


_MUG = ObjectState(
    'mug_1',
    'mug',
    0,
    aliases=('cup',),
    world_p=TABLE_P,
    visibility=Visibility.VISIBLE,
    cause='in_view',
    first_seen_ns=S,
    last_seen_ns=S,
    last_visible_ns=S,
    fixture_id='table_1',
    fixture_alternatives=('counter_1',),
)
_PLATE = replace(
    _MUG, object_id='plate_1', label='plate', aliases=(), world_p=COUNTER_P, fixture_id='counter_1'
)
_BOWL = replace(
    _PLATE,
    object_id='bowl_1',
    label='bowl',
    first_seen_ns=3 * S,
    last_seen_ns=3 * S,
    last_visible_ns=3 * S,
)
_SPOON = replace(
    _BOWL,
    object_id='spoon_1',
    label='spoon',
    world_p=DRAWER_P,
    fixture_id='drawer_1',
    container_id='drawer_1',
    first_seen_ns=6 * S,
    last_seen_ns=6 * S,
    last_visible_ns=6 * S,
)
_CARRIED = {'in_motion': True, 'visibility': Visibility.IN_MOTION, 'fixture_id': ''}


def _in_drawer() -> ObjectState:
    return replace(
        _MUG,
        world_p=DRAWER_P,
        fixture_id='drawer_1',
        fixture_alternatives=(),
        container_id='drawer_1',
        last_seen_ns=8 * S,
        last_visible_ns=8 * S,
        last_placed_ns=8 * S,
        placed_by='annotation',
        num_moves=1,
    )


def make_story(until: float = 20.0, store: Any = None) -> Any:
    """
    Give the memory of it, cut off after a second.

    Parameters
    ----------
    until : float
        Seconds.
    store : MemoryStore, optional
        Where it is written; None for a new one in plain Python.

    """
    shut = replace(
        _in_drawer(), visibility=Visibility.OCCLUDED, cause='occluded_by:drawer_1',
        occluder_id='drawer_1',
    )  # fmt: skip
    on_counter = replace(
        _in_drawer(),
        world_p=COUNTER_P,
        fixture_id='counter_1',
        container_id='',
        last_seen_ns=15 * S,
        last_visible_ns=15 * S,
        last_placed_ns=15 * S,
        placed_by='observed',
        num_moves=2,
    )
    gone = replace(_BOWL, visibility=Visibility.ABSENT, life_cycle=LifeCycle.ABSENT)
    frames: dict[int, tuple[list[ObjectState], dict[str, Any]]] = {
        1: (
            [_MUG, _PLATE],
            {
                'placements': (
                    rest('mug_1', 1, None, TABLE_P, fixture_id='table_1'),
                    rest('plate_1', 1, None, COUNTER_P, fixture_id='counter_1'),
                ),
                'events': (
                    event('e01', 'appeared', 1, 1, 'mug_1'),
                    event('e02', 'appeared', 1, 1, 'plate_1'),
                ),
            },
        ),
        3: (
            [_BOWL],
            {
                'placements': (rest('bowl_1', 3, None, COUNTER_P, fixture_id='counter_1'),),
                'events': (
                    event('e03', 'appeared', 3, 3, 'bowl_1'),
                    event('e04', 'opened', 3, 3, 'drawer_1'),
                ),
            },
        ),
        5: (
            [replace(_MUG, last_seen_ns=5 * S, last_visible_ns=5 * S, **_CARRIED)],
            {'placements': (rest('mug_1', 1, 5, TABLE_P, fixture_id='table_1'),)},
        ),
        6: (
            [_SPOON],
            {
                'placements': (rest('spoon_1', 6, None, DRAWER_P, fixture_id='drawer_1'),),
                'events': (event('e05', 'appeared', 6, 6, 'spoon_1'),),
            },
        ),
        8: (
            [_in_drawer()],
            {
                'placements': (
                    rest('mug_1', 8, None, DRAWER_P, fixture_id='drawer_1', source='annotation'),
                ),
                'events': (event('e06', 'moved', 5, 8, 'mug_1'),),
            },
        ),
        10: ([shut], {'events': (event('e07', 'closed', 10, 10, 'drawer_1'),)}),
        12: (
            [replace(_in_drawer(), container_id='', last_seen_ns=12 * S, **_CARRIED)],
            {
                'placements': (
                    rest('mug_1', 8, 12, DRAWER_P, fixture_id='drawer_1', source='annotation'),
                )
            },
        ),
        14: (
            [gone],
            {
                'placements': (rest('bowl_1', 3, 14, COUNTER_P, fixture_id='counter_1'),),
                'events': (event('e08', 'absent', 14, 14, 'bowl_1'),),
            },
        ),
        15: (
            [on_counter],
            {
                'placements': (
                    rest('mug_1', 15, None, COUNTER_P, fixture_id='counter_1', source='observed'),
                ),
                'events': (event('e09', 'moved', 12, 15, 'mug_1'),),
            },
        ),
        18: (
            [replace(_PLATE, last_seen_ns=18 * S, last_visible_ns=18 * S, **_CARRIED)],
            {'placements': (rest('plate_1', 1, 18, COUNTER_P, fixture_id='counter_1'),)},
        ),
    }
    made = InMemoryStore() if store is None else store
    made.put_scene(SCENE)
    for second in range(1, 21):
        if second <= until:
            states, rows = frames.get(second, ([], {}))
            commit(made, second, *states, seq=second - 1, cameras=['cam'], **rows)
    return made
