"""Advance a stage, one tick at a time: both lives, and how the two people pass each other."""

from __future__ import annotations

import math

import numpy as np

from st_memory.sim.agenda import Agenda
from st_memory.sim.partner import PartnerLife
from st_memory.sim.spec import KitchenSpec, TICK_RATE_HZ
from st_memory.sim.stage import Stage
from st_memory.sim.wearer import WearerLife

__all__ = ['Director']

_MIN_PEOPLE_M = 0.75
_MAX_OFF_PLAN_M = 0.3
# Below this share of time with a moving door, doors are no longer left open.
_DOOR_LAG = 0.12
_FIRST_TICKS = 20 * TICK_RATE_HZ


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
        self.stage = stage
        self._agenda = Agenda(spec, stage, rng)
        self._wearer_acts = WearerLife(self._agenda).acts()
        self._partner_acts = PartnerLife(self._agenda).acts()

    def step(self) -> None:
        """Advance everything by one tick."""
        before = dict(self.stage.joints)
        next(self._wearer_acts)
        partner = self.stage.partner
        # Pushed aside in the middle of something: go on when the way is free again.
        off = math.hypot(partner.x - partner.plan[0], partner.y - partner.plan[1])
        if off < _MAX_OFF_PLAN_M or self._agenda.is_borrowed:
            next(self._partner_acts)
        self._agenda.door_ticks += before != self.stage.joints
        # The first seconds count as the whole stretch: short kitchens need their doors early.
        stretch = max(self.stage.log.tick, _FIRST_TICKS)
        self.stage.doors_lag = self._agenda.door_ticks < _DOOR_LAG * stretch
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
