"""
Own rigid transforms, camera models, boxes and the time-indexed transform buffer.

Imports only :mod:`st_memory.core.errors` and :mod:`st_memory.core.stamps`. A reader starts with
:class:`RigidTransform`, :class:`CameraModel` and :class:`TransformBuffer`.
"""

from __future__ import annotations

from st_memory.core.geometry.boxes import (
    axis_aligned_contains,
    axis_aligned_distances,
    axis_aligned_nine_points,
    Box3D,
)
from st_memory.core.geometry.camera import CameraModel, Projection
from st_memory.core.geometry.cameras import camera_from_parameters, CAMERA_MODELS, in_image
from st_memory.core.geometry.double_sphere import DoubleSphereCamera
from st_memory.core.geometry.fisheye import EquidistantCamera, Fisheye624Camera
from st_memory.core.geometry.frustum import view_planes, ViewPlanes
from st_memory.core.geometry.joint_tree import Joint, JointKind, JointTree, Mimic
from st_memory.core.geometry.perspective import PinholeCamera, PlumbBobCamera, RationalCamera
from st_memory.core.geometry.se3 import RigidTransform
from st_memory.core.geometry.transform_buffer import TransformBuffer
from st_memory.core.geometry.triangles import FaceCounts, usable_faces

__all__ = [
    'CAMERA_MODELS',
    'Box3D',
    'CameraModel',
    'DoubleSphereCamera',
    'EquidistantCamera',
    'FaceCounts',
    'Fisheye624Camera',
    'Joint',
    'JointKind',
    'JointTree',
    'Mimic',
    'PinholeCamera',
    'PlumbBobCamera',
    'Projection',
    'RationalCamera',
    'RigidTransform',
    'TransformBuffer',
    'ViewPlanes',
    'axis_aligned_contains',
    'axis_aligned_distances',
    'axis_aligned_nine_points',
    'camera_from_parameters',
    'in_image',
    'usable_faces',
    'view_planes',
]
