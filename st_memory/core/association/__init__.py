"""
Own which detection belongs to which remembered object.

Imports visibility, ports, records and geometry. A reader starts with :func:`assign`.
"""

from __future__ import annotations

from st_memory.core.association.appearance import averaged, likeness, unit_vector
from st_memory.core.association.assignment import assign, load_solver, UNREACHABLE
from st_memory.core.association.completion import completed
from st_memory.core.association.localization import localize, localize_all, Measurement
from st_memory.core.association.recollection import recollected

__all__ = [
    'UNREACHABLE',
    'Measurement',
    'assign',
    'averaged',
    'completed',
    'likeness',
    'load_solver',
    'localize',
    'localize_all',
    'recollected',
    'unit_vector',
]
