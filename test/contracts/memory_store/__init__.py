"""
Conformance suite of ``MemoryStore``: the rules of the port, a module a topic.

Subclass :class:`MemoryStoreConformance` in a test module and supply
``make_object_under_test``; every rule then runs on that store.
"""

from __future__ import annotations

from test.contracts.memory_store.by_place import PlaceRules
from test.contracts.memory_store.feeding import FeedingRules
from test.contracts.memory_store.frames import FrameRules
from test.contracts.memory_store.history import HistoryRules
from test.contracts.memory_store.intervals import IntervalRules
from test.contracts.memory_store.keeping import KeepingRules
from test.contracts.memory_store.names import NameRules
from test.contracts.memory_store.objects import ObjectRules
from test.contracts.memory_store.rows import (
    frame,
    interval,
    look,
    placement,
    seen,
    state,
    track,
)

__all__ = [
    'MemoryStoreConformance',
    'frame',
    'interval',
    'look',
    'placement',
    'seen',
    'state',
    'track',
]


class MemoryStoreConformance(
    FrameRules,
    ObjectRules,
    NameRules,
    IntervalRules,
    HistoryRules,
    KeepingRules,
    PlaceRules,
    FeedingRules,
):
    """Rules of the port, one a test."""
