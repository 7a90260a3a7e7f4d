"""Tests of the scene as markers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest

from st_memory.conversions.markers import (
    describe_scene,
    MarkerDescription,
    scene_from_markers,
)
from st_memory.core.errors import ConversionError
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import Fixture, Scene, ScenePart
from test.conversions import fake_messages as fake

TRIANGLE = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
PART_TEXT = '{"name": "wall", "fixture_id": ""}'
FIXTURE_TEXT = '{"fixture_id": "f", "label": "drawer", "is_container": true}'
HALF_ROOT = 0.5**0.5


def kitchen() -> Scene:
    """Give a wall of two triangles, a door in its own frame and a cupboard."""
    square = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    wall = ScenePart('wall', '', '', square, np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32))
    door = ScenePart('door', 'f', 'door_frame', square, np.array([[3, 1, 0]], dtype=np.int32))
    pose = RigidTransform(np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, HALF_ROOT, HALF_ROOT]))
    return Scene((wall, door), (Fixture('f', 'cupboard', pose, (0.4, 0.5, 0.6), True),))


def as_message(description: MarkerDescription) -> Any:
    """Build the message a writer makes of a description."""
    return fake.marker(
        description.namespace,
        description.marker_type,
        description.text,
        marker_id=description.marker_id,
        frame_id=description.frame_id,
        points=description.points.tolist(),
        position=description.pose.translation.tolist(),
        quat_xyzw=description.pose.quat_xyzw.tolist(),
        scale=description.scale,
    )


def corners(part: ScenePart) -> Any:
    """Give the corners of the triangles in their order."""
    return part.vertices[part.triangles]


def test_scene_from_markers_of_described_scene_keeps_parts() -> None:
    markers = [as_message(d) for d in describe_scene(kitchen(), 'map')]

    again = scene_from_markers(markers, 'map')

    for part, expected in zip(again.parts, kitchen().parts, strict=True):
        assert (part.name, part.fixture_id, part.frame_id) == (
            expected.name,
            expected.fixture_id,
            expected.frame_id,
        )
        assert_array_equal(corners(part), corners(expected))


def test_scene_from_markers_of_described_scene_keeps_fixtures() -> None:
    markers = [as_message(d) for d in describe_scene(kitchen(), 'map')]

    (again,) = scene_from_markers(markers, 'map').fixtures

    (expected,) = kitchen().fixtures
    assert (again.fixture_id, again.label, again.size_m, again.is_container) == (
        'f',
        'cupboard',
        (0.4, 0.5, 0.6),
        True,
    )
    assert_array_equal(again.world_T_box.matrix, expected.world_T_box.matrix)


def test_scene_from_markers_shares_equal_corners() -> None:
    markers = [as_message(d) for d in describe_scene(kitchen(), 'map')]

    assert len(scene_from_markers(markers, 'map').parts[0].vertices) == 4


def test_describe_scene_puts_fixed_parts_into_the_fixed_frame() -> None:
    frames = [d.frame_id for d in describe_scene(kitchen(), 'world')]

    assert frames == ['world', 'door_frame', 'world']


def test_scene_from_markers_applies_pose_and_scale() -> None:
    marker = fake.marker(
        'part',
        11,
        PART_TEXT,
        points=TRIANGLE,
        position=(0.0, 0.0, 5.0),
        quat_xyzw=(0.0, 0.0, HALF_ROOT, HALF_ROOT),
        scale=(2.0, 2.0, 2.0),
    )

    (part,) = scene_from_markers([marker], 'map').parts

    expected = [[[0.0, 0.0, 5.0], [0.0, 2.0, 5.0], [-2.0, 0.0, 5.0]]]
    assert_allclose(corners(part), expected, atol=1e-12)


def test_scene_from_markers_leaves_other_markers_out() -> None:
    markers = [
        fake.marker('objects', 11, 'no json'),
        fake.marker('part', 1, 'a cube is no part'),
        fake.marker('fixture', 1, FIXTURE_TEXT, action=2),
    ]

    scene = scene_from_markers(markers, 'map')

    assert (scene.parts, scene.fixtures) == ((), ())


def test_scene_from_markers_strips_the_slash_of_the_fixed_frame() -> None:
    marker = fake.marker('part', 11, PART_TEXT, points=TRIANGLE, frame_id='/map')

    assert scene_from_markers([marker], 'map').parts[0].frame_id == ''


@pytest.mark.parametrize(
    'marker',
    [
        fake.marker('part', 11, 'no json', points=TRIANGLE),
        fake.marker('part', 11, '{}', points=TRIANGLE),
        fake.marker('part', 11, '[]', points=TRIANGLE),
        fake.marker('part', 11, PART_TEXT, points=TRIANGLE[:2]),
        fake.marker('part', 11, PART_TEXT, points=[(float('nan'), 0.0, 0.0)] * 3),
        fake.marker('part', 11, PART_TEXT, points=TRIANGLE, quat_xyzw=(1.0, 1.0, 1.0, 1.0)),
        fake.marker('fixture', 1, '{"label": "x"}'),
        fake.marker('fixture', 1, FIXTURE_TEXT, frame_id='door_frame'),
    ],
)
def test_scene_from_markers_unusable_marker_raises(marker: Any) -> None:
    with pytest.raises(ConversionError, match=f'/scene: marker {marker.ns}/0 is no scene'):
        scene_from_markers([marker], 'map', '/scene')


def test_scene_from_markers_same_name_twice_raises() -> None:
    marker = fake.marker('fixture', 1, FIXTURE_TEXT)

    with pytest.raises(ConversionError, match=r"/scene: .*'f' twice"):
        scene_from_markers([marker, marker], 'map', '/scene')
