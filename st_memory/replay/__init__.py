"""
Own the drive of a memory by frames and by words, and the record of what a run was.

Imports core only; the source, the store and the ray caster are handed in. A reader starts with
:func:`replay` and :class:`ReplayManifest`.
"""

from __future__ import annotations

from st_memory.replay.drive import replay, ReplayProgress, ReplayReport
from st_memory.replay.manifest import build_manifest, hash_source, ReplayManifest
from st_memory.replay.telling import open_epoch, tell_edit, tell_rebase

__all__ = [
    'ReplayManifest',
    'ReplayProgress',
    'ReplayReport',
    'build_manifest',
    'hash_source',
    'open_epoch',
    'replay',
    'tell_edit',
    'tell_rebase',
]
