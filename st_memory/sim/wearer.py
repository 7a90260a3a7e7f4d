"""The life of the person who wears the camera: rounds of chores without end."""

from __future__ import annotations

from st_memory.sim.actions import Action, dwell
from st_memory.sim.agenda import Agenda
from st_memory.sim.chores import glance, peek, put_away, swap, transfer
from st_memory.sim.spec import TICK_RATE_HZ
from st_memory.sim.stage import Stage, Thing

__all__ = ['WearerLife']

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
_MAX_OPEN = 2
_PATIENCE_S = 4.0


class WearerLife:
    """
    Chooses the wearer's chores.

    Parameters
    ----------
    agenda : Agenda
        Plans shared with the partner.

    """

    def __init__(self, agenda: Agenda) -> None:
        self._agenda = agenda

    def acts(self) -> Action:
        """Shuffled rounds of chores; every round has every kind."""
        stage, wearer, rng = self._agenda.stage, self._agenda.stage.wearer, self._agenda.rng
        deck = ['store']
        while True:
            if not deck:
                deck = [str(c) for c in rng.permutation(_DECK)]
            yield from self._tidy()
            if self._agenda.is_removal_due() and rng.random() < 0.4 and not stage.partner.is_away:
                yield from self._agenda.remove_one(wearer)
            yield from self._chore(self._agenda.door_chore() or deck.pop())
            if rng.random() < 0.4:
                yield from glance(stage, wearer, rng, 2)
            yield

    def _chore(self, name: str) -> Action:
        """Do one chore of the deck if things allow; its counterpart keeps the balance."""
        stage, wearer, rng = self._agenda.stage, self._agenda.stage.wearer, self._agenda.rng
        share = len(self._agenda.things_at_rest(contained=True)) / len(self._agenda.present())
        if name == 'fetch' and share < _CONTAINED_LOW:
            name = 'store'
        elif name == 'store' and share > _CONTAINED_HIGH:
            name = 'fetch'
        if name in ('store', 'fetch', 'move'):
            yield from self._agenda.relocate_one(wearer, name)
        elif name == 'swap':
            yield from self._swap()
        elif name in ('hand_over', 'receive'):
            yield from self._exchange(wearer_gives=name == 'hand_over')
        elif name == 'peek':
            units = [u for u in self._agenda.usable(wearer) if u.door is not None]
            if units:
                yield from peek(stage, wearer, units[int(rng.integers(len(units)))])
        else:
            yield from glance(stage, wearer, rng, 4)

    def _swap(self) -> Action:
        """Swap two things in the open, a same-kind pair if there is one."""
        stage, rng = self._agenda.stage, self._agenda.rng
        things = self._agenda.things_at_rest(contained=False)
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
        stage, rng = self._agenda.stage, self._agenda.rng
        wearer, partner = stage.wearer, stage.partner
        giver, taker = (wearer, partner) if wearer_gives else (partner, wearer)
        for _ in range(round(_PATIENCE_S * TICK_RATE_HZ)):
            if self._agenda.is_partner_idle:
                break
            wearer.look_at(lambda: partner.ahead(0.0, 1.3))
            yield
        thing = self._agenda.pick(self._agenda.things_at_rest(contained=False), giver)
        if thing is None or not self._agenda.is_partner_idle:
            return
        index = stage.free_slot(thing.spec, rng, contained=False)
        if index < 0:
            return
        stage.reserved_slots.add(index)
        self._agenda.is_borrowed = True
        yield from transfer(stage, giver, taker, thing, rng)
        if wearer_gives:
            stage.reserved_slots.discard(index)
            self._agenda.to_put_away = thing
            self._agenda.is_borrowed = False
            yield from dwell(0.5)
        else:
            self._agenda.is_borrowed = False
            yield from put_away(stage, wearer, thing, index, rng)

    def _tidy(self) -> Action:
        """Close one container when too many stand open."""
        stage, rng = self._agenda.stage, self._agenda.rng
        left_open = [
            u
            for u in self._agenda.usable(stage.wearer)
            if u.door is not None and stage.openness(u) > 0.0
        ]
        if len(left_open) > _MAX_OPEN:
            unit = left_open[int(rng.integers(len(left_open)))]
            yield from peek(stage, stage.wearer, unit, 0.4)


def _fit_each_other(stage: Stage, a: Thing, b: Thing) -> bool:
    """Whether each of two things fits in the other's slot."""
    for thing, other in ((a, b), (b, a)):
        if other.slot is None:
            return False
        slot = stage.slots[other.slot]
        if slot.radius < thing.spec.radius or slot.height < 2 * thing.spec.half_size[2]:
            return False
    return True
