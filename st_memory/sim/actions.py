"""Single actions as coroutines: each ``yield`` is one tick."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import math

from st_memory.sim.furniture import Stand, Unit
from st_memory.sim.happenings import Happening
from st_memory.sim.people import Hand, Person
from st_memory.sim.shapes import rotate_xy, Vec3
from st_memory.sim.spec import TICK_RATE_HZ
from st_memory.sim.stage import GONE, Stage, Thing

__all__ = [
    'Action',
    'close',
    'dwell',
    'hand_over',
    'open_up',
    'place',
    'reach',
    'take',
    'together',
    'vanish',
    'walk',
]

Action = Iterator[None]

_WALK_M_PER_S = 1.0
_HANDLE_S = 0.35
_DOOR_S = 1.9
_OVER_M = {'drawer': 0.32, 'bin': 0.52, 'counter': 0.12, 'table': 0.12}


def ticks(seconds: float) -> int:
    """Ticks in a duration, at least one."""
    return max(1, round(seconds * TICK_RATE_HZ))


def dwell(seconds: float) -> Action:
    """Do nothing for a while."""
    for _ in range(ticks(seconds)):
        yield


def together(*actions: Action) -> Action:
    """Run actions side by side until the last one ends."""
    going = list(actions)
    while going:
        going = [a for a in going if next(a, _ENDED) is not _ENDED]
        if going:
            yield


_ENDED = object()


def _ease(fraction: float) -> float:
    """Minimum-jerk profile from 0 to 1."""
    return fraction**3 * (10 - 15 * fraction + 6 * fraction**2)


def walk(person: Person, stand: Stand) -> Action:
    """Walk straight to a place, then face where it faces."""
    dx, dy = stand.x - person.x, stand.y - person.y
    x, y, distance = person.x, person.y, math.hypot(dx, dy)
    person.destination = (stand.x, stand.y)
    n = ticks(max(0.3, distance / _WALK_M_PER_S))
    for i in range(1, n + 1):
        s = _ease(i / n)
        person.plan = (x + s * dx, y + s * dy)
        if distance > 0.5 and i < 0.7 * n:
            person.yaw_goal = math.atan2(dy, dx)
        else:
            person.yaw_goal = stand.yaw
        yield
    while abs(math.remainder(person.yaw - stand.yaw, 2 * math.pi)) > 0.05:
        yield


def reach(hand: Hand, goal: Callable[[], Vec3], seconds: float) -> Action:
    """Move a hand to a place, which may move, and keep it there."""
    start, n = hand.position, ticks(seconds)
    hand.is_reaching = True
    for i in range(1, n + 1):
        s, end = _ease(i / n), goal()
        hand.position = (
            start[0] + s * (end[0] - start[0]),
            start[1] + s * (end[1] - start[1]),
            start[2] + s * (end[2] - start[2]),
        )
        yield
    hand.is_reaching = False
    hand.follow = goal


def open_up(stage: Stage, person: Person, unit: Unit) -> Action:
    """Open a container as far as it goes; nothing when it has no door or is open."""
    yield from _move_door(stage, person, unit, 1.0, 'open')


def close(stage: Stage, person: Person, unit: Unit) -> Action:
    """Close a container; nothing when it has no door or is closed."""
    yield from _move_door(stage, person, unit, 0.0, 'close')


def _move_door(stage: Stage, person: Person, unit: Unit, share: float, event_type: str) -> Action:
    part = unit.door
    if part is None or part.joint is None:
        return
    start, end = stage.joints[part.name], share * part.joint.limit
    if abs(end - start) < 1e-6:
        return
    hand, door = person.left, part
    person.look_at(lambda: _between(stage.handle_point(door), unit.box_centre))
    _bend(person, unit.box_centre[2])
    yield from reach(hand, lambda: stage.handle_point(door), _HANDLE_S)
    event = stage.log.begin(event_type, agent=person.name, fixture=unit.fixture_id)
    n = ticks(_DOOR_S)
    for i in range(1, n + 1):
        stage.joints[door.name] = start + _ease(i / n) * (end - start)
        yield
    stage.log.end(event)
    yield from reach(hand, person.hand_pose(hand, 'rest'), _HANDLE_S)


def take(stage: Stage, person: Person, thing: Thing, carry: str = 'carry') -> Action:
    """Take a thing from where it stands and hold it as ``carry`` says."""
    unit = stage.fixture_of(thing)
    if unit is None:
        return
    hand = person.right
    person.look_at(lambda: stage.thing_pose(thing)[0])
    _bend(person, stage.thing_pose(thing)[0][2])
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
    _bend(person, 1.0)
    yield from reach(hand, person.hand_pose(hand, carry), 0.4)


def place(stage: Stage, person: Person, thing: Thing, index: int) -> Action:
    """Put a held thing into a slot; the hand goes back."""
    slot, hand = stage.slots[index], person.right
    unit = stage.units[slot.fixture_id]
    person.look_at(lambda: stage.slot_point(thing.spec, index))
    _bend(person, stage.slot_point(thing.spec, index)[2])
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


def _bend(person: Person, height: float) -> None:
    """Crouch for what is low."""
    person.eye_goal = 1.25 if height < 0.5 else 1.66 if height > 1.4 else 1.60


def _between(a: Vec3, b: Vec3) -> Vec3:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2
