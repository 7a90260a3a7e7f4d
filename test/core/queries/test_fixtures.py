"""Which fixtures are nearest to a place, by their boxes."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.queries.fixtures import rank_fixtures
from st_memory.core.records import Fixture, Scene


def box(
    name: str,
    centre: tuple[float, float, float],
    size: tuple[float, float, float],
    yaw_rad: float = 0.0,
) -> Fixture:
    turn = np.array([0.0, 0.0, math.sin(yaw_rad / 2), math.cos(yaw_rad / 2)])
    return Fixture(name, name.split('.')[0], RigidTransform(np.array(centre), turn), size)


KITCHEN = Scene(
    fixtures=(
        box('cupboard.001', (0.0, 0.0, 1.0), (2.0, 2.0, 2.0)),
        box('drawer.001', (0.0, 0.0, 1.0), (1.0, 1.0, 0.2)),
        box('sink.001', (5.0, 0.0, 1.0), (2.0, 2.0, 2.0)),
    )
)


@pytest.mark.parametrize(
    ('place', 'expected'),
    [
        # Inside both: the smaller first. The sink's box begins at x = 4.
        ((0.0, 0.0, 1.0), [('drawer.001', 0.0), ('cupboard.001', 0.0), ('sink.001', 4.0)]),
        # Above the drawer's lid at z = 1.1.
        ((0.0, 0.0, 1.5), [('cupboard.001', 0.0), ('drawer.001', 0.4), ('sink.001', 4.0)]),
        # On the cupboard's face, 3 m from the sink.
        ((1.0, 0.0, 1.0), [('cupboard.001', 0.0), ('drawer.001', 0.5), ('sink.001', 3.0)]),
        # Over an edge of the sink: 3 across and 4 up.
        ((9.0, 0.0, 6.0), [('sink.001', 5.0)]),
    ],
)
def test_rank_fixtures_by_the_distance_to_the_box(
    place: tuple[float, float, float], expected: list[tuple[str, float]]
) -> None:
    ranked = rank_fixtures(KITCHEN, place)

    for row, (name, distance_m) in zip(ranked, expected):
        assert row.fixture.fixture_id == name
        assert row.distance_m == pytest.approx(distance_m)
    assert len(ranked) == 3


def test_rank_fixtures_of_a_turned_box_uses_its_own_axes() -> None:
    turned = Scene(fixtures=(box('bar', (0.0, 0.0, 0.0), (4.0, 0.2, 0.2), math.pi / 2),))

    (along,) = rank_fixtures(turned, (0.0, 1.9, 0.0))
    (across,) = rank_fixtures(turned, (1.9, 0.0, 0.0))

    assert along.distance_m == pytest.approx(0.0, abs=1e-12)
    assert across.distance_m == pytest.approx(1.8)


def test_rank_fixtures_equally_near_and_large_go_by_name() -> None:
    twins = Scene(
        fixtures=(
            box('shelf.002', (2.0, 0.0, 0.0), (1.0, 1.0, 1.0)),
            box('shelf.001', (-2.0, 0.0, 0.0), (1.0, 1.0, 1.0)),
        )
    )

    assert [r.fixture.fixture_id for r in rank_fixtures(twins, (0.0, 0.0, 0.0))] == [
        'shelf.001',
        'shelf.002',
    ]


def test_rank_fixtures_of_an_empty_scene_is_empty() -> None:
    assert rank_fixtures(Scene(), (0.0, 0.0, 0.0)) == ()


@given(st.tuples(*[st.floats(-8.0, 8.0)] * 3))
def test_rank_fixtures_is_sorted_and_no_corner_is_nearer_than_its_box(
    place: tuple[float, float, float],
) -> None:
    ranked = rank_fixtures(KITCHEN, place)

    distances = [row.distance_m for row in ranked]
    assert distances == sorted(distances)
    for row in ranked:
        half = np.array(row.fixture.size_m) / 2
        centre = row.fixture.world_T_box.translation
        signs = np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T
        to_corners = np.linalg.norm(centre + signs * half - np.array(place), axis=1)
        assert row.distance_m <= to_corners.min() + 1e-9
        assert row.distance_m >= to_corners.min() - 2 * np.linalg.norm(half)
