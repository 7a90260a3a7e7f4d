"""
Parts of the scene that come as ``shape_msgs/Mesh``, and the scene with them in it.

The message has neither a header nor a name: what it is of is said by the settings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.errors import ConversionError
from st_memory.core.geometry import RigidTransform, usable_faces
from st_memory.core.records import Fixture, Scene, ScenePart

__all__ = ['MeshPart', 'part_from_mesh', 'with_part']


# No indoor place is longer; one in millimetres is.
_MAX_EXTENT_M = 1000.0


class MeshPart(NamedTuple):
    """
    What the meshes of a topic are.

    Attributes
    ----------
    name : str
        Name of the part.
    frame_id : str
        Frame that the vertices are in and the part moves with; '' for the fixed frame.
    fixture_id : str
        Fixture it belongs to; '' for none.
    is_container : bool
        Things can be inside the fixture. Only counts for one that the scene does not know.

    """

    name: str
    frame_id: str = ''
    fixture_id: str = ''
    is_container: bool = False


def part_from_mesh(message: Any, what: MeshPart) -> tuple[ScenePart, Counter[str]]:
    """
    Make a part of a mesh.

    Parameters
    ----------
    message : shape_msgs/Mesh
        Triangles and vertices, metres, in the frame that ``what`` names.
    what : MeshPart
        Name, frame and fixture.

    Returns
    -------
    part : ScenePart
        Without the faces that cannot be used.
    dropped : Counter
        Faces left out, by reason: ``mesh_face_not_finite``, ``mesh_face_bad_index``,
        ``mesh_face_degenerate``.

    Raises
    ------
    ConversionError
        If no face can be used, or it is longer than 1 km: a room in millimetres is.

    """
    vertices = np.array([(p.x, p.y, p.z) for p in message.vertices], dtype=np.float64)
    faces = _indices(message.triangles)
    used, triangles, counts = usable_faces(vertices.reshape(-1, 3), faces)
    if not counts.kept:
        raise ConversionError(
            f'mesh of {what.name}: expected triangles, found none that can be used of {len(faces)}'
        )
    longest = float((used.max(axis=0) - used.min(axis=0)).max())
    if longest > _MAX_EXTENT_M:
        raise ConversionError(
            f'mesh of {what.name}: expected metres, found a mesh {longest:.0f} m long'
        )
    dropped = Counter(
        mesh_face_not_finite=counts.not_finite,
        mesh_face_bad_index=counts.bad_index,
        mesh_face_degenerate=counts.degenerate,
    )
    return ScenePart(what.name, what.fixture_id, what.frame_id, used, triangles), +dropped


def with_part(scene: Scene, part: ScenePart, *, is_container: bool = False) -> Scene:
    """
    Give a scene with a part added, or put in the place of the one of its name.

    Parameters
    ----------
    scene : Scene
        As it was.
    part : ScenePart
        The part. When it never moves and the scene does not know its fixture, the box around it
        becomes that fixture's.
    is_container : bool
        Of a fixture made that way.

    """
    parts = [p for p in scene.parts if p.name != part.name]
    at = next((i for i, p in enumerate(scene.parts) if p.name == part.name), len(parts))
    parts.insert(at, part)
    fixtures = scene.fixtures
    is_known = part.fixture_id in {f.fixture_id for f in fixtures}
    if part.fixture_id and not is_known and not part.frame_id:
        fixtures = (*fixtures, _box_around(part, is_container))
    return replace(scene, parts=tuple(parts), fixtures=fixtures)


def _box_around(part: ScenePart, is_container: bool) -> Fixture:
    """Make a fixture of the box around a part along the axes of the fixed frame."""
    low, high = part.vertices.min(axis=0), part.vertices.max(axis=0)
    size = high - low
    return Fixture(
        fixture_id=part.fixture_id,
        label=part.fixture_id.replace('_', ' '),
        world_T_box=RigidTransform((low + high) / 2, np.array([0.0, 0.0, 0.0, 1.0])),
        size_m=(float(size[0]), float(size[1]), float(size[2])),
        is_container=is_container,
    )


def _indices(triangles: Iterable[Any]) -> NDArray[np.int64]:
    """Give the indices of ``shape_msgs/MeshTriangle`` messages, (T, 3)."""
    rows = [np.asarray(t.vertex_indices, dtype=np.int64) for t in triangles]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)
