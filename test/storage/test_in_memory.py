"""The reference store keeps every rule of the port."""

from __future__ import annotations

from st_memory.core.ports import MemoryStore
from st_memory.storage import InMemoryStore
from test.contracts.memory_store import MemoryStoreConformance


class TestInMemoryStore(MemoryStoreConformance):
    """Run the conformance suite."""

    def make_object_under_test(self) -> MemoryStore:
        """Give a new, empty store."""
        return InMemoryStore()
