"""Tests of what topics are for."""

from __future__ import annotations

import pytest

from st_memory.conversions.roles import (
    discover_roles,
    TopicKind,
    TopicRole,
    with_fixed_masks,
)

OURS = {
    '/tf': 'tf2_msgs/msg/TFMessage',
    '/tf_static': 'tf2_msgs/msg/TFMessage',
    '/head/camera_info': 'sensor_msgs/msg/CameraInfo',
    '/head/image/compressed': 'sensor_msgs/msg/CompressedImage',
    '/head/depth/compressedDepth': 'sensor_msgs/msg/CompressedImage',
    '/head/detections': 'st_memory_interfaces/msg/DetectionArray',
    '/world_detections': 'st_memory_interfaces/msg/DetectionArray',
    '/movements': 'st_memory_interfaces/msg/EventArray',
    '/joint_states': 'sensor_msgs/msg/JointState',
    '/scene': 'visualization_msgs/msg/MarkerArray',
}
IMAGE = 'sensor_msgs/msg/Image'
COMPRESSED = 'sensor_msgs/msg/CompressedImage'
INFO = 'sensor_msgs/msg/CameraInfo'


def test_discover_roles_of_our_own_topics() -> None:
    assert discover_roles(OURS) == {
        '/tf': TopicRole(TopicKind.TF),
        '/tf_static': TopicRole(TopicKind.TF_STATIC),
        '/head/camera_info': TopicRole(TopicKind.CAMERA_INFO, 'head'),
        '/head/image/compressed': TopicRole(TopicKind.IMAGE, 'head'),
        '/head/depth/compressedDepth': TopicRole(TopicKind.DEPTH, 'head'),
        '/head/detections': TopicRole(TopicKind.DETECTIONS, 'head'),
        '/world_detections': TopicRole(TopicKind.WORLD_DETECTIONS),
        '/movements': TopicRole(TopicKind.MOVEMENTS),
        '/scene': TopicRole(TopicKind.SCENE),
        '/joint_states': TopicRole(TopicKind.JOINTS),
    }


@pytest.mark.parametrize(
    ('topic', 'type_name', 'expected'),
    [
        ('/robot/tf', 'tf/msg/tfMessage', TopicRole(TopicKind.TF)),
        ('/cam/depth/image_raw', IMAGE, TopicRole(TopicKind.DEPTH, 'cam')),
        ('/cam/depth', IMAGE, TopicRole(TopicKind.DEPTH, 'cam')),
        ('/cam/image_raw', IMAGE, TopicRole(TopicKind.IMAGE, 'cam')),
        ('/cam/image_raw/compressed', COMPRESSED, TopicRole(TopicKind.IMAGE, 'cam')),
        (
            '/camera/aligned_depth_to_color/image_raw',
            IMAGE,
            TopicRole(TopicKind.DEPTH, 'camera/aligned_depth_to_color'),
        ),
        ('/a/b/camera_info', INFO, TopicRole(TopicKind.CAMERA_INFO, 'a/b')),
        ('/camera_info', INFO, TopicRole(TopicKind.CAMERA_INFO, 'camera')),
        (
            '/cam/detections',
            'vision_msgs/msg/Detection2DArray',
            TopicRole(TopicKind.DETECTIONS, 'cam'),
        ),
        (
            '/objects_3d',
            'vision_msgs/msg/Detection3DArray',
            TopicRole(TopicKind.WORLD_DETECTIONS),
        ),
    ],
)
def test_discover_roles_of_one_foreign_topic(
    topic: str, type_name: str, expected: TopicRole
) -> None:
    assert discover_roles({topic: type_name}) == {topic: expected}


@pytest.mark.parametrize(
    ('topic', 'type_name'),
    [
        ('/markers', 'visualization_msgs/msg/MarkerArray'),
        ('/events', 'st_memory_interfaces/msg/EventArray'),
        ('/shelf/mesh', 'shape_msgs/msg/Mesh'),
        ('/camera_info', 'std_msgs/msg/String'),
    ],
)
def test_discover_roles_other_topics_have_none(topic: str, type_name: str) -> None:
    assert discover_roles({topic: type_name}) == {}


def test_discover_roles_namespace_of_camera_info_decides_the_camera() -> None:
    roles = discover_roles(
        {
            '/robot/head/camera_info': INFO,
            '/robot/head/yolo/boxes': 'vision_msgs/msg/Detection2DArray',
        }
    )

    assert roles['/robot/head/yolo/boxes'] == TopicRole(TopicKind.DETECTIONS, 'robot/head')


def test_discover_roles_innermost_camera_info_decides() -> None:
    roles = discover_roles(
        {'/a/camera_info': INFO, '/a/b/camera_info': INFO, '/a/b/depth/image_raw': IMAGE}
    )

    assert roles['/a/b/depth/image_raw'].camera_id == 'a/b'


def test_discover_roles_raw_and_compressed_of_one_image_gives_the_compressed_one() -> None:
    roles = discover_roles(
        {'/cam/depth/image_raw': IMAGE, '/cam/depth/image_raw/compressedDepth': COMPRESSED}
    )

    assert list(roles) == ['/cam/depth/image_raw/compressedDepth']


def test_discover_roles_several_transform_topics_all_count() -> None:
    roles = discover_roles({'/tf': OURS['/tf'], '/robot/tf': OURS['/tf']})

    assert sorted(roles) == ['/robot/tf', '/tf']


@pytest.mark.parametrize(
    ('topic', 'type_name'),
    [
        ('/head/self_mask', IMAGE),
        ('/head/self_mask/compressed', COMPRESSED),
        ('/head/depth/self_mask', IMAGE),
        ('/head/self_mask/image_raw', IMAGE),
    ],
)
def test_mask_of_the_own_body_is_neither_image_nor_depth(topic: str, type_name: str) -> None:
    roles = discover_roles({'/head/camera_info': INFO, topic: type_name})

    assert roles[topic] == TopicRole(TopicKind.SELF_MASK, 'head')


def test_mask_of_a_camera_without_camera_info_goes_by_its_name() -> None:
    found = discover_roles({'/arm/cam/self_mask': IMAGE, '/b/self_mask/compressed': COMPRESSED})

    assert [role.camera_id for role in found.values()] == ['arm/cam', 'b']


def test_only_masks_can_hold_for_all_images() -> None:
    roles = {
        '/head/depth': TopicRole(TopicKind.DEPTH, 'head'),
        '/head/self_mask': TopicRole(TopicKind.SELF_MASK, 'head'),
        '/wrist/self_mask': TopicRole(TopicKind.SELF_MASK, 'wrist'),
    }

    fixed = with_fixed_masks(roles, {'/head/depth', '/head/self_mask', '/none'})

    assert fixed == {
        **roles,
        '/head/self_mask': TopicRole(TopicKind.SELF_MASK_FIXED, 'head'),
    }


@pytest.mark.parametrize(
    ('depth', 'color', 'image'),
    [
        ('/camera/depth', '/camera/color', 'image_rect_raw'),
        ('/camera/aligned_depth_to_color', '/camera/color', 'image_raw'),
        ('/depth', '/rgb', 'image_raw'),
    ],
)
def test_depth_camera_beside_a_colour_camera_gives_it_its_depth(
    depth: str, color: str, image: str
) -> None:
    owner = color.strip('/')

    assert discover_roles(
        {
            f'{depth}/camera_info': INFO,
            f'{depth}/{image}': IMAGE,
            f'{color}/camera_info': INFO,
            f'{color}/image_raw': IMAGE,
        }
    ) == {
        f'{depth}/camera_info': TopicRole(TopicKind.DEPTH_INFO, owner),
        f'{depth}/{image}': TopicRole(TopicKind.DEPTH, owner),
        f'{color}/camera_info': TopicRole(TopicKind.CAMERA_INFO, owner),
        f'{color}/image_raw': TopicRole(TopicKind.IMAGE, owner),
    }


def test_registered_depth_counts_before_what_is_not_and_own_depth_before_both() -> None:
    topics = {
        f'/camera/{name}/{end}': kind
        for name in ('color', 'depth', 'aligned_depth_to_color')
        for end, kind in (('camera_info', INFO), ('image_raw', IMAGE))
    }
    found = discover_roles(topics)
    of_color = TopicRole(TopicKind.DEPTH, 'camera/color')
    assert found['/camera/aligned_depth_to_color/image_raw'] == of_color
    assert found['/camera/depth/image_raw'] == TopicRole(TopicKind.DEPTH, 'camera/depth')

    found = discover_roles({**topics, '/camera/color/depth': IMAGE})
    assert found['/camera/color/depth'] == of_color
    assert of_color not in {r for t, r in found.items() if t != '/camera/color/depth'}


def test_cloud_is_the_depth_of_its_camera_when_there_is_no_image() -> None:
    cloud = {'/head/camera_info': INFO, '/head/depth/points': 'sensor_msgs/msg/PointCloud2'}
    as_depth = TopicRole(TopicKind.DEPTH, 'head')

    assert discover_roles(cloud)['/head/depth/points'] == as_depth

    found = discover_roles({**cloud, '/head/depth/image_raw': IMAGE})
    assert found['/head/depth/image_raw'] == as_depth
    assert '/head/depth/points' not in found


def test_cloud_of_a_laser_is_no_depth() -> None:
    assert discover_roles({'/velodyne_points': 'sensor_msgs/msg/PointCloud2'}) == {}
