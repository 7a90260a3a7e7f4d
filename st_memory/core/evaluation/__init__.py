"""
Own the metrics: accuracy, identity, matched intervals, agreement of judges, how sure they are.

Imports nothing of the memory: figures are made of plain items. A reader starts with
:func:`macro_accuracy`, :func:`identity_f1` and :func:`match_intervals`.
"""

from __future__ import annotations

from st_memory.core.evaluation.accuracy import Accuracy, accuracy_by, macro_accuracy
from st_memory.core.evaluation.agreement import (
    cohen_kappa,
    krippendorff_alpha,
    pairwise_kappa,
    unanimous_share,
)
from st_memory.core.evaluation.bootstrap import cluster_bootstrap, Estimate
from st_memory.core.evaluation.confusion import Confusion, confusion_of
from st_memory.core.evaluation.identity import identity_f1, IdentityFigures
from st_memory.core.evaluation.intervals import IntervalMatches, match_intervals

__all__ = [
    'Accuracy',
    'Confusion',
    'Estimate',
    'IdentityFigures',
    'IntervalMatches',
    'accuracy_by',
    'cluster_bootstrap',
    'cohen_kappa',
    'confusion_of',
    'identity_f1',
    'krippendorff_alpha',
    'macro_accuracy',
    'match_intervals',
    'pairwise_kappa',
    'unanimous_share',
]
