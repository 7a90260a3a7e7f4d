"""Whole chores of the person who wears the camera, put together from actions."""

from __future__ import annotations

from functools import partial
import math

import numpy as np

from st_memory.sim.actions import Action, close, dwell, open_up, together, walk
from st_memory.sim.furniture import Stand, Unit
from st_memory.sim.handling import hand_over, place, take, vanish
from st_memory.sim.people import Person
from st_memory.sim.shapes import Vec3
from st_memory.sim.stage import Stage, Thing

__all__ = ['close_after', 'glance', 'peek', 'relocate', 'remove', 'stand_at', 'swap', 'transfer']

_LOOK_S = 0.9
_LEAVE_OPEN = 0.3
_HAND_OVER_DISTANCE = 0.95


def stand_at(unit: Unit, x: float, y: float) -> Stand:
    """
    Where to stand to reach a point of a unit.

    In front of the point on long open fixtures; at the unit's own place for containers, whose
    doors need room.
    """
    stand = unit.stand
    if unit.is_container:
        return stand
    right = (math.sin(stand.yaw), -math.cos(stand.yaw))
    along = (x - stand.x) * right[0] + (y - stand.y) * right[1]
    limit = max(0.0, unit.box_size[0] / 2 - 0.25)
    along = max(-limit, min(limit, along))
    return Stand(stand.x + along * right[0], stand.y + along * right[1], stand.yaw)


def relocate(
    stage: Stage,
    person: Person,
    thing: Thing,
    index: int,
    rng: np.random.Generator,
    carry: str = 'carry',
) -> Action:
    """
    Take a thing from where it stands and put it into a slot elsewhere.

    Doors on the way are opened, and mostly closed again. A thing carried at the hip is out of
    the camera's view.
    """
    if stage.fixture_of(thing) is None:
        return
    yield from fetch(stage, person, thing, rng, carry)
    yield from put_away(stage, person, thing, index, rng)


def fetch(
    stage: Stage, person: Person, thing: Thing, rng: np.random.Generator, carry: str = 'carry'
) -> Action:
    """Go to a thing and take it, opening its container if it is in one."""
    unit = stage.fixture_of(thing)
    if unit is None:
        return
    thing.is_reserved = True
    stage.busy_fixtures.add(unit.fixture_id)
    x, y, _ = stage.thing_pose(thing)[0]
    person.look_at(lambda: stage.thing_pose(thing)[0])
    yield from walk(person, stand_at(unit, x, y))
    yield from open_up(stage, person, unit)
    if unit.is_container:
        person.look_at(lambda: stage.thing_pose(thing)[0])
        yield from dwell(0.5)
    yield from take(stage, person, thing, carry)
    yield from close_after(stage, person, unit, rng)
    stage.busy_fixtures.discard(unit.fixture_id)


def put_away(
    stage: Stage, person: Person, thing: Thing, index: int, rng: np.random.Generator
) -> Action:
    """Carry a held thing to a slot, put it there and look at it."""
    stage.reserved_slots.add(index)
    unit = stage.units[stage.slots[index].fixture_id]
    stage.busy_fixtures.add(unit.fixture_id)
    x, y, _ = stage.slot_point(thing.spec, index)
    person.look_at(lambda: stage.slot_point(thing.spec, index))
    yield from walk(person, stand_at(unit, x, y))
    yield from open_up(stage, person, unit)
    yield from place(stage, person, thing, index)
    person.look_at(lambda: stage.thing_pose(thing)[0])
    yield from dwell(_LOOK_S)
    yield from close_after(stage, person, unit, rng)
    stage.busy_fixtures.discard(unit.fixture_id)
    thing.is_reserved = False


def close_after(stage: Stage, person: Person, unit: Unit, rng: np.random.Generator) -> Action:
    """Close a container; cupboards are sometimes left open."""
    if unit.label == 'drawer' or rng.random() >= _LEAVE_OPEN or stage.doors_lag:
        yield from close(stage, person, unit)


def peek(stage: Stage, person: Person, unit: Unit, look_s: float = _LOOK_S) -> Action:
    """Open a container, look inside, close it."""
    stage.busy_fixtures.add(unit.fixture_id)
    person.look_at(lambda: unit.box_centre)
    yield from walk(person, unit.stand)
    yield from open_up(stage, person, unit)
    person.look_at(lambda: unit.box_centre)
    yield from dwell(look_s)
    yield from close(stage, person, unit)
    stage.busy_fixtures.discard(unit.fixture_id)


def glance(stage: Stage, person: Person, rng: np.random.Generator, count: int) -> Action:
    """Look at some fixtures, one after the other, from where one stands."""
    names = sorted(stage.units)
    for name in rng.choice(names, size=count, replace=False):
        unit = stage.units[str(name)]
        x, y, z = unit.box_centre
        person.yaw_goal = math.atan2(y - person.y, x - person.x)
        person.look_at(partial(_same, (x, y, max(z, 0.7))))
        yield from dwell(float(rng.uniform(0.7, 1.1)))


def swap(
    stage: Stage,
    person: Person,
    first: Thing,
    second: Thing,
    spare: int,
    rng: np.random.Generator,
) -> Action:
    """Exchange the places of two things by way of a spare slot."""
    a, b = first.slot, second.slot
    if a is None or b is None:
        return
    for thing in (first, second):
        thing.is_reserved = True
    # Nobody else may fill a place while it is free for a moment.
    stage.reserved_slots |= {a, b}
    event = stage.log.begin(
        'swap', agent=person.name, object=first.spec.object_id, object_2=second.spec.object_id
    )
    yield from relocate(stage, person, first, spare, rng)
    first.is_reserved = True
    yield from relocate(stage, person, second, a, rng)
    yield from relocate(stage, person, first, b, rng)
    stage.log.end(event)


def transfer(
    stage: Stage, giver: Person, taker: Person, thing: Thing, rng: np.random.Generator
) -> Action:
    """One person fetches a thing, both meet, and the thing changes hands."""
    middle = (float(rng.uniform(-0.5, 0.3)), float(rng.uniform(-0.2, 0.3)))
    angle = float(rng.uniform(-math.pi, math.pi))
    half = _HAND_OVER_DISTANCE / 2
    ends = [
        Stand(middle[0] - s * half * math.cos(angle), middle[1] - s * half * math.sin(angle), yaw)
        for s, yaw in ((1, angle), (-1, angle + math.pi))
    ]
    yield from fetch(stage, giver, thing, rng)
    giver.look_at(lambda: taker.ahead(0.0, 1.4))
    taker.look_at(lambda: giver.ahead(0.0, 1.4))
    yield from together(walk(giver, ends[0]), walk(taker, ends[1]))
    yield from hand_over(stage, giver, taker, thing)


def remove(
    stage: Stage, person: Person, thing: Thing, rng: np.random.Generator, away_s: float
) -> Action:
    """Carry a thing out of the kitchen for good and come back."""
    layout = stage.layout
    event = stage.log.begin('remove', agent=person.name, object=thing.spec.object_id)
    yield from fetch(stage, person, thing, rng)
    person.look_at(lambda: person.ahead(2.0, 1.2))
    yield from walk(person, layout.door_inside)
    person.is_away = True
    yield from walk(person, layout.door_outside)
    vanish(stage, person, thing)
    stage.log.end(event)
    yield from dwell(away_s)
    back = Stand(layout.door_inside.x, layout.door_inside.y, 0.0)
    yield from walk(person, back)
    person.is_away = False


def _same(point: Vec3) -> Vec3:
    return point
