"""How likely a thing is still where it was seen last, by how often its kind was moved so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
import math

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.selection import reported_objects
from st_memory.core.records import LifeCycle, ObjectState
from st_memory.core.stamps import Moment, NS_PER_S

__all__ = ['MoveRate', 'StayChances', 'StayPrior', 'stay_probability']


@dataclass(frozen=True)
class StayPrior:
    """
    What is believed of how long things stay before anything is known of their class.

    Parameters
    ----------
    mean_s : float
        Mean time between two moves of one thing, seconds; positive.
    weight : float
        How many moves this belief is worth; positive.

    Raises
    ------
    ValueError
        If a number is not positive and finite.

    """

    mean_s: float
    weight: float = 1.0

    def __post_init__(self) -> None:
        for name, value in (('mean_s', self.mean_s), ('weight', self.weight)):
            if not (math.isfinite(value) and value > 0.0):
                raise ValueError(f'{name}: expected a positive number, got {value}')


@dataclass(frozen=True)
class MoveRate:
    """
    Gamma distribution of how often a thing of a class is moved.

    Moves are taken to come as a Poisson process, with one unknown rate a class.

    Parameters
    ----------
    moves : float
        Shape: moves so far, and what the prior is worth.
    watched_s : float
        Inverse scale, seconds: how long things of the class were watched while they were moved
        so often, and what the prior is worth.

    """

    moves: float
    watched_s: float

    @classmethod
    def learned(cls, objects: Iterable[ObjectState], prior: StayPrior) -> MoveRate:
        """
        Learn from objects of one class.

        Each was watched from its first sight to its last one: what happened since is not known.
        """
        moves, watched_s = prior.weight, prior.weight * prior.mean_s
        for state in objects:
            if state.first_seen_ns is None or state.last_seen_ns is None:
                continue
            moves += state.num_moves
            watched_s += max(0, state.last_seen_ns - state.first_seen_ns) / NS_PER_S
        return cls(moves, watched_s)

    def survival(self, unseen_s: float) -> float:
        """
        Give the chance of no move within a time, seconds.

        The mean of ``exp(-rate * unseen_s)`` over the rates that are possible.
        """
        return math.exp(-self.moves * math.log1p(max(0.0, unseen_s) / self.watched_s))


class StayChances:
    """
    Chances that things are where they were seen last; each class is learned once.

    Parameters
    ----------
    reader : MemoryReader
        The memory; what came after ``at`` is not used.
    at : Moment
        As of when.
    prior : StayPrior
        Before anything is known of a class.

    """

    def __init__(self, reader: MemoryReader, at: Moment, prior: StayPrior) -> None:
        self._reader = reader
        self._at = at
        self._prior = prior
        self._alike: dict[str, list[ObjectState]] | None = None
        self._rates: dict[str, MoveRate] = {}

    def of(self, state: ObjectState) -> float | None:
        """
        Give the chance that a thing is where it was seen last.

        None where its class says nothing about it: what is being moved, is gone, was never seen,
        or was seen in another epoch only.
        """
        is_at_rest = state.life_cycle is LifeCycle.CONFIRMED and not state.in_motion
        if not is_at_rest or state.last_seen_ns is None or state.epoch != self._at.epoch:
            return None
        unseen_s = (self._at.stamp_ns - state.last_seen_ns) / NS_PER_S
        return state.existence_probability * self._rate(state.label).survival(unseen_s)

    def _rate(self, label: str) -> MoveRate:
        if self._alike is None:
            self._alike = {}
            for state in reported_objects(self._reader, self._at):
                self._alike.setdefault(state.label, []).append(state)
        if label not in self._rates:
            self._rates[label] = MoveRate.learned(self._alike.get(label, ()), self._prior)
        return self._rates[label]


def stay_probability(
    reader: MemoryReader, state: ObjectState, at: Moment, prior: StayPrior
) -> float:
    """
    Give the chance that a thing is where it was seen last.

    Parameters
    ----------
    reader, at, prior
        As for :class:`StayChances`.
    state : ObjectState
        The thing as of ``at``. Where :meth:`StayChances.of` gives none, it keeps the probability
        that it has.

    """
    chance = StayChances(reader, at, prior).of(state)
    return state.existence_probability if chance is None else chance
