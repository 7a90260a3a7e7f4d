"""Single actions as coroutines: each ``yield`` is one tick."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import math

from st_memory.sim.furniture import Stand, Unit
from st_memory.sim.people import Hand, Person
from st_memory.sim.shapes import Vec3
from st_memory.sim.spec import TICK_RATE_HZ
from st_memory.sim.stage import Stage

__all__ = [
    'Action',
    'bend',
    'close',
    'dwell',
    'open_up',
    'reach',
    'ticks',
    'together',
    'walk',
]

Action = Iterator[None]

_WALK_M_PER_S = 1.0
_HANDLE_S = 0.35
_DOOR_S = 1.9


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
    bend(person, unit.box_centre[2])
    yield from reach(hand, lambda: stage.handle_point(door), _HANDLE_S)
    event = stage.log.begin(event_type, agent=person.name, fixture=unit.fixture_id)
    n = ticks(_DOOR_S)
    for i in range(1, n + 1):
        stage.joints[door.name] = start + _ease(i / n) * (end - start)
        yield
    stage.log.end(event)
    yield from reach(hand, person.hand_pose(hand, 'rest'), _HANDLE_S)


def bend(person: Person, height: float) -> None:
    """Crouch for what is low."""
    person.eye_goal = 1.25 if height < 0.5 else 1.66 if height > 1.4 else 1.60


def _between(a: Vec3, b: Vec3) -> Vec3:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2
