"""
Own the explanation of why nothing is remembered.

Imports bags, conversions and core. A reader starts with :func:`diagnose`.
"""

from __future__ import annotations

from st_memory.doctor.diagnosis import CameraFindings, diagnose, Diagnosis
from st_memory.doctor.transform_links import TransformLink

__all__ = ['CameraFindings', 'Diagnosis', 'TransformLink', 'diagnose']
