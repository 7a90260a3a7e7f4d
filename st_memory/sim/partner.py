"""The life of the other person in the kitchen: mostly in the background."""

from __future__ import annotations

from st_memory.sim.actions import Action, walk
from st_memory.sim.agenda import Agenda
from st_memory.sim.chores import put_away
from st_memory.sim.furniture import Stand
from st_memory.sim.spec import TICK_RATE_HZ
from st_memory.sim.stage import Thing

__all__ = ['PartnerLife']


class PartnerLife:
    """
    Chooses what the partner does.

    Parameters
    ----------
    agenda : Agenda
        Plans shared with the wearer.

    """

    def __init__(self, agenda: Agenda) -> None:
        self._agenda = agenda

    def acts(self) -> Action:
        """Wait, walk, move things, take things away."""
        stage, partner, rng = self._agenda.stage, self._agenda.stage.partner, self._agenda.rng
        while True:
            yield from self._wait(float(rng.uniform(3.0, 9.0)))
            if self._agenda.to_put_away is not None:
                yield from self._put_away(self._agenda.to_put_away)
            elif self._agenda.is_removal_due() and not stage.wearer.is_away:
                yield from self._agenda.remove_one(partner)
            elif rng.random() < 0.3:
                kind = ('store', 'fetch', 'move')[int(rng.integers(3))]
                yield from self._agenda.relocate_one(partner, kind)
            else:
                x0, y0, x1, y1 = stage.layout.walkable
                x, y = float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1))
                partner.look_at(lambda: stage.wearer.ahead(0.0, 1.3))
                yield from walk(partner, Stand(x, y, float(rng.uniform(-3.0, 3.0))))
            yield

    def _wait(self, seconds: float) -> Action:
        """Be free for hand-overs; while borrowed, somebody else moves the partner."""
        for _ in range(round(seconds * TICK_RATE_HZ)):
            self._agenda.is_partner_idle = not self._agenda.is_borrowed
            yield
            if self._agenda.to_put_away is not None:
                break
        while self._agenda.is_borrowed:
            self._agenda.is_partner_idle = False
            yield
        self._agenda.is_partner_idle = False

    def _put_away(self, thing: Thing) -> Action:
        """Put what was handed over into the open or into a container."""
        stage, rng = self._agenda.stage, self._agenda.rng
        index = stage.free_slot(thing.spec, rng, contained=bool(rng.random() < 0.3))
        while index < 0:
            yield
            index = stage.free_slot(thing.spec, rng, contained=False)
        self._agenda.to_put_away = None
        yield from put_away(stage, stage.partner, thing, index, rng)
