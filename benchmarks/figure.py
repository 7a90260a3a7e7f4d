"""A figure: what it is called, what it is compared with, and what it should reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

__all__ = ['Figure', 'Goal', 'Measured', 'MeasuringError']


class MeasuringError(Exception):
    """A figure cannot be measured here; the message is one line that says why."""


class Measured(NamedTuple):
    """
    A figure and its reference, measured in the same run and in the same unit.

    ``details`` are what else the run found, by name: they are written down and not judged.
    """

    value: float
    reference_value: float
    details: Mapping[str, float | bool] | None = None


@dataclass(frozen=True)
class Goal:
    """
    What a figure should reach.

    Parameters
    ----------
    quantity : str
        ``value``, or ``ratio`` (value / reference value).
    relation : str
        ``<=`` or ``>=``.
    bound : float
        The number itself still counts as reached.

    """

    quantity: Literal['value', 'ratio']
    relation: Literal['<=', '>=']
    bound: float

    def is_met(self, entry: Mapping[str, Any]) -> bool:
        """Whether an entry of the results file reaches it."""
        reached = float(entry[self.quantity])
        return reached <= self.bound if self.relation == '<=' else reached >= self.bound

    def __str__(self) -> str:
        return f'{self.quantity} {self.relation} {self.bound:g}'


@dataclass(frozen=True)
class Figure:
    """
    One figure.

    Parameters
    ----------
    name : str
        As in ``--only``.
    unit : str
        Of the value and of the reference value.
    reference : str
        What the reference does, in one line.
    measure : callable
        Measures both, alternating; raises :class:`MeasuringError` where it cannot.
    goal : Goal, optional
        None for a figure that only informs.
    only_named : bool
        Takes so long that it is measured only when it is asked for by name.

    """

    name: str
    unit: str
    reference: str
    measure: Callable[[], Measured]
    goal: Goal | None = None
    only_named: bool = False
