"""A small memory that questions are put to: made by the fold, kept in an in-memory store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import math
from typing import Any

import pytest

from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import (
    CameraLook,
    FrameDelta,
    FrameRecord,
    ObjectState,
    SensedFrame,
    TrackRecord,
    Visibility,
    VisibilityInterval,
)
from st_memory.storage import InMemoryStore
from test.scenarios.synthetic import Ball, looking, sense

S = 1_000_000_000


def remember(frames: Iterable[SensedFrame], preset: str = 'live') -> InMemoryStore:
    """Fold frames into a new store."""
    memory, store = ObjectMemory(MemorySettings(visibility_preset=preset)), InMemoryStore()
    for frame in frames:
        store.commit(memory.integrate(frame))
    return store


def commit(
    store: Any,
    second: float,
    *states: ObjectState,
    epoch: int = 0,
    cameras: Sequence[str] = (),
    seq: int | None = None,
    **rows: Any,
) -> Any:
    """Append one frame of states and other rows, with looks straight ahead from the origin."""
    stamp_ns = round(second * S)
    number = len(list(store.frames())) if seq is None else seq
    looks = tuple(CameraLook(name, epoch, stamp_ns, looking()) for name in cameras)
    tracks = tuple(TrackRecord(state, '{}') for state in states)
    frame = FrameRecord(epoch, stamp_ns, number, '{}')
    store.commit(FrameDelta(frame, tracks, looks=looks, **rows))
    return store


def stay(
    object_id: str,
    start: float,
    end: float | None,
    state: Visibility = Visibility.VISIBLE,
    camera_id: str = 'cam',
    last: float | None = None,
) -> VisibilityInterval:
    """Make an interval from seconds; it ends where it is seen last unless told."""
    end_ns = None if end is None else round(end * S)
    last_ns = round((start if last is None else last) * S)
    return VisibilityInterval(
        object_id, camera_id, 0, round(start * S), end_ns, last_ns, state, state
    )


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
