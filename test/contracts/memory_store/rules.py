"""What the rules of each topic stand on: a new, empty store."""

from __future__ import annotations

import pytest

from st_memory.core.ports import MemoryStore

__all__ = ['StoreRules']


class StoreRules:
    """Rules of one topic, one a test."""

    def make_object_under_test(self) -> MemoryStore:
        """Give a new, empty store."""
        raise AssertionError('the subclass supplies the store')

    @pytest.fixture
    def store(self) -> MemoryStore:
        """Give the store of one test."""
        return self.make_object_under_test()
