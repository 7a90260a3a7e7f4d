"""Records validate once, when they are made, and say what was expected and what was found."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.records import (
    AnswerStatus,
    CameraFrame,
    Detection,
    Fixture,
    MovementReport,
    Scene,
    ScenePart,
    SensedFrame,
    Visibility,
    VisibilityInterval,
    WorldDetection,
)
from test.scenarios.synthetic import CAMERA, looking

TRIANGLE = np.array([[0, 1, 2]], dtype=np.int32)
CORNERS = np.eye(3)


@pytest.mark.parametrize(
    ('fields', 'message'),
    [
        ({'label': ''}, 'expected a class name'),
        ({'score': 1.5}, '0 <= score <= 1, got 1.5'),
        ({'score': math.nan}, '0 <= score <= 1, got nan'),
        ({'box_px': (0.0, 0.0, 0.0, 5.0)}, 'expected width and height > 0'),
        ({'box_px': (math.nan, 0.0, 2.0, 5.0)}, 'box_px: expected finite numbers'),
        ({'camera_p': (0.0, math.inf, 1.0)}, 'camera_p: expected finite numbers'),
        ({'size_m': (math.nan, 1.0, 1.0)}, 'size_m: expected finite numbers'),
    ],
)
def test_bad_detection_is_refused(fields: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Detection(**{'label': 'cup', 'score': 0.5, **fields})


@pytest.mark.parametrize(
    ('fields', 'message'),
    [
        ({'world_p': (math.nan, 0.0, 0.0)}, 'world_p: expected finite numbers'),
        ({'label': ''}, 'expected a class name'),
    ],
)
def test_bad_world_detection_is_refused(fields: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WorldDetection(**{'label': 'cup', 'score': 1.0, 'world_p': (0.0, 0.0, 0.0), **fields})


def test_records_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Detection('cup', 0.5).label = 'bowl'  # type: ignore[misc]


@pytest.mark.parametrize('pose', [None, looking()])
def test_camera_frame_has_either_a_pose_or_a_reason(pose: RigidTransform | None) -> None:
    with pytest.raises(ValueError, match='either world_T_camera or pose_problem'):
        CameraFrame('cam', CAMERA, pose, pose_problem='' if pose is None else 'too_old')


def test_depth_of_another_size_is_refused_with_both_sizes() -> None:
    with pytest.raises(ValueError, match=r'expected shape \(120, 160\).*got \(60, 80\)'):
        CameraFrame('cam', CAMERA, looking(), depth_m=np.ones((60, 80), np.float32))


def test_movement_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(ValueError, match='start_ns <= end_ns, got 5 and 4'):
        MovementReport('m', 'mug', 5, 4)


@pytest.mark.parametrize(
    ('vertices', 'triangles', 'message'),
    [
        (np.zeros((3, 2)), TRIANGLE, r'vertices of shape \(V, 3\)'),
        (CORNERS, np.zeros((1, 4), np.int32), r'triangles of shape \(T, 3\)'),
        (CORNERS * np.nan, TRIANGLE, 'expected finite vertices'),
        (CORNERS, TRIANGLE + 1, r'outside 0\.\.2'),
        (CORNERS, TRIANGLE - 1, r'outside 0\.\.2'),
    ],
)
def test_bad_part_is_refused_by_name(
    vertices: np.ndarray, triangles: np.ndarray, message: str
) -> None:
    with pytest.raises(ValueError, match=f'door: .*{message}'):
        ScenePart('door', '', '', vertices, triangles)


def test_part_without_triangles_is_fine() -> None:
    assert ScenePart('door', '', '', CORNERS, np.zeros((0, 3), np.int32)).name == 'door'


def test_scene_refuses_a_name_used_twice() -> None:
    part = ScenePart('door', '', '', CORNERS, TRIANGLE)
    shelf = Fixture('shelf', 'shelf', RigidTransform.identity(), (1.0, 1.0, 1.0))

    with pytest.raises(ValueError, match="unique part names, got 'door' twice"):
        Scene(parts=(part, part))
    with pytest.raises(ValueError, match="unique fixture names, got 'shelf' twice"):
        Scene(fixtures=(shelf, shelf))


def test_confirmed_fraction_is_a_share_of_frames() -> None:
    interval = VisibilityInterval(
        'm', 'cam', 0, 0, 4, 3, Visibility.VISIBLE, Visibility.VISIBLE, '', '', 4, 3
    )

    assert interval.confirmed_fraction == 3 / 4


def test_frame_defaults_are_empty() -> None:
    frame = SensedFrame(1)

    assert (frame.cameras, frame.movements, frame.world_detections) == ((), (), ())
    assert dict(frame.world_T_part) == {}


def test_enum_numbers_are_those_of_the_interfaces() -> None:
    assert [v.name for v in sorted(Visibility)] == [
        'UNKNOWN',
        'VISIBLE',
        'OUT_OF_VIEW',
        'OCCLUDED',
        'AMBIGUOUS_FIXTURE',
        'UNCONFIRMED',
        'IN_MOTION',
        'ABSENT',
    ]
    assert [v.name for v in sorted(AnswerStatus)] == [
        'KNOWN',
        'STALE',
        'AMBIGUOUS',
        'UNKNOWN',
        'NO_POSE',
        'NOT_YET_SEEN',
    ]


@pytest.mark.parametrize(
    ('mask', 'message'),
    [
        (np.zeros((3, 4), dtype=bool), r'own_body: expected shape \(120, 160\).*\(3, 4\)'),
        (np.zeros((120, 160), dtype=np.uint8), 'own_body: expected booleans, got uint8'),
    ],
)
def test_mask_of_another_size_or_type_is_refused(mask: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CameraFrame('cam', CAMERA, looking(), own_body=mask)
