"""Which way and how far: classes of direction and distance, and relations."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.queries import (
    direction_of,
    DirectionScheme,
    distance_class,
    DistanceClasses,
    relation_of,
    relative_pose,
    Selector,
)
from st_memory.core.queries.formats import FORMATS
from st_memory.core.records import AnswerStatus, CameraFrame, SensedFrame
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import remember
from test.scenarios.synthetic import Ball, CAMERA, FRAME_NS, sense

CUP = Selector(label='cup')
SECTORS, CLOCK = DirectionScheme.SECTORS, DirectionScheme.CLOCK
QUADRANTS, BEYOND3D = DirectionScheme.QUADRANTS, DirectionScheme.BEYOND3D
FINAL, LEGACY = (FORMATS[f'beyond3d_{name}'].distances for name in ('final', 'legacy'))


@pytest.mark.parametrize(
    ('x', 'z', 'quadrant', 'sector', 'clock'),
    [
        (1.0, 2.0, 'front-right', 'front-right', "1 o'clock"),
        (-1.0, 2.0, 'front-left', 'front-left', "11 o'clock"),
        (1.0, -2.0, 'back-right', 'back-right', "5 o'clock"),
        (-1.0, -2.0, 'back-left', 'back-left', "7 o'clock"),
        (0.01, 1.0, 'front-right', 'front', "12 o'clock"),
        (1.0, 0.01, 'front-right', 'right', "3 o'clock"),
        (-1.0, -0.01, 'back-left', 'left', "9 o'clock"),
        (-0.01, -1.0, 'back-left', 'back', "6 o'clock"),
    ],
)
def test_direction_classes(x: float, z: float, quadrant: str, sector: str, clock: str) -> None:
    p = (x, 0.3, z)

    assert direction_of(p, QUADRANTS) == quadrant
    assert direction_of(p, SECTORS) == sector
    assert direction_of(p, CLOCK) == clock


@pytest.mark.parametrize(
    'p',
    [
        (0.04, 0.0, 1.0),  # |x| < 0.05 m
        (1.0, 0.0, 0.04),  # |z| < 0.05 m
        (1.0, 0.0, math.tan(math.radians(4.0))),  # 4 degrees from the side
    ],
)
def test_beyond3d_refuses_directions_inside_its_margins(p: tuple) -> None:
    assert direction_of(p, BEYOND3D) == ''
    assert direction_of(p, QUADRANTS) != ''


def test_straight_above_has_no_direction() -> None:
    assert direction_of((0.0, -1.0, 0.0), SECTORS) == ''


@given(st.floats(-math.pi, math.pi), st.floats(0.2, 10.0))
def test_sector_agrees_with_quadrant_off_the_axes(yaw: float, distance: float) -> None:
    p = (distance * math.sin(yaw), 0.0, distance * math.cos(yaw))
    sector = direction_of(p, SECTORS)

    if '-' in sector and min(abs(p[0]), abs(p[2])) > 1e-6:
        assert direction_of(p, QUADRANTS) == sector


# Published examples: clockwise angles of 228.69, 113.36 and 158.04 degrees.
@pytest.mark.parametrize(
    ('degrees', 'expected'),
    [
        (228.69, '7:30 to 12'),
        (113.36, '12 to 4:30'),
        (158.04, '4:30 to 7:30'),
        (0.0, '12 to 4:30'),
        (134.9, '12 to 4:30'),
        (135.1, '4:30 to 7:30'),
        (225.1, '7:30 to 12'),
        (359.9, '7:30 to 12'),
    ],
)
def test_clock_ranges_of_relations(degrees: float, expected: str) -> None:
    yaw = math.radians(degrees)

    assert relation_of((math.sin(yaw), 0.0, math.cos(yaw)), BEYOND3D) == expected


def test_relation_of_things_on_top_of_each_other_is_not_told() -> None:
    assert relation_of((0.03, 1.0, 0.03), BEYOND3D) == ''


@pytest.mark.parametrize(
    ('distance', 'final', 'legacy'),
    [
        (0.99, 'close', 'close'),
        (1.0, 'medium', 'medium'),
        (1.5, 'far', 'medium'),
        (2.0, 'far', 'far'),
    ],
)
def test_distance_classes_final_and_legacy(distance: float, final: str, legacy: str) -> None:
    assert distance_class(distance) == distance_class(distance, FINAL) == final
    assert distance_class(distance, LEGACY) == legacy


def test_distance_classes_need_one_more_name_than_limits() -> None:
    with pytest.raises(ValueError, match='one more name than limits'):
        DistanceClasses(('near', 'far'), (1.0, 2.0))


# Relative to the camera.


def test_cup_behind_the_camera(kitchen: InMemoryStore) -> None:
    answer = relative_pose(kitchen, CUP, scheme=SECTORS)

    assert answer.direction == 'back'
    assert answer.distance_m == pytest.approx(2.0, abs=0.03)
    assert answer.distance_class == 'far'
    assert answer.frame == 'camera:cam'
    np.testing.assert_allclose(answer.vector, (0.0, 0.0, -2.0), atol=0.03)
    assert 'm behind you.' in answer.sentence


def test_cup_before_the_turn(kitchen: InMemoryStore) -> None:
    answer = relative_pose(kitchen, CUP, 'camera:cam', SECTORS, Moment(0, 9 * FRAME_NS))

    assert answer.direction == 'front'


def test_clock_reads_well(kitchen: InMemoryStore) -> None:
    assert "away at your 6 o'clock" in relative_pose(kitchen, CUP, scheme=CLOCK).sentence


def test_bowl_relative_to_the_cup_from_the_viewpoint(kitchen: InMemoryStore) -> None:
    bowl = Selector(label='bowl')

    ahead = relative_pose(kitchen, bowl, 'cup_1', SECTORS, Moment(0, 9 * FRAME_NS))
    turned = relative_pose(kitchen, bowl, 'cup_1', SECTORS)

    assert (ahead.direction, turned.direction) == ('left', 'right')
    assert ahead.distance_m == pytest.approx(0.5, abs=0.03)


def test_clock_range_reads_well(kitchen: InMemoryStore) -> None:
    answer = relative_pose(kitchen, Selector(label='bowl'), 'cup_1', BEYOND3D)

    assert answer.direction == '12 to 4:30'
    assert "from cup_1, at 12 to 4:30 o'clock of it as you see it" in answer.sentence


def test_unknown_reference_is_a_status(kitchen: InMemoryStore) -> None:
    answer = relative_pose(kitchen, CUP, 'fridge_9')

    assert answer.status is AnswerStatus.NOT_YET_SEEN
    assert answer.reason.startswith('it is not known where fridge_9 is: no fridge_9 has been seen')
    assert answer.vector is None


def test_unknown_camera_is_no_pose(kitchen: InMemoryStore) -> None:
    answer = relative_pose(kitchen, CUP, 'camera:wrist')

    assert (answer.status, answer.reason) == (
        AnswerStatus.NO_POSE,
        'camera wrist has not looked yet; cameras that have are: cam',
    )


def test_camera_that_lost_its_pose_is_no_pose() -> None:
    frames = [sense(i, [Ball('cup', (2.0, 0.0, 0.0))]) for i in range(6)]
    blind = CameraFrame('cam', CAMERA, None, pose_problem='too_new')
    frames.append(SensedFrame(7 * FRAME_NS, cameras=(blind,)))

    answer = relative_pose(remember(frames), CUP)

    assert answer.status is AnswerStatus.NO_POSE
    assert 'had no pose' in answer.sentence


def test_unknown_object_is_not_yet_seen(kitchen: InMemoryStore) -> None:
    answer = relative_pose(kitchen, Selector(label='drone'))

    assert answer.status is AnswerStatus.NOT_YET_SEEN
