"""
Own the verdict of one look: can each remembered object be seen from this camera, and why not.

Imports ports, records and geometry. A reader starts with :func:`classify`, the one function that
live node, replay and benchmarks share, and :data:`PRESETS`, the parameters it is run with.
"""

from __future__ import annotations

from st_memory.core.visibility.classifier import classify
from st_memory.core.visibility.presets import preset_named, PRESETS, VisibilityPreset
from st_memory.core.visibility.targets import Targets
from st_memory.core.visibility.verdicts import Cause, Verdicts

__all__ = [
    'PRESETS',
    'Cause',
    'Targets',
    'Verdicts',
    'VisibilityPreset',
    'classify',
    'preset_named',
]
