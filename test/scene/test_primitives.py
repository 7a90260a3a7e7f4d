"""Boxes, cylinders and spheres: closed, facing outwards, on their surfaces."""

from __future__ import annotations

from collections import Counter
import math

import numpy as np
import pytest

from st_memory.core.geometry import usable_faces
from st_memory.scene.primitives import box_mesh, cylinder_mesh, Mesh, sphere_mesh

BOX = (box_mesh((1.0, 2.0, 3.0)), 6.0)
CYLINDER = (cylinder_mesh(0.5, 2.0), math.pi * 0.25 * 2.0)
SPHERE = (sphere_mesh(0.5), 4 / 3 * math.pi * 0.125)


def _volume(mesh: Mesh) -> float:
    """Signed volume by the divergence theorem: positive when faces look outwards."""
    a, b, c = (mesh[0][mesh[1][:, i]] for i in range(3))
    return float(np.einsum('ij,ij->', a, np.cross(b, c)) / 6)


@pytest.mark.parametrize('mesh', [BOX[0], CYLINDER[0], SPHERE[0]])
def test_every_edge_is_gone_along_once_each_way(mesh: Mesh) -> None:
    edges = Counter((int(t[i]), int(t[(i + 1) % 3])) for t in mesh[1] for i in range(3))

    assert set(edges.values()) == {1}
    assert all((b, a) in edges for a, b in edges)


@pytest.mark.parametrize(
    ('mesh', 'volume', 'share'), [(*BOX, 1e-12), (*CYLINDER, 0.01), (*SPHERE, 0.025)]
)
def test_the_volume_is_that_of_the_body(mesh: Mesh, volume: float, share: float) -> None:
    assert _volume(mesh) == pytest.approx(volume, rel=share)
    assert _volume(mesh) <= volume * (1 + 1e-12)  # vertices lie on the surface


@pytest.mark.parametrize('mesh', [BOX[0], CYLINDER[0], SPHERE[0]])
def test_no_face_is_degenerate(mesh: Mesh) -> None:
    counts = usable_faces(*mesh)[2]

    assert counts.kept == len(mesh[1])
    assert counts.dropped == 0


def test_vertices_lie_on_the_surface() -> None:
    box, cylinder, sphere = BOX[0][0], CYLINDER[0][0], SPHERE[0][0]

    np.testing.assert_array_equal(np.abs(box), np.broadcast_to([0.5, 1.0, 1.5], box.shape))
    np.testing.assert_allclose(np.linalg.norm(sphere, axis=1), 0.5)
    assert (np.abs(cylinder[:, 2]) == 1.0).all()
    assert np.hypot(cylinder[:, 0], cylinder[:, 1]).max() == pytest.approx(0.5)
