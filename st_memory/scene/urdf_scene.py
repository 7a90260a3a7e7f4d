"""Robot descriptions into scenes: links become parts, joints move them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import FaceCounts, JointKind, JointTree, RigidTransform, usable_faces
from st_memory.core.records import Articulation, Scene, ScenePart
from st_memory.scene.fixtures import fixture_id_of, fixture_label, is_structure, make_fixtures
from st_memory.scene.mesh_finder import MeshFinder
from st_memory.scene.mesh_scene import read_mesh_file
from st_memory.scene.meshes import SceneFileError
from st_memory.scene.primitives import box_mesh, cylinder_mesh, Mesh, sphere_mesh
from st_memory.scene.report import (
    extent_of,
    LoadedScene,
    MAX_EXTENT_M,
    none_usable,
    rest_vertices,
    SceneReport,
    size_warnings,
)
from st_memory.scene.urdf import BoxShape, CylinderShape, LinkShape, MeshShape, read_urdf, Urdf

__all__ = ['UrdfOptions', 'read_urdf_scene']

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class UrdfOptions:
    """
    What a URDF file does not say itself.

    Parameters
    ----------
    package_paths : tuple of Path
        Folders in which ``package://NAME/...`` is looked for.
    geometry : 'visual' or 'collision'
        Which shapes of a link count; of a link that has none of these, the others.
    root_frame : str
        TF frame that the root link is fixed in; '' for the fixed frame.
    frame_T_root : RigidTransform
        Pose of the root link in that frame.

    """

    package_paths: tuple[Path, ...] = ()
    geometry: Literal['visual', 'collision'] = 'visual'
    root_frame: str = ''
    frame_T_root: RigidTransform = field(default_factory=RigidTransform.identity)


def read_urdf_scene(file: Path, options: UrdfOptions) -> LoadedScene:
    """
    Read a URDF as a scene.

    A link below a joint that moves becomes a part in the TF frame of its name; the others are
    parts of the frame that the root is in. A link that moves belongs to the fixture of the link
    that it hangs on.

    Parameters
    ----------
    file : Path
        The URDF.
    options : UrdfOptions
        Where meshes are and where the root is.

    Raises
    ------
    SceneFileError
        If the file or a mesh that it names cannot be used, or nothing of it has a face.

    """
    urdf = read_urdf(file)
    articulation = Articulation(urdf.tree, options.root_frame, options.frame_T_root)
    root_T_link = urdf.tree.poses({})  # of those that do not move
    finder = MeshFinder(file, options.package_paths)
    parts, dropped, faces = [], [], FaceCounts()
    chosen = _chosen(urdf, options.geometry)
    is_room = urdf.tree.root not in chosen
    for link, shapes in chosen.items():
        vertices, triangles, counts = usable_faces(*_merged([_mesh(s, finder) for s in shapes]))
        faces = faces.plus(counts)
        if counts.kept:
            fixture_id = _fixture_of(link, urdf.tree, is_room)
            part = ScenePart(link, fixture_id, link, vertices, triangles)
            pose = root_T_link.get(link)
            parts.append(part if pose is None else _placed(part, articulation, pose))
        else:
            dropped.append(link)
    if not parts:
        raise SceneFileError(f'{file}: expected links with triangles, found {none_usable(faces)}')
    scene = _with_fixtures(Scene(tuple(parts), (), articulation))
    placed = rest_vertices(scene)
    extent = extent_of(placed)
    if max(extent) > MAX_EXTENT_M:
        largest = max(placed, key=lambda name: max(extent_of({name: placed[name]})))
        raise SceneFileError(
            f'{file}: expected metres, found a scene {max(extent):.0f} m long, of it link '
            f'{largest}: if its unit is the millimetre, give its mesh scale="0.001 0.001 0.001"'
        )
    report = SceneReport(
        len(scene.parts),
        len(scene.fixtures),
        faces,
        tuple(dropped),
        extent,
        (*size_warnings(placed), *_joint_warnings(urdf.tree), *_root_warnings(options)),
    )
    return LoadedScene(scene, report)


def _chosen(urdf: Urdf, kind: str) -> dict[str, list[LinkShape]]:
    """Give the shapes of each link that count."""
    chosen: dict[str, list[LinkShape]] = {}
    for shape in urdf.shapes:
        chosen.setdefault(shape.link, []).append(shape)
    return {
        link: [s for s in shapes if s.kind == kind] or shapes for link, shapes in chosen.items()
    }


def _mesh(placed: LinkShape, finder: MeshFinder) -> Mesh:
    """Give vertices in the link's frame, and triangles."""
    shape = placed.shape
    if isinstance(shape, MeshShape):
        vertices, triangles = _file_mesh(shape, placed.link, finder)
    elif isinstance(shape, BoxShape):
        vertices, triangles = box_mesh(shape.size)
    elif isinstance(shape, CylinderShape):
        vertices, triangles = cylinder_mesh(*shape)
    else:
        vertices, triangles = sphere_mesh(shape.radius)
    with np.errstate(invalid='ignore'):  # vertices that are not finite are dropped later
        return placed.link_T_shape.apply(vertices), triangles


def _file_mesh(shape: MeshShape, link: str, finder: MeshFinder) -> Mesh:
    """Give the mesh of a file, in the file's axes: a URDF's meshes are not turned upright."""
    try:
        meshes = read_mesh_file(finder.find(shape.uri))
    except SceneFileError as error:
        raise SceneFileError(f'link {link}: {error}') from error
    pieces = []
    with np.errstate(invalid='ignore'):
        for mesh in meshes:
            turned = mesh.vertices @ mesh.file_T_mesh[:3, :3].T + mesh.file_T_mesh[:3, 3]
            pieces.append((turned * np.array(shape.scale), mesh.triangles.astype(np.int64)))
    return _merged(pieces)


def _merged(pieces: Sequence[Mesh]) -> Mesh:
    """Join meshes; an index outside its own mesh stays outside of all."""
    vertices, triangles, start = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int64)], 0
    for points, faces in pieces:
        in_range = (faces >= 0) & (faces < len(points))
        triangles.append(np.where(in_range, faces + start, -1))
        vertices.append(points)
        start += len(points)
    return np.concatenate(vertices), np.concatenate(triangles)


def _placed(part: ScenePart, articulation: Articulation, root_T_link: RigidTransform) -> ScenePart:
    """Put a part that does not move against the root into the frame that the root is in."""
    vertices = (articulation.frame_T_root @ root_T_link).apply(part.vertices)
    return replace(part, frame_id=articulation.root_frame, vertices=vertices)


def _fixture_of(link: str, tree: JointTree, is_room: bool) -> str:
    """
    Name the fixture of a link: the link that does not move and that it hangs on; '' for walls.

    A root without shapes of its own is the room (``is_room``): what hangs on it by a joint is a
    fixture itself.
    """
    above = tree.joints_above(link)
    anchor = above[0].parent if above else link
    if above and is_room and anchor == tree.root:
        anchor = above[0].child
    name = fixture_id_of(anchor)
    return '' if is_structure(fixture_label(name)) else name


def _with_fixtures(scene: Scene) -> Scene:
    """Put boxes around the parts of each fixture at rest; none where only TF has the root."""
    if scene.articulation is None or scene.articulation.root_frame:
        return scene
    placed = rest_vertices(scene)
    vertices_of: dict[str, list[Floats]] = {}
    linear_of: dict[str, Floats] = {}
    link_poses = scene.articulation.tree.poses(scene.articulation.tree.rest_positions())
    for part in scene.parts:
        if part.fixture_id and part.name in placed:
            vertices_of.setdefault(part.fixture_id, []).append(placed[part.name])
            pose = link_poses.get(part.name, RigidTransform.identity())
            turned = (scene.articulation.frame_T_root @ pose).rotation
            linear_of.setdefault(part.fixture_id, turned)
    return Scene(scene.parts, make_fixtures(vertices_of, linear_of), scene.articulation)


def _joint_warnings(tree: JointTree) -> tuple[str, ...]:
    several = (JointKind.FLOATING, JointKind.PLANAR)
    return tuple(
        f'joint {j.name} is {j.kind.value}: joint states do not place {j.child}, only TF does'
        for j in tree.joints
        if j.kind in several
    )


def _root_warnings(options: UrdfOptions) -> tuple[str, ...]:
    if not options.root_frame:
        return ()
    return (
        f'the root is in TF frame {options.root_frame}: fixtures have no boxes but given ones',
    )
