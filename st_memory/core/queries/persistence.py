"""How likely a thing is still where it was seen last, by how often its kind was moved so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
import math

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.selection import reported_objects
from st_memory.core.records import LifeCycle, ObjectState
from st_memory.core.stamps import Moment, NS_PER_S

__all__ = ['MoveRate', 'StayPrior', 'stay_probability', 'with_persistence']


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


def stay_probability(
    reader: MemoryReader, state: ObjectState, at: Moment, prior: StayPrior
) -> float:
    """
    Give the chance that a thing is where it was seen last.

    Parameters
    ----------
    reader : MemoryReader
        The memory; what came after ``at`` is not used.
    state : ObjectState
        The thing as of ``at``. What is being moved, is gone, or was never seen keeps the
        probability it has.
    at : Moment
        As of when.
    prior : StayPrior
        Before anything is known of its class.

    """
    is_at_rest = state.life_cycle is LifeCycle.CONFIRMED and not state.in_motion
    if not is_at_rest or state.last_seen_ns is None:
        return state.existence_probability
    alike = [s for s in reported_objects(reader, at) if s.label == state.label]
    unseen_s = (at.stamp_ns - state.last_seen_ns) / NS_PER_S
    return state.existence_probability * MoveRate.learned(alike, prior).survival(unseen_s)


def with_persistence(
    reader: MemoryReader, state: ObjectState, at: Moment, prior: StayPrior
) -> ObjectState:
    """Give a state with the chance that it still holds; parameters as above."""
    return replace(state, existence_probability=stay_probability(reader, state, at, prior))
