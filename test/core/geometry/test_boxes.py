"""Boxes: corners, test points, containment and distance."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.geometry import (
    axis_aligned_contains,
    axis_aligned_distances,
    axis_aligned_nine_points,
    Box3D,
    RigidTransform,
)
from test.core.geometry.strategies import transforms, VECTOR

SIZES = st.tuples(*[st.floats(0.0, 5.0)] * 3)
QUARTER_TURN_Z = np.array([0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)])


def upright(size: tuple[float, float, float], centre: Any = (0.0, 0.0, 0.0)) -> Box3D:
    """Build a box with the world's axes."""
    return Box3D(RigidTransform(np.array(centre), np.array([0.0, 0.0, 0.0, 1.0])), size)


def test_corners_come_x_slowest_z_fastest() -> None:
    """Hand-computed, box 2 x 4 x 6 at (10, 0, 0)."""
    corners = upright((2.0, 4.0, 6.0), (10.0, 0.0, 0.0)).corners

    expected = [[x, y, z] for x in (9.0, 11.0) for y in (-2.0, 2.0) for z in (-3.0, 3.0)]
    np.testing.assert_array_equal(corners, expected)


def test_nine_points_are_the_corners_and_then_the_centre() -> None:
    """The order that callers index by."""
    box = upright((1.0, 1.0, 1.0), (1.0, 2.0, 3.0))

    np.testing.assert_array_equal(box.nine_points[:8], box.corners)
    np.testing.assert_array_equal(box.nine_points[8], [1.0, 2.0, 3.0])


def test_turned_box_contains_what_its_axes_say() -> None:
    """A 4 x 2 box turned by 90 degrees reaches 1 m along x and 2 m along y."""
    box = Box3D(RigidTransform(np.zeros(3), QUARTER_TURN_Z), (4.0, 2.0, 1.0))

    inside = box.contains([[0.9, 1.9, 0.0], [1.9, 0.9, 0.0], [0.0, 0.0, 0.6]])

    assert inside.tolist() == [True, False, False]


def test_contains_includes_faces_and_margin_grows_the_box() -> None:
    """Closed; the margin may shrink it too; NaN is in no box."""
    box = upright((2.0, 2.0, 2.0))
    world_p = [[1.0, 1.0, 1.0], [1.1, 0.0, 0.0], [np.nan, 0.0, 0.0]]

    assert box.contains(world_p).tolist() == [True, False, False]
    assert box.contains(world_p, margin_m=0.2).tolist() == [True, True, False]
    assert box.contains(world_p, margin_m=-0.2).tolist() == [False, False, False]


def test_distance_to_face_edge_corner_and_inside() -> None:
    """Hand-computed: 2, sqrt(3^2 + 4^2), 3, and 0."""
    box = upright((2.0, 2.0, 2.0))

    distances = box.distances([[3.0, 0.0, 0.0], [4.0, 5.0, 0.0], [2.0, 3.0, 3.0], [0.5, 0.5, 0.5]])

    np.testing.assert_allclose(distances, [2.0, 5.0, 3.0, 0.0], rtol=0, atol=1e-15)


@given(world_T_box=transforms(), size=SIZES, world_p=VECTOR)
def test_distance_is_zero_exactly_where_contained(
    world_T_box: RigidTransform, size: tuple[float, float, float], world_p: Any
) -> None:
    """The two questions agree."""
    box = Box3D(world_T_box, size)

    assert box.contains([world_p])[0] == (box.distances([world_p])[0] == 0.0)


@given(world_T_box=transforms(), size=SIZES)
def test_all_nine_points_lie_in_the_box(
    world_T_box: RigidTransform, size: tuple[float, float, float]
) -> None:
    """Up to rounding at 100 m."""
    box = Box3D(world_T_box, size)

    assert box.contains(box.nine_points, margin_m=1e-12 * 300).all()


def test_volume_is_the_product() -> None:
    """Cubic metres."""
    assert upright((2.0, 3.0, 4.0)).volume == 24.0


def test_boxes_of_equal_numbers_are_equal() -> None:
    """Records can be compared; the size may come as any sequence."""
    assert upright((1.0, 2.0, 3.0)) == upright(np.array([1, 2, 3]))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ('size', 'message'),
    [
        ((1.0, 2.0), r'size: expected shape \(3,\), got \(2,\)'),
        ((1.0, 2.0, -0.1), 'size: expected finite lengths >= 0'),
        ((1.0, 2.0, np.nan), 'size: expected finite lengths >= 0'),
        ((1.0, 2.0, np.inf), 'size: expected finite lengths >= 0'),
    ],
)
def test_bad_size_raises(size: Any, message: str) -> None:
    """Lengths are finite and not negative."""
    with pytest.raises(ValueError, match=message):
        upright(size)


@given(
    centres=st.lists(VECTOR, min_size=1, max_size=5), size=SIZES, world_p=VECTOR, data=st.data()
)
def test_many_boxes_agree_with_one_at_a_time(
    centres: list[Any], size: tuple[float, float, float], world_p: Any, data: st.DataObject
) -> None:
    """The vectorised helpers give the numbers of :class:`Box3D`."""
    sizes = [size] * len(centres)
    boxes = [upright(size, centre) for centre in centres]

    points = axis_aligned_nine_points(centres, sizes)
    distances = axis_aligned_distances(centres, sizes, world_p)
    inside = axis_aligned_contains(centres, sizes, world_p)

    i = data.draw(st.integers(0, len(centres) - 1))
    np.testing.assert_allclose(points[i], boxes[i].nine_points, rtol=0, atol=1e-12)
    np.testing.assert_allclose(distances[i], boxes[i].distances([world_p])[0], atol=1e-12)
    assert inside[i] == (distances[i] == 0.0)


def test_no_boxes_give_empty_arrays() -> None:
    """An empty memory is not an error."""
    none = np.empty((0, 3))

    assert axis_aligned_nine_points(none, none).shape == (0, 9, 3)
    assert axis_aligned_contains(none, none, np.zeros(3)).shape == (0,)


def test_contains_margin_for_many_boxes() -> None:
    """Grown on every side."""
    args = ([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0]], [[2.0, 2.0, 2.0]] * 2, [1.1, 0.0, 0.0])

    assert axis_aligned_contains(*args).tolist() == [False, False]
    assert axis_aligned_contains(*args, margin_m=0.2).tolist() == [True, False]


def test_wrong_shapes_raise() -> None:
    """Each message says what was expected."""
    with pytest.raises(ValueError, match=r'centres and sizes of shape \(N, 3\), got \(2, 3\) and'):
        axis_aligned_nine_points(np.zeros((2, 3)), np.zeros((1, 3)))
    with pytest.raises(ValueError, match=r'centres and sizes of shape \(N, 3\), got \(3,\)'):
        axis_aligned_nine_points(np.zeros(3), np.zeros(3))
    with pytest.raises(ValueError, match=r'world_p: expected shape \(3,\), got \(1, 3\)'):
        axis_aligned_distances(np.zeros((2, 3)), np.ones((2, 3)), np.zeros((1, 3)))
    with pytest.raises(ValueError, match=r'world_p: expected shape \(N, 3\), got \(3,\)'):
        upright((1.0, 1.0, 1.0)).contains(np.zeros(3))
