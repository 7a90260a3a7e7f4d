"""Parts that come as shape_msgs/Mesh."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from st_memory.conversions.mesh_parts import MeshPart, part_from_mesh, with_part
from st_memory.core.errors import ConversionError
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import Fixture, Scene
from test.contracts.ray_caster import box_part
from test.conversions import fake_messages as fake

SHELF = MeshPart('shelf', 'shelf_link', 'cupboard')
TRIANGLE = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


def mesh(vertices: Any = TRIANGLE, faces: Any = ((0, 1, 2),)) -> Any:
    """Build a message of one triangle unless told."""
    return fake.mesh(vertices, faces)


def test_a_mesh_becomes_the_part_it_is_said_to_be() -> None:
    part, dropped = part_from_mesh(mesh(), SHELF)

    assert (part.name, part.frame_id, part.fixture_id) == ('shelf', 'shelf_link', 'cupboard')
    np.testing.assert_array_equal(part.vertices, TRIANGLE)
    assert part.triangles.tolist() == [[0, 1, 2]]
    assert dropped == {}


def test_unusable_faces_are_dropped_and_counted() -> None:
    corners = (*TRIANGLE, (float('nan'), 0.0, 0.0))
    faces = ((0, 1, 2), (0, 1, 3), (0, 1, 4_000_000_000), (1, 1, 2), (2, 2, 2))

    part, dropped = part_from_mesh(mesh(corners, faces), SHELF)

    assert len(part.triangles) == 1
    assert dropped == {
        'mesh_face_not_finite': 1,
        'mesh_face_bad_index': 1,
        'mesh_face_degenerate': 2,
    }


@pytest.mark.parametrize(
    ('message', 'count'), [(mesh((), ()), 0), (mesh(TRIANGLE, ((0, 0, 1), (0, 1, 7))), 2)]
)
def test_a_mesh_without_a_usable_face_is_refused(message: Any, count: int) -> None:
    with pytest.raises(
        ConversionError, match=f'mesh of shelf: .* none that can be used of {count}'
    ):
        part_from_mesh(message, SHELF)


def test_a_part_is_added_or_takes_the_place_of_its_name() -> None:
    old, other = box_part('shelf', (0, 0, 0), (1, 1, 1)), box_part('wall', (0, 0, 0), (1, 1, 1))
    part, _ = part_from_mesh(mesh(), SHELF)

    added = with_part(Scene((other,)), part)
    replaced = with_part(Scene((old, other)), part)

    assert [p.name for p in added.parts] == ['wall', 'shelf']
    assert [p.name for p in replaced.parts] == ['shelf', 'wall']
    assert replaced.parts[0] is part


@pytest.mark.parametrize('is_container', [True, False])
def test_a_part_that_never_moves_makes_the_box_of_an_unknown_fixture(is_container: bool) -> None:
    part, _ = part_from_mesh(mesh(), MeshPart('s', '', 'tall_cupboard'))

    (fixture,) = with_part(Scene(), part, is_container=is_container).fixtures

    assert (fixture.fixture_id, fixture.label) == ('tall_cupboard', 'tall cupboard')
    assert fixture.is_container is is_container
    assert fixture.size_m == (1.0, 1.0, 0.0)
    np.testing.assert_array_equal(fixture.world_T_box.translation, [0.5, 0.5, 0.0])


def test_a_known_fixture_keeps_its_box_and_a_moving_part_makes_none() -> None:
    known = Fixture('cupboard', 'cupboard', RigidTransform.identity(), (9.0, 9.0, 9.0), True)
    still, _ = part_from_mesh(mesh(), MeshPart('s', '', 'cupboard'))
    moving, _ = part_from_mesh(mesh(), SHELF)

    assert with_part(Scene((), (known,)), still).fixtures == (known,)
    assert with_part(Scene(), moving).fixtures == ()


def test_a_mesh_a_thousand_times_too_large_is_named() -> None:
    corners = np.array(TRIANGLE) * 4000.0

    with pytest.raises(ConversionError, match=r'mesh of shelf: expected metres, found .* 4000 m'):
        part_from_mesh(mesh(corners), SHELF)
