"""Faces that cannot be used: dropped, and counted under the first reason that applies."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import numpy as np

from st_memory.core.geometry import FaceCounts, usable_faces

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0], [np.nan, 0, 0], [0, np.inf, 0]])


def test_each_face_counts_once_and_what_is_left_is_renumbered() -> None:
    faces = np.array(
        [
            [3, 1, 2],  # kept
            [0, 1, 3],  # on a line
            [1, 1, 2],  # two corners in one
            [0, 1, 4],  # NaN
            [5, 4, 2],  # infinite
            [0, 1, 6],  # out of range
            [-1, 4, 2],  # out of range, and NaN
        ]
    )

    vertices, triangles, counts = usable_faces(CORNERS, faces)

    assert counts == FaceCounts(kept=1, not_finite=2, bad_index=2, degenerate=2)
    assert counts.dropped == 6
    np.testing.assert_array_equal(vertices, CORNERS[[1, 2, 3]])
    assert triangles.tolist() == [[2, 0, 1]]
    assert triangles.dtype == np.int32


def test_nothing_in_gives_nothing_out() -> None:
    vertices, triangles, counts = usable_faces(np.zeros((0, 3)), np.zeros((0, 3), dtype=int))

    assert (vertices.shape, triangles.shape, counts) == ((0, 3), (0, 3), FaceCounts())


@given(st.lists(st.tuples(*[st.integers(-2, 7)] * 3), max_size=30))
def test_every_face_is_kept_or_counted(faces: list[tuple[int, int, int]]) -> None:
    given_faces = np.array(faces, dtype=int).reshape(-1, 3)

    vertices, triangles, counts = usable_faces(CORNERS, given_faces)

    assert counts.kept + counts.dropped == len(faces)
    assert len(triangles) == counts.kept
    assert np.isfinite(vertices[triangles]).all()
    assert usable_faces(vertices, triangles)[2] == FaceCounts(kept=counts.kept)


def test_counts_add_up() -> None:
    assert FaceCounts(1, 2, 3, 4).plus(FaceCounts(10, 20, 30, 40)) == (11, 22, 33, 44)
