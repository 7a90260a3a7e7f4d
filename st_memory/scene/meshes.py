"""A mesh as a file gives it, the errors of scene files, and the removal of unusable faces."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.errors import StMemoryError

__all__ = ['FaceCounts', 'FileMesh', 'SceneFileError', 'fan_triangles', 'usable_faces']

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

# Twice the area, m^2, below which a face is a line or a point: a sliver of 1 m by 1 pm.
_MIN_DOUBLE_AREA_M2 = 1e-12


class SceneFileError(StMemoryError):
    """A scene file is missing, not of its format, or uses something that is not read here."""


@dataclass(frozen=True, eq=False)
class FileMesh:
    """
    One named mesh of a file, before it is put into the world.

    Parameters
    ----------
    name : str
        Name of its node or group; '' when the file gives none.
    vertices : (V, 3) float64
        In the mesh's own axes and the file's unit; may hold NaN.
    triangles : (T, 3) int64 or int32
        Indices into ``vertices``; not checked yet.
    file_T_mesh : (4, 4) float64
        Affine map (it may scale) from the mesh's axes to the file's.

    """

    name: str
    vertices: Floats
    triangles: NDArray[np.integer]
    file_T_mesh: Floats


class FaceCounts(NamedTuple):
    """How many faces were kept and dropped."""

    kept: int = 0
    not_finite: int = 0
    bad_index: int = 0
    degenerate: int = 0

    def plus(self, other: FaceCounts) -> FaceCounts:
        """Add two counts."""
        return FaceCounts(*(a + b for a, b in zip(self, other, strict=True)))


def usable_faces(
    vertices: Floats, triangles: NDArray[np.integer]
) -> tuple[Floats, Ints, FaceCounts]:
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


def fan_triangles(polygon: list[int]) -> list[tuple[int, int, int]]:
    """Cut a polygon of at least three corners into triangles around its first corner."""
    return [(polygon[0], b, c) for b, c in pairwise(polygon[1:])]
