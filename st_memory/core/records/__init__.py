"""
Own the frozen records that cross layers: what was sensed, what is remembered, what is answered.

Imports only geometry, stamps and errors. A reader starts with :class:`SensedFrame` (in),
:class:`ObjectState` (inside) and :class:`FrameDelta` (what one frame appended).
"""

from __future__ import annotations

from st_memory.core.records.answers import AnswerStatus
from st_memory.core.records.articulation import Articulation
from st_memory.core.records.deltas import FrameDelta, FrameRecord, TrackRecord
from st_memory.core.records.detections import Detection, WorldDetection
from st_memory.core.records.edits import CarriedObject, Edit, EditAction, Rebase, RebaseKind
from st_memory.core.records.events import Event
from st_memory.core.records.frames import CameraFrame, MovementReport, SensedFrame
from st_memory.core.records.history import (
    BASE_LOOK,
    CameraLook,
    Observation,
    Placement,
    VisibilityInterval,
)
from st_memory.core.records.objects import (
    LifeCycle,
    MOST_TELLING_FIRST,
    ObjectState,
    Visibility,
)
from st_memory.core.records.scene import Fixture, Scene, ScenePart

__all__ = [
    'BASE_LOOK',
    'MOST_TELLING_FIRST',
    'AnswerStatus',
    'Articulation',
    'CameraFrame',
    'CameraLook',
    'CarriedObject',
    'Detection',
    'Edit',
    'EditAction',
    'Event',
    'Fixture',
    'FrameDelta',
    'FrameRecord',
    'LifeCycle',
    'MovementReport',
    'ObjectState',
    'Observation',
    'Placement',
    'Rebase',
    'RebaseKind',
    'Scene',
    'ScenePart',
    'SensedFrame',
    'TrackRecord',
    'Visibility',
    'VisibilityInterval',
    'WorldDetection',
]
