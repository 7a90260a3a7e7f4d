"""Outlines from above."""

from __future__ import annotations

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.geometry.boxes import Box3D
from st_memory.core.records import Scene, ScenePart
from st_memory.view.floor import outline, walls

TRIANGLE = np.array([[0, 1, 2]], dtype=np.int32)
POINTS = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 1.0], [0.0, 1.0, 5.0]])


def test_outline_of_a_turned_box_is_its_four_corners() -> None:
    half = np.sqrt(0.5)
    quarter = RigidTransform(np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, half, half]))

    corners = outline(Box3D(quarter, (4.0, 2.0, 1.0)).corners)

    assert sorted((round(x, 9), round(y, 9)) for x, y in corners) == [
        (0.0, 0.0), (0.0, 4.0), (2.0, 0.0), (2.0, 4.0),
    ]  # fmt: skip


def test_inner_points_are_no_corners() -> None:
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 9]], dtype=float)

    assert len(outline(square)) == 4


@pytest.mark.parametrize(
    ('points', 'expected'),
    [
        (np.zeros((0, 3)), []),
        (np.array([[1.0, 2.0, 3.0]]), [[1.0, 2.0], [1.0, 2.0]]),
        (np.array([[0.0, 0, 0], [1, 1, 0], [2, 2, 9]]), [[0.0, 0.0], [2.0, 2.0]]),
    ],
)
def test_points_without_an_area_give_their_extent(
    points: np.ndarray, expected: list[list[float]]
) -> None:
    assert outline(points) == expected


def test_walls_are_the_parts_of_no_fixture_that_never_move() -> None:
    scene = Scene(
        parts=(
            ScenePart('floor', '', '', POINTS, TRIANGLE),
            ScenePart('table', 'table_1', '', POINTS, TRIANGLE),
            ScenePart('door', '', 'door_frame', POINTS, TRIANGLE),
        )
    )

    (found,) = walls(scene)

    assert sorted(found) == [[0.0, 0.0], [0.0, 1.0], [2.0, 0.0]]
