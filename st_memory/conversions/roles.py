"""What each topic is for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from st_memory.conversions.depth_topics import with_depth_of_neighbours
from st_memory.conversions.topic_kinds import TopicKind, TopicRole

__all__ = ['TopicKind', 'TopicRole', 'discover_roles', 'with_fixed_masks']


_DETECTION_TYPES = {'DetectionArray', 'Detection2DArray', 'Detection3DArray'}
_IMAGE_TYPES = {'Image', 'CompressedImage'}
_CLOUD_TYPE = 'PointCloud2'
_TF_TYPES = {'TFMessage', 'tfMessage'}
# Ends of topic names that say what of a camera is sent; what stands before is the camera.
_CAMERA_ENDINGS = (
    '/camera_info',
    '/depth/image_raw/compressedDepth',
    '/depth/compressedDepth',
    '/depth/color/points',
    '/depth/points',
    '/depth/image_rect_raw',
    '/depth/image_raw',
    '/depth/image',
    '/depth',
    '/self_mask/compressed',
    '/self_mask',
    '/image_raw/compressed',
    '/image/compressed',
    '/compressed',
    '/image_rect_raw',
    '/image_raw',
    '/image',
    '/points',
    '/detections',
)


def discover_roles(topics: Mapping[str, str]) -> dict[str, TopicRole]:
    """
    Say what the topics of a recording or a running system are for.

    Parameters
    ----------
    topics : mapping of str to str
        Message type by topic, e.g. ``sensor_msgs/msg/Image``.

    Returns
    -------
    dict of str to TopicRole
        Only topics that frames are made of. A topic belongs to the camera in whose namespace a
        ``camera_info`` stands; without one, to what its name says; a depth camera beside a
        colour camera gives that one its depth. Where two topics give the same, a compressed image
        is taken before a raw one and that before a cloud.

    """
    spaces = {
        name.removesuffix('/camera_info'): _camera_id(name.removesuffix('/camera_info'))
        for name, type_name in topics.items()
        if _short(type_name) == 'CameraInfo' and name.endswith('/camera_info')
    }
    found: dict[TopicRole, list[str]] = {}
    for topic, type_name in sorted(topics.items()):
        role = _role_of(topic, _short(type_name), spaces)
        if role is not None:
            found.setdefault(role, []).append(topic)
    chosen = {_preferred(names): role for role, names in found.items() if role.kind in _ONE_TOPIC}
    shared = {
        name: role
        for role, names in found.items()
        if role.kind not in _ONE_TOPIC
        for name in names
    }
    return with_depth_of_neighbours(dict(sorted({**chosen, **shared}.items())))


def with_fixed_masks(
    roles: Mapping[str, TopicRole], fixed: Collection[str]
) -> dict[str, TopicRole]:
    """
    Give roles in which some masks hold for all images of their camera.

    Parameters
    ----------
    roles : mapping of str to TopicRole
        By topic.
    fixed : collection of str
        Topics with one message for all images; only those of masks count.

    """
    return {
        topic: role._replace(kind=TopicKind.SELF_MASK_FIXED)
        if role.kind is TopicKind.SELF_MASK and topic in fixed
        else role
        for topic, role in roles.items()
    }


_ONE_TOPIC = {
    TopicKind.CAMERA_INFO,
    TopicKind.DEPTH,
    TopicKind.DEPTH_INFO,
    TopicKind.DETECTIONS,
    TopicKind.IMAGE,
    TopicKind.SCENE,
    TopicKind.SELF_MASK,
}


def _short(type_name: str) -> str:
    return type_name.rpartition('/')[2]


def _preferred(names: Iterable[str]) -> str:
    return min(names, key=lambda name: (name.endswith('/points'), 'compressed' not in name, name))


def _role_of(topic: str, type_name: str, spaces: Mapping[str, str]) -> TopicRole | None:
    last = topic.rpartition('/')[2]
    role: TopicRole | None = None
    if type_name in _TF_TYPES:
        kind = TopicKind.TF_STATIC if last == 'tf_static' else TopicKind.TF
        role = TopicRole(kind)
    elif type_name == 'EventArray' and last == 'movements':
        role = TopicRole(TopicKind.MOVEMENTS)
    elif type_name == 'MarkerArray' and last == 'scene':
        role = TopicRole(TopicKind.SCENE)
    elif type_name == 'JointState':
        role = TopicRole(TopicKind.JOINTS)
    elif type_name == 'CameraInfo':
        role = TopicRole(TopicKind.CAMERA_INFO, _camera_of(topic, spaces))
    elif type_name in _IMAGE_TYPES:
        kind = _image_kind(topic)
        role = TopicRole(kind, _camera_of(topic, spaces))
    elif type_name == _CLOUD_TYPE and _names_depth(topic):
        role = TopicRole(TopicKind.DEPTH, _camera_of(topic, spaces))
    elif type_name in _DETECTION_TYPES:
        camera_id = _camera_of(topic, spaces)
        is_world = last == 'world_detections' or not camera_id
        kind = TopicKind.WORLD_DETECTIONS if is_world else TopicKind.DETECTIONS
        role = TopicRole(kind, '' if is_world else camera_id)
    return role


def _camera_of(topic: str, spaces: Mapping[str, str]) -> str:
    """Give the camera a topic belongs to; '' when its name does not say."""
    inside = [space for space in spaces if topic.startswith(f'{space}/')]
    if inside:
        return spaces[max(inside, key=len)]
    for ending in _CAMERA_ENDINGS:
        if topic.endswith(ending):
            return _camera_id(topic.removesuffix(ending))
    return ''


def _camera_id(namespace: str) -> str:
    return namespace.strip('/') or 'camera'


def _image_kind(topic: str) -> TopicKind:
    if 'self_mask' in topic.lower().split('/'):
        return TopicKind.SELF_MASK
    return TopicKind.DEPTH if _names_depth(topic) else TopicKind.IMAGE


def _names_depth(topic: str) -> bool:
    words = topic.lower().replace('_', '/').split('/')
    return 'depth' in words or 'compresseddepth' in words
