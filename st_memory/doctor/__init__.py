"""
Own the explanation of why nothing is remembered.

Imports bags, conversions and core. A reader starts with :func:`diagnose` for a bag,
:func:`live_findings` for a running node and :func:`object_findings` for one object.
"""

from __future__ import annotations

from st_memory.doctor.camera_findings import CameraFindings
from st_memory.doctor.diagnosis import diagnose, Diagnosis
from st_memory.doctor.findings import Finding, LiveInputs, PairGap, Received, Severity
from st_memory.doctor.gaps import TopicGap
from st_memory.doctor.live import live_findings, received_findings
from st_memory.doctor.objects import object_findings
from st_memory.doctor.transform_links import drawn_tree, TransformLink

__all__ = [
    'CameraFindings',
    'Diagnosis',
    'Finding',
    'LiveInputs',
    'PairGap',
    'Received',
    'Severity',
    'TopicGap',
    'TransformLink',
    'diagnose',
    'drawn_tree',
    'live_findings',
    'object_findings',
    'received_findings',
]
