"""Names of frames."""

from __future__ import annotations

import pytest

from st_memory.core.errors import TransformUnavailableError
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import CameraLook, FrameDelta, FrameRecord
from st_memory.ros.frames import Frames
from st_memory.storage import InMemoryStore


def _store(world_T_camera: RigidTransform | None) -> InMemoryStore:
    store = InMemoryStore()
    look = CameraLook('head', 0, 10, world_T_camera)
    store.commit(FrameDelta(FrameRecord(0, 10, 0, '{}'), looks=(look,)))
    return store


def _frames() -> Frames:
    frames = Frames('map')
    frames.note('head', '/head_optical')
    return frames


@pytest.mark.parametrize('name', ['', 'map', '/map'])
def test_frame_T_fixed_of_the_fixed_frame_is_none(name: str) -> None:
    assert _frames().frame_T_fixed(_store(None), name, None) is None


@pytest.mark.parametrize('name', ['head', 'head_optical', '/head_optical'])
def test_frame_T_fixed_of_a_camera_is_the_inverse_of_its_pose(name: str) -> None:
    pose = RigidTransform([1.0, 2.0, 3.0], [0.0, 0.0, 0.0, 1.0])
    found = _frames().frame_T_fixed(_store(pose), name, None)
    assert found is not None
    assert found.translation.tolist() == [-1.0, -2.0, -3.0]


def test_frame_T_fixed_of_a_camera_without_pose_says_so() -> None:
    with pytest.raises(TransformUnavailableError, match='no pose at its last look'):
        _frames().frame_T_fixed(_store(None), 'head', None)


def test_frame_T_fixed_of_another_frame_names_what_can_be_had() -> None:
    with pytest.raises(TransformUnavailableError, match=r'the base has no pose yet.*expected map'):
        _frames().frame_T_fixed(_store(None), 'base_link', None)


def test_optical_of_an_unknown_camera_is_its_id() -> None:
    assert _frames().optical('wrist') == 'wrist'
    assert _frames().camera('wrist') == 'wrist'
