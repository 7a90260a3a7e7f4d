"""
Own the metrics: accuracy by class and group, identity, matched intervals.

Imports nothing of the memory: figures are made of plain items. A reader starts with
:func:`macro_accuracy`, :func:`identity_f1` and :func:`match_intervals`.
"""

from __future__ import annotations

from st_memory.core.evaluation.accuracy import Accuracy, accuracy_by, macro_accuracy
from st_memory.core.evaluation.identity import identity_f1, IdentityFigures
from st_memory.core.evaluation.intervals import IntervalMatches, match_intervals

__all__ = [
    'Accuracy',
    'IdentityFigures',
    'IntervalMatches',
    'accuracy_by',
    'identity_f1',
    'macro_accuracy',
    'match_intervals',
]
