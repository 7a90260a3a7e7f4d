"""
Own the way in for Python programs: a memory file, and its questions as methods.

Puts storage, the word encoder and the core's questions together. A reader starts with
:class:`MemoryFile`.
"""

from __future__ import annotations

from st_memory.asking.memory_file import MemoryFile
from st_memory.asking.words import selector_of

__all__ = ['MemoryFile', 'selector_of']
