"""
Own the Protocols through which the core is given what it must not import.

Each port has a conformance suite in ``test/contracts``. A reader starts with
:class:`MemoryStore`, :class:`FrameSource` and :class:`RayCaster`.
"""

from __future__ import annotations

from st_memory.core.ports.ray_caster import NO_PART, RayCaster, RayHits
from st_memory.core.ports.recording import RecordingSink
from st_memory.core.ports.sources import FrameSource
from st_memory.core.ports.store import (
    Checkpoint,
    FrameName,
    FrameOrigin,
    MemoryReader,
    MemoryStore,
    StoredFrame,
)

__all__ = [
    'NO_PART',
    'Checkpoint',
    'FrameName',
    'FrameOrigin',
    'FrameSource',
    'MemoryReader',
    'MemoryStore',
    'RayCaster',
    'RayHits',
    'RecordingSink',
    'StoredFrame',
]
