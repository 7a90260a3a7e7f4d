"""Poses that are told apart by their x, for tests of tracks and buffers."""

from __future__ import annotations

import numpy as np

from st_memory.core.geometry import RigidTransform

__all__ = ['S', 'at_x']

S = 1_000_000_000


def at_x(x: float) -> RigidTransform:
    """Build a shift along x."""
    return RigidTransform(np.array([x, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 1.0]))
