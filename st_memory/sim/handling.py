"""What hands do with things: take, place, hand over, take away."""

from __future__ import annotations

from st_memory.sim.actions import Action, bend, dwell, reach, together
from st_memory.sim.furniture import Unit
from st_memory.sim.happenings import Happening
from st_memory.sim.people import Person
from st_memory.sim.shapes import rotate_xy, Vec3
from st_memory.sim.stage import GONE, Stage, Thing

__all__ = ['hand_over', 'place', 'take', 'vanish']

# How far something is lifted before it is moved sideways, by the kind of fixture.
_OVER_M = {'drawer': 0.32, 'bin': 0.52, 'counter': 0.12, 'table': 0.12}


def take(stage: Stage, person: Person, thing: Thing, carry: str = 'carry') -> Action:
    """Take a thing from where it stands and hold it as ``carry`` says."""
    unit = stage.fixture_of(thing)
    if unit is None:
        return
    hand = person.right
    person.look_at(lambda: stage.thing_pose(thing)[0])
    bend(person, stage.thing_pose(thing)[0][2])
    kind = 'take_out' if unit.is_container else 'take'
    event = stage.log.begin(
        kind, agent=person.name, object=thing.spec.object_id, fixture=unit.fixture_id
    )
    yield from reach(hand, lambda: _grip(person, thing, stage.thing_pose(thing)[0]), 0.7)
    stage.attach(thing, hand.frame)
    thing.slot = None
    thing.movement = stage.log.begin(
        'movement', agent=person.name, object=thing.spec.object_id, fixture=unit.fixture_id
    )
    free = _way_out(person, unit, hand.position)
    yield from reach(hand, lambda: free, 0.4)
    stage.log.end(event)
    bend(person, 1.0)
    yield from reach(hand, person.hand_pose(hand, carry), 0.4)


def place(stage: Stage, person: Person, thing: Thing, index: int) -> Action:
    """Put a held thing into a slot; the hand goes back."""
    slot, hand = stage.slots[index], person.right
    unit = stage.units[slot.fixture_id]
    person.look_at(lambda: stage.slot_point(thing.spec, index))
    bend(person, stage.slot_point(thing.spec, index)[2])
    event = stage.log.begin(
        'put_in' if unit.is_container else 'place',
        agent=person.name,
        object=thing.spec.object_id,
        fixture=unit.fixture_id,
    )

    def over_slot() -> Vec3:
        dx, dy = rotate_xy(thing.position[0], thing.position[1], person.yaw)
        x, y, z = stage.slot_point(thing.spec, index)
        return x - dx, y - dy, z - thing.position[2]

    yield from reach(hand, lambda: _way_out(person, unit, over_slot()), 0.4)
    yield from reach(hand, over_slot, 0.5)
    stage.attach(thing, slot.frame)
    thing.slot, thing.position = index, stage.rest_position(thing.spec, slot)
    stage.reserved_slots.discard(index)
    _end_movement(stage, thing, unit.fixture_id)
    free = _way_out(person, unit, hand.position)
    yield from reach(hand, lambda: free, 0.35)
    stage.log.end(event)
    yield from reach(hand, person.hand_pose(hand, 'rest'), 0.35)


def hand_over(stage: Stage, giver: Person, taker: Person, thing: Thing) -> Action:
    """Pass a held thing to the other person, who faces the giver."""
    event = stage.log.begin(
        'hand_over', agent=giver.name, recipient=taker.name, object=thing.spec.object_id
    )
    giver.look_at(lambda: stage.thing_pose(thing)[0])
    taker.look_at(lambda: stage.thing_pose(thing)[0])
    yield from reach(giver.right, lambda: giver.body_point(0.42, 0.0, 1.18), 0.6)
    yield from reach(taker.right, lambda: _grip(taker, thing, stage.thing_pose(thing)[0]), 0.6)
    stage.attach(thing, taker.right.frame)
    yield from dwell(0.2)
    yield from together(
        reach(giver.right, giver.hand_pose(giver.right, 'rest'), 0.5),
        reach(taker.right, taker.hand_pose(taker.right, 'carry'), 0.6),
    )
    stage.log.end(event)


def vanish(stage: Stage, person: Person, thing: Thing) -> None:
    """Take a held thing out of the world for good; the hand is empty again."""
    thing.frame, thing.position, thing.yaw = GONE, (0.0, 0.0, -100.0), 0.0
    _end_movement(stage, thing, GONE)
    person.right.follow = person.hand_pose(person.right, 'rest')


def _end_movement(stage: Stage, thing: Thing, where: str) -> None:
    movement: Happening | None = thing.movement
    if movement is not None:
        stage.log.end(movement, to_fixture=where)
    thing.movement = None


def _grip(person: Person, thing: Thing, centre: Vec3) -> Vec3:
    """Where the palm is when it holds a thing: on the side that faces the person."""
    back = 0.9 * thing.spec.radius + 0.018
    dx, dy = rotate_xy(-back, 0.0, person.yaw)
    return centre[0] + dx, centre[1] + dy, centre[2]


def _way_out(person: Person, unit: Unit, point: Vec3) -> Vec3:
    """Where a hand goes first from a place so that what it holds does not cut through wood."""
    rise = _OVER_M.get(unit.label)
    if rise is not None:
        return point[0], point[1], point[2] + rise
    dx, dy = rotate_xy(-0.42, 0.0, person.yaw)
    return point[0] + dx, point[1] + dy, point[2] + 0.02
