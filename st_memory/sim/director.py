"""Who does what next: endless lives of the wearer and the partner, one tick at a time."""

from __future__ import annotations

import math

import numpy as np

from st_memory.sim.actions import Action, dwell, walk
from st_memory.sim.chores import (
    glance,
    peek,
    put_away,
    relocate,
    remove,
    swap,
    transfer,
)
from st_memory.sim.furniture import Stand, Unit
from st_memory.sim.people import Person
from st_memory.sim.spec import KitchenSpec, TICK_RATE_HZ
from st_memory.sim.stage import Stage, Thing

__all__ = ['Director']

# One round of chores; store and fetch dominate, so that doors move often.
_DECK = (
    'store',
    'fetch',
    'store',
    'fetch',
    'store',
    'fetch',
    'move',
    'move',
    'swap',
    'hand_over',
    'receive',
    'peek',
    'look',
)
_CONTAINED_LOW, _CONTAINED_HIGH = 0.36, 0.58
_MIN_PEOPLE_M = 0.75
_MAX_OPEN = 2
# Share of the time in which doors move that the script aims at; the floor is 0.10.
_DOOR_SHARE = 0.17
_MAX_OFF_PLAN_M = 0.3
_PATIENCE_S = 4.0


class Director:
    """
    Advances a stage.

    Parameters
    ----------
    spec : KitchenSpec
        Duration and number of removals.
    stage : Stage
        What is acted on.
    rng : numpy.random.Generator
        The script stream.

    """

    def __init__(self, spec: KitchenSpec, stage: Stage, rng: np.random.Generator) -> None:
        self.stage, self._rng = stage, rng
        count = spec.num_removals if spec.duration_s >= 60 else min(1, spec.num_removals)
        if spec.duration_s < 30:
            count = 0
        shares = (np.arange(count) + rng.uniform(0.2, 0.8, count)) / max(1, count)
        self._removals = [round(0.9 * s * spec.num_ticks) for s in shares]
        self._door_ticks = 0
        self._borrowed = False
        self._partner_idle = False
        self._to_put_away: Thing | None = None
        self._wearer_acts, self._partner_acts = self._wearer_life(), self._partner_life()

    def step(self) -> None:
        """Advance everything by one tick."""
        before = dict(self.stage.joints)
        next(self._wearer_acts)
        partner = self.stage.partner
        # Pushed aside in the middle of something: go on when the way is free again.
        off = math.hypot(partner.x - partner.plan[0], partner.y - partner.plan[1])
        if off < _MAX_OFF_PLAN_M or self._borrowed:
            next(self._partner_acts)
        self._door_ticks += before != self.stage.joints
        self._move_people()
        self.stage.wearer.advance()
        self.stage.partner.advance()
        self.stage.log.tick += 1

    def _move_people(self) -> None:
        """Move both to where they mean to be; the partner steps out of the wearer's way."""
        wearer, partner = self.stage.wearer, self.stage.partner
        wearer.move_to(*wearer.plan)
        before = partner.x, partner.y
        partner.move_to(*partner.plan)
        if partner.is_away:  # on the way through the door, which is nobody's place to stand
            return
        # From where the partner is, not from the plan: that may be on the wearer's other side.
        if math.hypot(partner.x - wearer.x, partner.y - wearer.y) < _MIN_PEOPLE_M:
            aside = self._aside(partner.x, partner.y)
            partner.x, partner.y = before
            partner.move_to(*aside)

    def _aside(self, x: float, y: float) -> tuple[float, float]:
        """Give the free place nearest in direction to (x, y) that is not too near the wearer."""
        wearer = self.stage.wearer
        x0, y0, x1, y1 = self.stage.layout.walkable
        angle = math.atan2(y - wearer.y, x - wearer.x)
        for turn in (0, 25, -25, 50, -50, 75, -75, 100, -100, 130, -130, 180):
            a = angle + math.radians(turn)
            x = min(x1, max(x0, wearer.x + _MIN_PEOPLE_M * math.cos(a)))
            y = min(y1, max(y0, wearer.y + _MIN_PEOPLE_M * math.sin(a)))
            if math.hypot(x - wearer.x, y - wearer.y) > _MIN_PEOPLE_M - 0.05:
                break
        return x, y

    def _wearer_life(self) -> Action:
        """Shuffled rounds of chores; every round has every kind."""
        stage, wearer, rng = self.stage, self.stage.wearer, self._rng
        deck = ['store']
        while True:
            if not deck:
                deck = [str(c) for c in rng.permutation(_DECK)]
            yield from self._tidy()
            if self._removal_due() and rng.random() < 0.4 and not stage.partner.is_away:
                yield from self._remove(wearer)
            yield from self._chore(self._door_chore() or deck.pop())
            if rng.random() < 0.4:
                yield from glance(stage, wearer, rng, 2)
            yield

    def _door_chore(self) -> str:
        """Name a chore with a door when doors have moved too little so far; else ''."""
        if self._door_ticks >= _DOOR_SHARE * self.stage.log.tick:
            return ''
        return ('store', 'fetch', 'peek')[int(self._rng.integers(3))]

    def _chore(self, name: str) -> Action:
        """Do one chore of the deck if things allow; its counterpart keeps the balance."""
        stage, wearer, rng = self.stage, self.stage.wearer, self._rng
        share = len(self._things(contained=True)) / len(self._present())
        if name == 'fetch' and share < _CONTAINED_LOW:
            name = 'store'
        elif name == 'store' and share > _CONTAINED_HIGH:
            name = 'fetch'
        if name in ('store', 'fetch', 'move'):
            yield from self._relocate(wearer, name)
        elif name == 'swap':
            yield from self._swap()
        elif name in ('hand_over', 'receive'):
            yield from self._exchange(wearer_gives=name == 'hand_over')
        elif name == 'peek':
            units = [u for u in self._usable(wearer) if u.door is not None]
            if units:
                yield from peek(stage, wearer, units[int(rng.integers(len(units)))])
        else:
            yield from glance(stage, wearer, rng, 4)

    def _relocate(self, person: Person, name: str) -> Action:
        """Move one thing: into a container, out of one, or from surface to surface."""
        stage, rng = self.stage, self._rng
        thing = self._pick(self._things(contained=name == 'fetch'), person)
        if thing is None:
            return
        unit = stage.fixture_of(thing)
        avoid = [u.fixture_id for u in stage.layout.units if not self._reachable(person, u)]
        if self._door_chore() or rng.random() < 0.7:
            avoid.append('bin_1')
        if unit is not None:
            avoid.append(unit.fixture_id)
        index = stage.free_slot(thing.spec, rng, contained=name == 'store', avoid=tuple(avoid))
        if index < 0:
            return
        stage.reserved_slots.add(index)
        carry = 'hip' if rng.random() < 0.35 else 'carry'
        yield from relocate(stage, person, thing, index, rng, carry)

    def _swap(self) -> Action:
        """Swap two things in the open, a same-kind pair if there is one."""
        stage, rng = self.stage, self._rng
        things = self._things(contained=False)
        pairs = [
            (a, b)
            for a in things
            for b in things
            if a.spec.object_id < b.spec.object_id and _fit_each_other(stage, a, b)
        ]
        same = [p for p in pairs if p[0].spec.label == p[1].spec.label]
        options = same or pairs
        if not options:
            return
        first, second = options[int(rng.integers(len(options)))]
        spare = stage.free_slot(first.spec, rng, contained=False)
        if spare < 0:
            return
        stage.reserved_slots.add(spare)
        yield from swap(stage, stage.wearer, first, second, spare, rng)

    def _exchange(self, *, wearer_gives: bool) -> Action:
        """Hand a thing over, to or from the partner; who has it then puts it away."""
        stage, rng = self.stage, self._rng
        wearer, partner = stage.wearer, stage.partner
        giver, taker = (wearer, partner) if wearer_gives else (partner, wearer)
        for _ in range(round(_PATIENCE_S * TICK_RATE_HZ)):
            if self._partner_idle:
                break
            wearer.look_at(lambda: partner.ahead(0.0, 1.3))
            yield
        thing = self._pick(self._things(contained=False), giver)
        if thing is None or not self._partner_idle:
            return
        index = stage.free_slot(thing.spec, rng, contained=False)
        if index < 0:
            return
        stage.reserved_slots.add(index)
        self._borrowed = True
        yield from transfer(stage, giver, taker, thing, rng)
        if wearer_gives:
            stage.reserved_slots.discard(index)
            self._to_put_away = thing
            self._borrowed = False
            yield from dwell(0.5)
        else:
            self._borrowed = False
            yield from put_away(stage, wearer, thing, index, rng)

    def _remove(self, person: Person) -> Action:
        """Take something away for good."""
        thing = self._pick(self._things(contained=False), person)
        if thing is not None:
            self._removals.pop(0)
            away_s = float(self._rng.uniform(1.0, 6.0))
            yield from remove(self.stage, person, thing, self._rng, away_s)

    def _removal_due(self) -> bool:
        return bool(self._removals) and self.stage.log.tick >= self._removals[0]

    def _tidy(self) -> Action:
        """Close one container when too many stand open."""
        stage, rng = self.stage, self._rng
        left_open = [
            u for u in self._usable(stage.wearer) if u.door is not None and stage.openness(u) > 0.0
        ]
        if len(left_open) > _MAX_OPEN:
            unit = left_open[int(rng.integers(len(left_open)))]
            yield from peek(stage, stage.wearer, unit, 0.4)

    def _partner_life(self) -> Action:
        """Mostly in the background: waits, walks, moves things, takes things away."""
        stage, partner, rng = self.stage, self.stage.partner, self._rng
        while True:
            yield from self._partner_waits(float(rng.uniform(3.0, 9.0)))
            if self._to_put_away is not None:
                yield from self._partner_puts_away(self._to_put_away)
            elif self._removal_due() and not stage.wearer.is_away:
                yield from self._remove(partner)
            elif rng.random() < 0.3:
                kind = ('store', 'fetch', 'move')[int(rng.integers(3))]
                yield from self._relocate(partner, kind)
            else:
                x0, y0, x1, y1 = stage.layout.walkable
                x, y = float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1))
                partner.look_at(lambda: stage.wearer.ahead(0.0, 1.3))
                yield from walk(partner, Stand(x, y, float(rng.uniform(-3.0, 3.0))))
            yield

    def _partner_waits(self, seconds: float) -> Action:
        """Be free for hand-overs; while borrowed, somebody else moves the partner."""
        for _ in range(round(seconds * TICK_RATE_HZ)):
            self._partner_idle = not self._borrowed
            yield
            if self._to_put_away is not None:
                break
        while self._borrowed:
            self._partner_idle = False
            yield
        self._partner_idle = False

    def _partner_puts_away(self, thing: Thing) -> Action:
        """Put what was handed over into the open or into a container."""
        stage, rng = self.stage, self._rng
        index = stage.free_slot(thing.spec, rng, contained=bool(rng.random() < 0.3))
        while index < 0:
            yield
            index = stage.free_slot(thing.spec, rng, contained=False)
        self._to_put_away = None
        yield from put_away(stage, stage.partner, thing, index, rng)

    def _present(self) -> list[Thing]:
        return [t for t in self.stage.things.values() if t.frame != 'gone']

    def _things(self, *, contained: bool) -> list[Thing]:
        """Things at rest that nobody has plans with."""
        stage = self.stage
        out = []
        for name in sorted(stage.things):
            thing = stage.things[name]
            unit = stage.fixture_of(thing)
            if unit is None or thing.is_reserved or unit.fixture_id in stage.busy_fixtures:
                continue
            if unit.is_container == contained:
                out.append(thing)
        return out

    def _pick(self, things: list[Thing], person: Person) -> Thing | None:
        """Draw one of them that is not where the other person is."""
        near = [
            t
            for t in things
            if (unit := self.stage.fixture_of(t)) is not None and self._reachable(person, unit)
        ]
        return near[int(self._rng.integers(len(near)))] if near else None

    def _usable(self, person: Person) -> list[Unit]:
        busy = self.stage.busy_fixtures
        return [
            u
            for u in self.stage.layout.units
            if u.fixture_id not in busy and self._reachable(person, u)
        ]

    def _reachable(self, person: Person, unit: Unit) -> bool:
        """Whether the other person neither stands nor goes where one would stand."""
        other = self.stage.partner if person is self.stage.wearer else self.stage.wearer
        x, y = other.destination
        return math.hypot(unit.stand.x - x, unit.stand.y - y) > 0.9


def _fit_each_other(stage: Stage, a: Thing, b: Thing) -> bool:
    """Whether each of two things fits in the other's slot."""
    for thing, other in ((a, b), (b, a)):
        if other.slot is None:
            return False
        slot = stage.slots[other.slot]
        if slot.radius < thing.spec.radius or slot.height < 2 * thing.spec.half_size[2]:
            return False
    return True
