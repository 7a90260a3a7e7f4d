"""Accuracy over classes and groups."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

__all__ = ['Accuracy', 'accuracy_by', 'macro_accuracy']

Key = TypeVar('Key', bound=Hashable)


@dataclass(frozen=True)
class Accuracy:
    """How many of how many are right."""

    correct: int
    total: int

    @property
    def share(self) -> float:
        """Share that is right, in [0, 1]; 0 of nothing is 0."""
        return self.correct / self.total if self.total else 0.0


def accuracy_by(items: Iterable[tuple[Key, bool]]) -> dict[Key, Accuracy]:
    """
    Count what is right, by group.

    Parameters
    ----------
    items : iterable of (key, bool)
        The group of each item, and whether it is right.

    Returns
    -------
    dict
        By group, in the order in which the groups first appear.

    """
    counts: dict[Key, list[int]] = {}
    for key, is_right in items:
        count = counts.setdefault(key, [0, 0])
        count[0] += bool(is_right)
        count[1] += 1
    return {key: Accuracy(correct, total) for key, (correct, total) in counts.items()}


def macro_accuracy(by_class: Mapping[Key, Accuracy]) -> float | None:
    """
    Mean of the accuracies of the classes, each weighing the same; None without a class.

    References
    ----------
    .. [1] Beyond3D (2026), section 5.1: macro accuracy weighs each question type equally.

    """
    if not by_class:
        return None
    return sum(accuracy.share for accuracy in by_class.values()) / len(by_class)
