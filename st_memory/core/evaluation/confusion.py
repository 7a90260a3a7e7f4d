"""Right and wrong answers to yes-or-no questions, each way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ['Confusion', 'confusion_of']


@dataclass(frozen=True)
class Confusion:
    """
    Counts of what was said and what is so.

    Parameters
    ----------
    true_positives, false_positives, false_negatives, true_negatives : float
        Whole numbers, except in a mean of several. Shares of nothing are None.

    """

    true_positives: float
    false_positives: float
    false_negatives: float
    true_negatives: float

    @property
    def total(self) -> float:
        """All questions."""
        return self.right + self.false_positives + self.false_negatives

    @property
    def right(self) -> float:
        """Those answered right."""
        return self.true_positives + self.true_negatives

    @property
    def accuracy(self) -> float | None:
        """Share of the answers that are right."""
        return _share(self.right, self.total)

    @property
    def precision(self) -> float | None:
        """Share of what was said to be so that is."""
        return _share(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float | None:
        """Share of what is so that was said to be."""
        return _share(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def specificity(self) -> float | None:
        """Share of what is not so that was said not to be."""
        return _share(self.true_negatives, self.true_negatives + self.false_positives)

    @property
    def balanced_accuracy(self) -> float | None:
        """Mean of recall and specificity; None without either."""
        if self.recall is None or self.specificity is None:
            return None
        return (self.recall + self.specificity) / 2

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall."""
        double = 2 * self.true_positives
        return _share(double, double + self.false_positives + self.false_negatives)


def confusion_of(items: Iterable[tuple[bool, bool]]) -> Confusion:
    """
    Count answers.

    Parameters
    ----------
    items : iterable of (bool, bool)
        What is so, and what was said.

    """
    counts = {(True, True): 0, (False, True): 0, (True, False): 0, (False, False): 0}
    for truth, said in items:
        counts[bool(truth), bool(said)] += 1
    return Confusion(*counts.values())


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
