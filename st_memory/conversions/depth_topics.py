"""
Which colour camera a depth camera with a namespace of its own belongs to.

RealSense, Azure Kinect and OpenNI drivers publish ``<name>/depth`` or
``<name>/aligned_depth_to_color`` beside ``<name>/color`` or ``<name>/rgb``.
"""

from __future__ import annotations

from collections.abc import Mapping

from st_memory.conversions.topic_kinds import TopicKind, TopicRole

__all__ = ['with_depth_of_neighbours']

_COLOR_WORDS = {'color', 'colour', 'rgb'}
_DEPTH_KINDS = {TopicKind.CAMERA_INFO, TopicKind.DEPTH}


def with_depth_of_neighbours(roles: Mapping[str, TopicRole]) -> dict[str, TopicRole]:
    """
    Give a colour camera without depth the depth of the depth camera beside it.

    Parameters
    ----------
    roles : mapping of str to TopicRole
        By topic.

    Returns
    -------
    dict of str to TopicRole
        The depth camera's images belong to the colour camera, its ``camera_info`` is a
        ``DEPTH_INFO``. Depth that is registered already counts before one that is not.

    """
    kinds: dict[str, set[TopicKind]] = {}
    for role in roles.values():
        kinds.setdefault(role.camera_id, set()).add(role.kind)
    owner_by_depth: dict[str, str] = {}
    for camera_id in sorted(kinds):
        space, _, word = camera_id.rpartition('/')
        has_depth = TopicKind.DEPTH in kinds[camera_id]
        if word not in _COLOR_WORDS or has_depth or TopicKind.CAMERA_INFO not in kinds[camera_id]:
            continue
        beside = [
            other
            for other in kinds
            if other.rpartition('/')[0] == space
            and 'depth' in other.rpartition('/')[2].split('_')
            and TopicKind.DEPTH in kinds[other] <= _DEPTH_KINDS
        ]
        if beside:
            owner_by_depth[min(beside, key=lambda name: ('aligned' not in name, name))] = camera_id
    return {
        topic: _moved(role, owner_by_depth[role.camera_id])
        if role.camera_id in owner_by_depth
        else role
        for topic, role in roles.items()
    }


def _moved(role: TopicRole, owner: str) -> TopicRole:
    kind = TopicKind.DEPTH_INFO if role.kind is TopicKind.CAMERA_INFO else role.kind
    return role._replace(kind=kind, camera_id=owner)
