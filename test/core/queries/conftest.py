"""A small memory that questions are put to: made by the fold, kept in an in-memory store."""

from __future__ import annotations

from collections.abc import Iterable
import math

import pytest

from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import SensedFrame
from st_memory.storage import InMemoryStore
from test.scenarios.synthetic import Ball, looking, sense


def remember(frames: Iterable[SensedFrame], preset: str = 'live') -> InMemoryStore:
    """Fold frames into a new store."""
    memory, store = ObjectMemory(MemorySettings(visibility_preset=preset)), InMemoryStore()
    for frame in frames:
        store.commit(memory.integrate(frame))
    return store


@pytest.fixture(scope='session')
def kitchen() -> InMemoryStore:
    """
    A cup 2 m ahead, a bowl 0.5 m to its left; the camera turns round at frame 10.

    Frame i has the stamp (i + 1) * 0.2 s; the last is frame 19 at 4 s.
    """
    world = [Ball('cup', (2.0, 0.0, 0.0)), Ball('bowl', (2.0, 0.5, 0.0), radius=0.1)]
    frames = [sense(i, world) for i in range(10)]
    frames += [sense(i, world, looking(math.pi)) for i in range(10, 20)]
    return remember(frames)


@pytest.fixture(scope='session')
def two_cups() -> InMemoryStore:
    """Two cups; the second, on the right, is hidden from frame 6 on, so it was seen earlier."""
    cups = [Ball('cup', (2.0, 0.3, 0.0)), Ball('cup', (2.0, -0.3, 0.0))]
    screen = Ball('board', (1.0, -0.15, 0.0), radius=0.12, is_detected=False)
    frames = [sense(i, cups) for i in range(6)]
    frames += [sense(i, [*cups, screen]) for i in range(6, 16)]
    return remember(frames)


@pytest.fixture(scope='session')
def empty() -> InMemoryStore:
    """Hold nothing."""
    return InMemoryStore()
