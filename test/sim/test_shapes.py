"""Rules of primitive shapes."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.sim.shapes import box, box_mesh, planar, Primitive, rotate_xy

RED = (1.0, 0.0, 0.0)


def test_box_from_corners_has_centre_and_half_extents() -> None:
    b = box((0.0, 1.0, 2.0), (1.0, 3.0, 6.0), RED)
    assert b.position == (0.5, 2.0, 4.0)
    assert b.size == (0.5, 1.0, 2.0)


@pytest.mark.parametrize(
    ('shape', 'half'),
    [
        (Primitive('box', (0.1, 0.2, 0.3), (0, 0, 0), RED), (0.1, 0.2, 0.3)),
        (Primitive('sphere', (0.2,), (0, 0, 0), RED), (0.2, 0.2, 0.2)),
        (Primitive('cylinder', (0.1, 0.5), (0, 0, 0), RED), (0.1, 0.1, 0.5)),
        (Primitive('capsule', (0.1, 0.5), (0, 0, 0), RED), (0.1, 0.1, 0.6)),
        (Primitive('capsule', (0.1, 0.5), (0, 0, 0), RED, 'x'), (0.6, 0.1, 0.1)),
        (Primitive('cylinder', (0.1, 0.5), (0, 0, 0), RED, 'y'), (0.1, 0.5, 0.1)),
    ],
)
def test_half_extents_bound_the_shape(shape: Primitive, half: tuple[float, float, float]) -> None:
    assert shape.half_extents == pytest.approx(half)


def test_box_mesh_encloses_the_volume_with_outward_normals() -> None:
    b = box((-1.0, 0.0, 2.0), (1.0, 3.0, 6.0), RED)
    vertices, triangles = box_mesh((b,))
    corners = vertices[triangles]
    # Signed volume by the divergence theorem: positive only when the normals point outward.
    volume = np.einsum('ij,ij->', corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    assert volume == pytest.approx(2 * 3 * 4)


def test_box_mesh_of_two_boxes_keeps_indices_apart() -> None:
    vertices, triangles = box_mesh((box((0, 0, 0), (1, 1, 1), RED),) * 2)
    assert vertices.shape == (16, 3)
    assert triangles.shape == (24, 3)
    assert triangles[:12].max() < 8 <= triangles[12:].min()


def test_box_mesh_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match='expected boxes, got a sphere'):
        box_mesh((Primitive('sphere', (0.1,), (0, 0, 0), RED),))


def test_planar_turns_counter_clockwise_from_above() -> None:
    moved = planar((1.0, 2.0, 3.0), math.pi / 2).apply([1.0, 0.0, 0.0])
    np.testing.assert_allclose(moved, [1.0, 3.0, 3.0], atol=1e-12)


@given(st.floats(-5, 5), st.floats(-5, 5), st.floats(-7, 7))
def test_rotate_xy_agrees_with_the_pose(x: float, y: float, yaw: float) -> None:
    expected = planar((0.0, 0.0, 0.0), yaw).apply([x, y, 0.0])[:2]
    np.testing.assert_allclose(rotate_xy(x, y, yaw), expected, atol=1e-9)
