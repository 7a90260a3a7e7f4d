"""
Own rigid transforms, camera models, boxes and the time-indexed transform buffer.

Imports only :mod:`st_memory.core.errors` and :mod:`st_memory.core.stamps`. A reader starts with
:class:`RigidTransform`, :class:`CameraModel` and :class:`TransformBuffer`.
"""

from __future__ import annotations

from st_memory.core.geometry.camera import CameraModel, Projection
from st_memory.core.geometry.se3 import RigidTransform

__all__ = ['CameraModel', 'Projection', 'RigidTransform']
