"""The named versions of Beyond3D's spatial questions: thresholds, margins, never mixed."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.errors import ConfigError
from st_memory.core.queries import (
    direction_of,
    DirectionScheme,
    format_named,
    FORMATS,
    relation_of,
    relative_pose,
    Selector,
)
from st_memory.core.queries.directions import format_of
from st_memory.core.queries.formats import DistanceClasses, RelationClasses
from st_memory.core.records import SensedFrame, WorldDetection
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import remember
from test.scenarios.synthetic import looking, sense

LEGACY, FINAL = format_named('beyond3d_legacy'), format_named('beyond3d_final')


def at_clock(degrees: float, radius: float = 1.0) -> tuple[float, float, float]:
    """A vector of the optical frame, clockwise from 12 o'clock."""
    yaw = math.radians(degrees)
    return radius * math.sin(yaw), 0.3, radius * math.cos(yaw)


def test_formats_are_found_under_their_own_names() -> None:
    assert {name: f.name for name, f in FORMATS.items()} == {
        'beyond3d_legacy': 'beyond3d_legacy',
        'beyond3d_final': 'beyond3d_final',
    }


def test_format_of_an_unknown_name_is_one_line() -> None:
    with pytest.raises(ConfigError, match='expected one of beyond3d_final, beyond3d_legacy, got'):
        format_named('beyond3d')


@pytest.mark.parametrize(
    ('distance', 'legacy', 'final'),
    [
        (0.0, 'close', 'close'),
        (math.nextafter(1.0, 0.0), 'close', 'close'),
        (1.0, 'medium', 'medium'),  # exactly on a limit belongs to the farther range
        (math.nextafter(1.5, 0.0), 'medium', 'medium'),
        (1.5, 'medium', 'far'),
        (math.nextafter(2.0, 0.0), 'medium', 'far'),
        (2.0, 'far', 'far'),
        (50.0, 'far', 'far'),
    ],
)
def test_distances_of_the_two_formats(distance: float, legacy: str, final: str) -> None:
    assert LEGACY.distances.name_of(distance) == legacy
    assert FINAL.distances.name_of(distance) == final


@pytest.mark.parametrize(
    ('x', 'z', 'legacy', 'final'),
    [
        (0.0, 1.0, 'front-right', '12 to 4:30'),  # 0 degrees
        (1.0, 0.0, 'back-right', '12 to 4:30'),  # 90
        (1.0, -1.0, 'back-right', '4:30 to 7:30'),  # exactly 135
        (1.0 + 1e-12, -1.0, 'back-right', '12 to 4:30'),  # just below
        (0.0, -1.0, 'back-left', '4:30 to 7:30'),  # 180
        (-1.0, -1.0, 'back-left', '7:30 to 12'),  # exactly 225
        (-1.0, 0.0, 'front-left', '7:30 to 12'),  # 270
        (-1e-12, 1.0, 'front-left', '7:30 to 12'),  # just before 12 o'clock
    ],
)
def test_relations_at_their_boundaries(x: float, z: float, legacy: str, final: str) -> None:
    assert LEGACY.relation((x, 0.0, z)) == legacy
    assert FINAL.relation((x, 0.0, z)) == final


@pytest.mark.parametrize('form', [LEGACY, FINAL])
def test_direction_margins(form: object) -> None:
    below = math.nextafter(0.05, 0.0)

    assert form.direction((0.05, 0.0, 1.0)) == 'front-right'
    assert form.direction((below, 0.0, 1.0)) == form.direction((-below, 0.0, 1.0)) == ''
    assert form.direction((-0.06, 0.0, -0.05)) == 'back-left'
    assert form.direction((-0.06, 0.0, -below)) == ''
    # 5.1 and 4.9 degrees from the side, far enough from the axis.
    assert form.direction(at_clock(90.0 - 5.1, 2.0)) == 'front-right'
    assert form.direction(at_clock(90.0 - 4.9, 2.0)) == ''
    assert form.direction(at_clock(270.0 - 4.9, 2.0)) == ''
    assert form.direction(at_clock(270.0 - 5.1, 2.0)) == 'back-left'


def test_relation_within_the_least_radius_is_not_told() -> None:
    assert LEGACY.relation((0.03, 5.0, 0.03)) == FINAL.relation((0.0, 0.0, 0.049)) == ''
    assert LEGACY.relation((0.0, 0.0, 0.05)) == 'front-right'


def test_relation_classes_need_one_more_name_than_limits() -> None:
    with pytest.raises(ValueError, match='RelationClasses: expected one more name than limits'):
        RelationClasses(('one',), (90.0,))
    with pytest.raises(ValueError, match='DistanceClasses: expected one more name than limits'):
        DistanceClasses(('one', 'two', 'three'), (90.0,))


def test_schemes_of_the_benchmark_take_their_whole_format() -> None:
    assert format_of(DirectionScheme.BEYOND3D) is FINAL
    assert format_of(DirectionScheme.BEYOND3D_LEGACY) is LEGACY
    assert format_of(DirectionScheme.SECTORS).distances == FINAL.distances


@given(st.floats(-180.0, 180.0), st.floats(0.06, 20.0))
def test_relation_of_the_schemes_is_that_of_the_formats(degrees: float, radius: float) -> None:
    v = at_clock(degrees, radius)

    assert relation_of(v, DirectionScheme.BEYOND3D) == FINAL.relation(v)
    assert relation_of(v, DirectionScheme.BEYOND3D_LEGACY) == LEGACY.relation(v)
    assert direction_of(v, DirectionScheme.BEYOND3D_LEGACY) == LEGACY.direction(v)


@given(st.floats(1.0, 179.0), st.floats(0.06, 20.0))
def test_mirrored_world_mirrors_the_answer(degrees: float, radius: float) -> None:
    right, left = (LEGACY.direction(at_clock(sign * degrees, radius)) for sign in (1, -1))

    assert left == right.replace('right', 'left')


def two_things(turn_rad: float, shift: tuple[float, float, float], after_ns: int) -> InMemoryStore:
    """A mug 1.2 m ahead and a plate to the right of it; the world turned, moved and later."""
    c, s = math.cos(turn_rad), math.sin(turn_rad)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    frames = [replace_stamp(sense(0, [], looking(turn_rad, shift)), after_ns)]
    things = {'mug': (1.2, -0.3, 0.1), 'plate': (1.0, -1.4, -0.2)}
    seen = tuple(
        WorldDetection(name, 1.0, tuple((turn @ p + shift).tolist()), name)
        for name, p in things.items()
    )
    first = SensedFrame(frames[0].stamp_ns - 1, world_detections=seen)
    return remember([first, *frames])


def replace_stamp(frame: SensedFrame, after_ns: int) -> SensedFrame:
    from dataclasses import replace

    return replace(frame, stamp_ns=frame.stamp_ns + after_ns)


@given(
    st.floats(-math.pi, math.pi),
    st.tuples(*[st.floats(-50.0, 50.0)] * 3),
    st.integers(0, 10**15),
    st.sampled_from(['camera', 'mug']),
)
def test_answer_is_the_same_in_a_moved_turned_and_later_world(
    turn_rad: float, shift: tuple[float, float, float], after_ns: int, reference: str
) -> None:
    plate = Selector(object_id='plate')
    here, there = (
        relative_pose(two_things(*pose), plate, reference, scheme=DirectionScheme.BEYOND3D_LEGACY)
        for pose in ((0.0, (0.0, 0.0, 0.0), 0), (turn_rad, shift, after_ns))
    )

    expected = ('front-right', 'medium') if reference == 'camera' else ('back-right', 'medium')
    assert (here.direction, here.distance_class) == expected
    assert (there.direction, there.distance_class, there.status) == (*expected, here.status)
    np.testing.assert_allclose(there.vector, here.vector, atol=1e-9)
