"""
Own the fold: how one frame changes what is remembered.

Imports everything below it in the core. A reader starts with :class:`ObjectMemory`;
``integrate`` is the only thing that changes state.
"""

from __future__ import annotations

from st_memory.core.memory.looks import JudgedLook
from st_memory.core.memory.object_memory import ObjectMemory
from st_memory.core.memory.settings import MemorySettings

__all__ = ['JudgedLook', 'MemorySettings', 'ObjectMemory']
