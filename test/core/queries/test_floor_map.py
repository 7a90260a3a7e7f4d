"""Where one can walk: the scene seen from above."""

from __future__ import annotations

import math

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.geometry.joint_tree import Joint, JointKind, JointTree
from st_memory.core.queries import FloorMapSettings
from st_memory.core.queries.floor_map import floor_height, floor_map_of
from st_memory.core.records import Articulation, Fixture, Scene, ScenePart
from st_memory.core.records.detections import Point
from test.core.queries.story import fixture

THIN = FloorMapSettings(cell_m=0.1, radius_m=0.05, margin_m=0.5)


def box_part(name: str, centre: Point, size: Point, **given: str) -> ScenePart:
    """The six faces of a box along the axes."""
    half = np.array(size) / 2
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    faces = [(0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5)]
    triangles = [t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]
    return ScenePart(
        name,
        given.get('fixture_id', ''),
        given.get('frame_id', ''),
        np.array(centre) + signs * half,
        np.array(triangles, dtype=np.int32),
    )


def floor(width: float = 4.0, depth: float = 4.0, z: float = 0.0) -> ScenePart:
    w, d = width / 2, depth / 2
    corners = np.array([[-w, -d, z], [w, -d, z], [w, d, z], [-w, d, z]])
    return ScenePart('floor', '', '', corners, np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32))


def is_free(scene: Scene, x: float, y: float, settings: FloorMapSettings = THIN) -> bool:
    made = floor_map_of(scene, settings=settings)
    assert made is not None
    return bool(made.free[made.cell_of(x, y)])


ISLAND = Scene(parts=(floor(), box_part('island', (0.0, 0.0, 0.5), (1.0, 1.0, 1.0))))


def test_scene_that_shows_nothing_has_no_floor_map() -> None:
    assert floor_map_of(Scene()) is None


@pytest.mark.parametrize(
    ('x', 'free'), [(0.49, False), (0.6, True), (1.5, True), (-0.49, False), (-0.7, True)]
)
def test_cells_round_a_box_are_free_and_its_faces_are_not(x: float, free: bool) -> None:
    assert is_free(ISLAND, x, 0.0) is free


def test_obstacle_grows_by_the_radius_of_who_walks() -> None:
    wide = FloorMapSettings(cell_m=0.1, radius_m=0.4, margin_m=0.5)

    assert not is_free(ISLAND, 0.8, 0.0, wide)
    assert is_free(ISLAND, 1.1, 0.0, wide)


@pytest.mark.parametrize(
    ('z', 'height', 'free'),
    [
        (0.04, 0.08, True),  # a carpet is stepped over
        (2.2, 0.6, True),  # a hood is walked under
        (1.7, 0.4, False),  # a low beam is not
        (0.5, 1.0, False),
    ],
)
def test_what_is_low_or_high_blocks_nobody(z: float, height: float, free: bool) -> None:
    scene = Scene(parts=(floor(), box_part('thing', (1.0, 0.0, z), (0.6, 0.6, height))))

    assert is_free(scene, 1.3, 0.0) is free


def test_floor_height_is_the_lowest_level_area_that_is_no_speck() -> None:
    pit = box_part('pit', (1.0, 1.0, -3.0), (0.1, 0.1, 0.1))
    scene = Scene(parts=(floor(z=0.7), pit, box_part('desk', (0.0, 0.0, 1.4), (1.0, 1.0, 0.1))))

    made = floor_map_of(scene, settings=THIN)

    assert made is not None
    assert made.floor_z == pytest.approx(0.7)


def test_floor_height_without_anything_level_is_the_lowest_corner() -> None:
    wall = np.array([[[0.0, 0.0, -0.4], [1.0, 0.0, -0.4], [0.0, 0.0, 2.0]]])

    assert floor_height(wall) == -0.4


def test_fixture_without_a_mesh_counts_as_its_box_even_inside() -> None:
    scene = Scene(parts=(floor(),), fixtures=(fixture('bar_1', (1.0, 0.0, 0.5), (1.0, 1.0, 1.0)),))

    assert not is_free(scene, 1.0, 0.0)
    assert is_free(scene, 1.0, 0.8)


def test_fixture_with_a_mesh_counts_as_that() -> None:
    # The fixture's box is the whole room; its mesh a small table.
    table = box_part('table', (1.0, 0.0, 0.5), (0.4, 0.4, 1.0), fixture_id='room_1')
    room = fixture('room_1', (0.0, 0.0, 0.5), (4.0, 4.0, 1.0))
    scene = Scene(parts=(floor(), table), fixtures=(room,))

    assert is_free(scene, -1.0, 0.0)
    assert not is_free(scene, 1.2, 0.0)


def test_turned_fixture_blocks_along_its_own_axes() -> None:
    turn = np.array([0.0, 0.0, math.sin(math.pi / 8), math.cos(math.pi / 8)])
    place = RigidTransform(np.array([0.0, 0.0, 0.5]), turn)
    scene = Scene(parts=(floor(),), fixtures=(Fixture('bar', 'bar', place, (3.0, 0.2, 1.0)),))

    assert not is_free(scene, 0.7, 0.7)
    assert is_free(scene, 0.7, -0.7)


@pytest.mark.parametrize(('z', 'free'), [(2.5, True), (-0.5, True), (1.0, False)])
def test_fixture_above_or_below_blocks_nobody(z: float, free: bool) -> None:
    scene = Scene(parts=(floor(),), fixtures=(fixture('lamp_1', (1.0, 0.0, z), (0.5, 0.5, 0.2)),))

    # The box below the floor is the lowest level area, but a speck: it does not become the floor.
    assert is_free(scene, 1.0, 0.0) is free


def test_movable_part_of_unknown_rest_is_left_out() -> None:
    door = box_part('door', (1.0, 0.0, 1.0), (0.1, 1.0, 2.0), frame_id='door_link')

    assert is_free(Scene(parts=(floor(), door)), 1.05, 0.0)


def test_movable_part_counts_where_its_joint_rests() -> None:
    place = RigidTransform(np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 1.0]))
    hinge = Joint('hinge', JointKind.REVOLUTE, 'room', 'door_link', place, (0.0, 0.0, 1.0))
    door = box_part('door', (0.0, 0.5, 1.0), (0.1, 1.0, 2.0), frame_id='door_link')
    scene = Scene(parts=(floor(), door), articulation=Articulation(JointTree([hinge])))

    # The door's mesh is 0 to 1 m along its own y; the hinge is at (1, 0).
    assert not is_free(scene, 1.0, 0.5)
    assert is_free(scene, 0.0, 0.5)


def test_map_without_obstacles_is_free_everywhere() -> None:
    made = floor_map_of(Scene(parts=(floor(),)), settings=THIN)

    assert made is not None
    assert made.free.all()


def test_map_reaches_the_places_that_are_asked_about() -> None:
    made = floor_map_of(ISLAND, [(9.0, 0.0, 1.0)], THIN)

    assert made is not None
    x, y = made.place_of(made.cell_of(9.0, 0.0))
    assert (x, y) == pytest.approx((9.0, 0.0), abs=0.05)


def test_place_outside_of_the_map_is_its_nearest_cell() -> None:
    made = floor_map_of(ISLAND, settings=THIN)

    assert made is not None
    assert made.cell_of(-99.0, -99.0) == (0, 0)
    assert made.cell_of(99.0, 99.0) == (made.free.shape[0] - 1, made.free.shape[1] - 1)


def test_large_scene_is_cut_into_coarser_cells_and_keeps_its_walls() -> None:
    small = FloorMapSettings(cell_m=0.05, radius_m=0.1, margin_m=0.5, max_cells=1000)
    made = floor_map_of(ISLAND, settings=small)

    assert made is not None
    assert made.free.size <= 1000
    assert made.cell_m == pytest.approx(0.2)  # 5 m / 0.05 = 101 cells a side; 51; then 26
    assert not made.free[made.cell_of(0.5, 0.0)]
    assert made.free[made.cell_of(1.5, 0.0)]


def test_cell_and_place_are_each_others_inverse() -> None:
    made = floor_map_of(ISLAND, settings=THIN)

    assert made is not None
    for cell in ((0, 0), (3, 17), (25, 4)):
        assert made.cell_of(*made.place_of(cell)) == cell


def test_moving_the_scene_moves_the_map() -> None:
    there = Scene(
        parts=(
            ScenePart(
                'floor', '', '', floor().vertices + np.array([10.0, -3.0, 5.0]), floor().triangles
            ),
            box_part('island', (10.0, -3.0, 5.5), (1.0, 1.0, 1.0)),
        )
    )
    here, moved = floor_map_of(ISLAND, settings=THIN), floor_map_of(there, settings=THIN)

    assert here is not None
    assert moved is not None
    np.testing.assert_allclose(moved.origin_m - here.origin_m, (10.0, -3.0))
    assert moved.floor_z == here.floor_z + 5.0
    assert (moved.free == here.free).mean() > 0.99  # rounding at the edges of cells


def test_map_of_a_room_is_made_once_for_all_ways_in_it() -> None:
    first = floor_map_of(ISLAND, [(1.0, 1.0, 0.0)], THIN)

    assert floor_map_of(ISLAND, [(-1.0, 0.2, 1.0), (0.9, 0.9, 0.9)], THIN) is first
    assert floor_map_of(ISLAND, [(7.0, 0.0, 0.0)], THIN) is not first
    assert floor_map_of(ISLAND, [(1.0, 1.0, 0.0)]) is not first
