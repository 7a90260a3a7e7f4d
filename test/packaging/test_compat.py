"""The message packages in compat/ are, on the wire, those of ROS."""

from __future__ import annotations

import json
from pathlib import Path
import sys

import pytest
from rosbags.typesys import get_types_from_msg, get_typestore, Stores

ROOT = Path(__file__).resolve().parents[2]
SHARE = Path(sys.prefix) / 'share'

# Fields of ros-perception/vision_msgs 4.1.1 (branch ros2), in their order.
VISION_MSGS = {
    'Point2D': 'float64 x\nfloat64 y',
    'Pose2D': 'vision_msgs/Point2D position\nfloat64 theta',
    'BoundingBox2D': 'vision_msgs/Pose2D center\nfloat64 size_x\nfloat64 size_y',
    'BoundingBox3D': 'geometry_msgs/Pose center\ngeometry_msgs/Vector3 size',
    'ObjectHypothesis': 'string class_id\nfloat64 score',
    'ObjectHypothesisWithPose': (
        'vision_msgs/ObjectHypothesis hypothesis\ngeometry_msgs/PoseWithCovariance pose'
    ),
    'Detection2D': (
        'std_msgs/Header header\nvision_msgs/ObjectHypothesisWithPose[] results\n'
        'vision_msgs/BoundingBox2D bbox\nstring id'
    ),
    'Detection2DArray': 'std_msgs/Header header\nvision_msgs/Detection2D[] detections',
    'Detection3D': (
        'std_msgs/Header header\nvision_msgs/ObjectHypothesisWithPose[] results\n'
        'vision_msgs/BoundingBox3D bbox\nstring id'
    ),
    'Detection3DArray': 'std_msgs/Header header\nvision_msgs/Detection3D[] detections',
}


def _built_hash(package: str, name: str) -> str:
    """Type hash that the installed package announces on the wire."""
    path = SHARE / package / 'msg' / f'{name}.json'
    if not path.exists():
        pytest.skip(f'{package} is not built into this environment (make setup)')
    full = f'{package}/msg/{name}'
    hashes = json.loads(path.read_text())['type_hashes']
    return next(entry['hash_string'] for entry in hashes if entry['type_name'] == full)


def test_tf_message_has_the_type_hash_of_ros() -> None:
    store = get_typestore(Stores.ROS2_KILTED)
    assert _built_hash('tf2_msgs', 'TFMessage') == store.hash_rihs01('tf2_msgs/msg/TFMessage')


@pytest.mark.parametrize('name', VISION_MSGS)
def test_vision_message_has_the_type_hash_of_the_upstream_layout(name: str) -> None:
    store = get_typestore(Stores.ROS2_KILTED)
    for other, text in VISION_MSGS.items():
        store.register(get_types_from_msg(text, f'vision_msgs/msg/{other}'))
    assert _built_hash('vision_msgs', name) == store.hash_rihs01(f'vision_msgs/msg/{name}')


def test_compat_is_hidden_from_colcon() -> None:
    assert (ROOT / 'compat' / 'COLCON_IGNORE').exists()


def test_compat_packages_are_those_that_the_setup_builds() -> None:
    from test.packaging.setup_script import load

    folders = {f'compat/{path.parent.name}' for path in (ROOT / 'compat').glob('*/package.xml')}
    assert folders == {name for name in load().INTERFACES if name.startswith('compat/')}
