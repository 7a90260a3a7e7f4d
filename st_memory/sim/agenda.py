"""What both people know of: what is due, what is free, who waits for whom."""

from __future__ import annotations

import math

import numpy as np

from st_memory.sim.actions import Action
from st_memory.sim.chores import relocate, remove
from st_memory.sim.furniture import Unit
from st_memory.sim.people import Person
from st_memory.sim.spec import KitchenSpec
from st_memory.sim.stage import GONE, Stage, Thing

__all__ = ['Agenda']

# Share of the time in which doors move that the script aims at; the floor is 0.10.
_DOOR_SHARE = 0.2
_PRIVATE_M = 0.9


class Agenda:
    """
    The shared plans of the wearer and the partner.

    Parameters
    ----------
    spec : KitchenSpec
        Duration and number of removals.
    stage : Stage
        What is acted on.
    rng : numpy.random.Generator
        The script stream.

    Attributes
    ----------
    door_ticks : int
        Ticks so far in which a door moved.
    is_borrowed : bool
        The wearer's chore moves the partner just now.
    is_partner_idle : bool
        The partner would take part in a hand-over.
    to_put_away : Thing or None
        What the partner was handed and still holds.

    """

    def __init__(self, spec: KitchenSpec, stage: Stage, rng: np.random.Generator) -> None:
        self.stage, self.rng = stage, rng
        count = spec.num_removals if spec.duration_s >= 60 else min(1, spec.num_removals)
        if spec.duration_s < 30:
            count = 0
        shares = (np.arange(count) + rng.uniform(0.2, 0.8, count)) / max(1, count)
        self._removals = [round(0.9 * s * spec.num_ticks) for s in shares]
        self.door_ticks = 0
        self.is_borrowed = False
        self.is_partner_idle = False
        self.to_put_away: Thing | None = None

    def door_chore(self) -> str:
        """Name a chore with a door when doors have moved too little so far; else an empty name."""
        if self.door_ticks >= _DOOR_SHARE * self.stage.log.tick:
            return ''
        return ('store', 'fetch', 'peek')[int(self.rng.integers(3))]

    def is_removal_due(self) -> bool:
        """Whether it is time to take something away for good."""
        return bool(self._removals) and self.stage.log.tick >= self._removals[0]

    def present(self) -> list[Thing]:
        """Things that were not taken away."""
        return [t for t in self.stage.things.values() if t.frame != GONE]

    def things_at_rest(self, *, contained: bool) -> list[Thing]:
        """Things inside containers, or in the open, that nobody has plans with."""
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

    def pick(self, things: list[Thing], person: Person) -> Thing | None:
        """Draw one of them that is not where the other person is."""
        near = [
            t
            for t in things
            if (unit := self.stage.fixture_of(t)) is not None and self.is_reachable(person, unit)
        ]
        return near[int(self.rng.integers(len(near)))] if near else None

    def usable(self, person: Person) -> list[Unit]:
        """Fixtures that nobody uses and the other person is not at."""
        busy = self.stage.busy_fixtures
        return [
            u
            for u in self.stage.layout.units
            if u.fixture_id not in busy and self.is_reachable(person, u)
        ]

    def is_reachable(self, person: Person, unit: Unit) -> bool:
        """Whether the other person neither stands nor goes where one would stand."""
        other = self.stage.partner if person is self.stage.wearer else self.stage.wearer
        x, y = other.destination
        return math.hypot(unit.stand.x - x, unit.stand.y - y) > _PRIVATE_M

    def relocate_one(self, person: Person, name: str) -> Action:
        """Move one thing: into a container, out of one, or from surface to surface."""
        stage, rng = self.stage, self.rng
        thing = self.pick(self.things_at_rest(contained=name == 'fetch'), person)
        if thing is None:
            return
        unit = stage.fixture_of(thing)
        avoid = [u.fixture_id for u in stage.layout.units if not self.is_reachable(person, u)]
        if self.door_chore() or rng.random() < 0.7 or stage.doors_lag:
            avoid.append('bin_1')
        if unit is not None:
            avoid.append(unit.fixture_id)
        index = stage.free_slot(thing.spec, rng, contained=name == 'store', avoid=tuple(avoid))
        if index < 0:
            return
        stage.reserved_slots.add(index)
        carry = 'hip' if rng.random() < 0.35 else 'carry'
        yield from relocate(stage, person, thing, index, rng, carry)

    def remove_one(self, person: Person) -> Action:
        """Take something away for good."""
        thing = self.pick(self.things_at_rest(contained=False), person)
        if thing is not None:
            self._removals.pop(0)
            away_s = float(self.rng.uniform(1.0, 6.0))
            yield from remove(self.stage, person, thing, self.rng, away_s)
