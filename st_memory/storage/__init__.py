"""
Own the stores: the memory in one SQLite file or in PostgreSQL, and the oracle of both.

Must not import the other adapters. A reader starts with :class:`SqliteMemoryStore`,
:func:`open_memory`, :func:`export_memory` and :func:`dump`.
"""

from __future__ import annotations

from st_memory.storage.dump import dump, dump_lines
from st_memory.storage.exchange import is_same_scene
from st_memory.storage.in_memory import InMemoryStore
from st_memory.storage.places import open_memory
from st_memory.storage.sql_store import SqlMemoryStore
from st_memory.storage.sqlite_store import SqliteMemoryStore
from st_memory.storage.summary import EpochSummary, inspect, StoreSummary
from st_memory.storage.thinning import Retention, ThinningReport
from st_memory.storage.transfer import (
    check_format,
    export_memory,
    feed_memory,
    import_memory,
)

__all__ = [
    'EpochSummary',
    'InMemoryStore',
    'Retention',
    'SqlMemoryStore',
    'SqliteMemoryStore',
    'StoreSummary',
    'ThinningReport',
    'check_format',
    'dump',
    'dump_lines',
    'export_memory',
    'feed_memory',
    'import_memory',
    'inspect',
    'is_same_scene',
    'open_memory',
]
