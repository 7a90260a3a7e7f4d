"""What messages are for."""

from __future__ import annotations

import enum
from typing import NamedTuple

__all__ = ['TopicKind', 'TopicRole']


@enum.unique
class TopicKind(enum.Enum):
    """Kinds of messages that make up frames."""

    TF = 'tf'
    TF_STATIC = 'tf_static'
    CAMERA_INFO = 'camera_info'
    DEPTH_INFO = 'depth_info'  # intrinsics of depth that is not registered to the camera
    IMAGE = 'image'
    DEPTH = 'depth'
    DETECTIONS = 'detections'
    SELF_MASK = 'self_mask'
    SELF_MASK_FIXED = 'self_mask_fixed'  # one for all images
    WORLD_DETECTIONS = 'world_detections'
    MOVEMENTS = 'movements'
    SCENE = 'scene'
    MESH = 'mesh'
    JOINTS = 'joints'


class TopicRole(NamedTuple):
    """
    What a topic gives.

    Attributes
    ----------
    kind : TopicKind
        What its messages are for.
    camera_id : str
        Camera it belongs to; '' for what belongs to none.
    part : str
        Part of the scene that a mesh is; '' for everything else.

    """

    kind: TopicKind
    camera_id: str = ''
    part: str = ''
