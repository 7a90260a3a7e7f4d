"""
Own the stores: the memory in one SQLite file, and the reference store in plain Python.

Must not import the other adapters. A reader starts with :class:`SqliteMemoryStore`,
:class:`InMemoryStore` and :func:`dump`.
"""

from __future__ import annotations

from st_memory.storage.dump import dump, dump_lines
from st_memory.storage.in_memory import InMemoryStore
from st_memory.storage.sqlite_store import SqliteMemoryStore
from st_memory.storage.summary import EpochSummary, inspect, StoreSummary

__all__ = [
    'EpochSummary',
    'InMemoryStore',
    'SqliteMemoryStore',
    'StoreSummary',
    'dump',
    'dump_lines',
    'inspect',
]
