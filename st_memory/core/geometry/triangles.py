"""Triangles that can be shot at: what is not finite, out of range or without area is dropped."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ['FaceCounts', 'usable_faces']

# Twice the area, m^2, below which a face is a line or a point: a sliver of 1 m by 1 pm.
_MIN_DOUBLE_AREA_M2 = 1e-12


class FaceCounts(NamedTuple):
    """How many faces were kept and dropped."""

    kept: int = 0
    not_finite: int = 0
    bad_index: int = 0
    degenerate: int = 0

    @property
    def dropped(self) -> int:
        """How many were dropped, for whatever reason."""
        return self.not_finite + self.bad_index + self.degenerate

    def plus(self, other: FaceCounts) -> FaceCounts:
        """Add two counts."""
        return FaceCounts(*(a + b for a, b in zip(self, other, strict=True)))


def usable_faces(
    vertices: NDArray[np.float64], triangles: NDArray[np.integer]
) -> tuple[NDArray[np.float64], NDArray[np.int32], FaceCounts]:
    """
    Drop faces that a ray caster must not see, and vertices that no face uses.

    Parameters
    ----------
    vertices : (V, 3) float64
        Metres; may hold NaN and infinity.
    triangles : (T, 3) integer
        Indices; may be out of range.

    Returns
    -------
    vertices : (V', 3) float64
        Finite vertices that are used, in their order.
    triangles : (T', 3) int32
        Faces with three finite corners and an area.
    FaceCounts
        Kept and dropped; a face counts once, under the first reason that applies.

    """
    faces = np.asarray(triangles, dtype=np.int64)
    in_range = ((faces >= 0) & (faces < len(vertices))).all(axis=1)
    faces = faces[in_range]
    finite = np.all(np.isfinite(vertices[faces]), axis=(1, 2))
    faces = faces[finite]
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    solid = np.sqrt(np.einsum('ij,ij->i', normals, normals)) > _MIN_DOUBLE_AREA_M2
    faces = faces[solid]
    used, renumbered = np.unique(faces, return_inverse=True)
    counts = FaceCounts(
        kept=len(faces),
        not_finite=int((~finite).sum()),
        bad_index=int((~in_range).sum()),
        degenerate=int((~solid).sum()),
    )
    return vertices[used], renumbered.reshape(-1, 3).astype(np.int32), counts
