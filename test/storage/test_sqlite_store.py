"""The SQLite store keeps every rule of the port."""

from __future__ import annotations

from pathlib import Path

import pytest

from st_memory.core.ports import MemoryStore
from st_memory.storage import SqliteMemoryStore
from test.contracts.memory_store import MemoryStoreConformance


class TestSqliteMemoryStore(MemoryStoreConformance):
    """Run the conformance suite."""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self._path = tmp_path / 'memory.db'

    def make_object_under_test(self) -> MemoryStore:
        """Give a new, empty store."""
        return SqliteMemoryStore.open(self._path)
