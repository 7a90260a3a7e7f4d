"""Whether one thing is one object: identity precision, recall and F1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

__all__ = ['IdentityFigures', 'identity_f1']


@dataclass(frozen=True)
class IdentityFigures:
    """
    How well predicted identities cover true ones.

    Parameters
    ----------
    true_positives : int
        Items whose predicted identity is the one given to their true identity.
    num_true, num_predicted : int
        Items with a true, and with a predicted identity.
    object_by_truth : mapping of str to str
        The one-to-one assignment; what shares no item is not in it.

    """

    true_positives: int
    num_true: int
    num_predicted: int
    object_by_truth: Mapping[str, str] = field(default_factory=dict)

    @property
    def precision(self) -> float:
        """True positives of the predicted items; 0 of nothing is 0."""
        return self.true_positives / self.num_predicted if self.num_predicted else 0.0

    @property
    def recall(self) -> float:
        """True positives of the true items; 0 of nothing is 0."""
        return self.true_positives / self.num_true if self.num_true else 0.0

    @property
    def f1(self) -> float:
        """IDF1: 2 true positives / (true items + predicted items)."""
        both = self.num_true + self.num_predicted
        return 2 * self.true_positives / both if both else 0.0


def identity_f1(pairs: Iterable[tuple[str, str]]) -> IdentityFigures:
    """
    Compare identities over items, with one predicted identity per true one.

    Parameters
    ----------
    pairs : iterable of (str, str)
        Per item (a detection) its true and its predicted identity; '' for none: a false
        detection, or one that nothing was made of. Items with neither do not count.

    Returns
    -------
    IdentityFigures
        With the assignment that makes most items right.

    References
    ----------
    .. [1] Ristani et al. (2016), Performance measures and a data set for multi-target,
       multi-camera tracking: IDF1.

    """
    counts = Counter((truth, said) for truth, said in pairs)
    truths = sorted({truth for truth, _ in counts if truth})
    names = sorted({said for _, said in counts if said})
    shared = np.array([[counts[t, n] for n in names] for t in truths], dtype=np.int64)
    shared = shared.reshape(len(truths), len(names))
    rows, columns = linear_sum_assignment(shared, maximize=True)
    chosen = [(i, j) for i, j in zip(rows, columns, strict=True) if shared[i, j]]
    return IdentityFigures(
        true_positives=int(sum(shared[i, j] for i, j in chosen)),
        num_true=sum(n for (truth, _), n in counts.items() if truth),
        num_predicted=sum(n for (_, said), n in counts.items() if said),
        object_by_truth={truths[i]: names[j] for i, j in chosen},
    )
