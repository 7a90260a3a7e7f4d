"""
Scene descriptions: what a mesh file or a URDF does not say, as YAML.

Which boxes are fixtures and containers, what hangs on which frame or joint, where a URDF's root
is, and which topics bring meshes. ``docs/scenes.md`` has the keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast, Literal, NamedTuple

import numpy as np

from st_memory.conversions.mesh_parts import MeshPart
from st_memory.core.geometry import Joint, JointKind, RigidTransform
from st_memory.scene.mesh_scene import MESH_SUFFIXES, UpAxis
from st_memory.scene.meshes import SceneFileError
from st_memory.scene.yaml_sections import read_yaml_section, Section

__all__ = [
    'GIVEN_ROOT',
    'FixtureEntry',
    'GivenJoint',
    'PartRule',
    'SceneDescription',
    'read_description',
]

# Root of the tree that the joints of a description make; no name that a frame can have.
GIVEN_ROOT = ' fixed frame'

_KEYS = (
    *('scene', 'up', 'unit_m', 'geometry', 'package_paths', 'root'),
    *('joints', 'parts', 'fixtures', 'mesh_topics'),
)
_POSE_KEYS = ('position_m', 'rpy_rad', 'quat_xyzw')


class GivenJoint(NamedTuple):
    """A joint of a description, and its position when the mesh was drawn, radians or metres."""

    joint: Joint
    drawn_at: float


class PartRule(NamedTuple):
    """
    What holds for the parts whose name matches a pattern.

    Attributes
    ----------
    pattern : str
        As a shell matches file names.
    fixture_id : str, optional
        Fixture they belong to, '' for none; None leaves it.
    frame_id : str
        TF frame they hang on; '' leaves it.
    world_T_frame : RigidTransform, optional
        Where that frame was in the fixed frame when the mesh was drawn; None when the vertices
        are in that frame already.
    joint : str
        Joint of the description they hang on; '' for none.

    """

    pattern: str
    fixture_id: str | None
    frame_id: str
    world_T_frame: RigidTransform | None
    joint: str


class FixtureEntry(NamedTuple):
    """
    What is said of a fixture; None leaves what the file says.

    Attributes
    ----------
    label : str, optional
        Its type in words.
    is_container : bool, optional
        Things can be inside it.
    world_T_box : RigidTransform, optional
        Centre and axes of its box in the fixed frame.
    size_m : (3,) float, optional
        Extents along those axes.

    """

    label: str | None = None
    is_container: bool | None = None
    world_T_box: RigidTransform | None = None
    size_m: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class SceneDescription:
    """
    A scene description.

    Parameters
    ----------
    path : Path
        Its file.
    base : Path, optional
        The mesh file or URDF it is about.
    up, unit_m
        Of a mesh file, as for :func:`st_memory.scene.read_scene`.
    geometry, package_paths, root_frame, frame_T_root
        Of a URDF, as in :class:`st_memory.scene.urdf_scene.UrdfOptions`.
    joints : tuple of GivenJoint
        Joints between the fixed frame and parts of a mesh file.
    parts : tuple of PartRule
        For each part the first that matches holds.
    fixtures : mapping of str to FixtureEntry
        By fixture id.
    mesh_topics : mapping of str to MeshPart
        By topic.

    """

    path: Path
    base: Path | None = None
    up: UpAxis | None = None
    unit_m: float | None = None
    geometry: Literal['visual', 'collision'] = 'visual'
    package_paths: tuple[Path, ...] = ()
    root_frame: str = ''
    frame_T_root: RigidTransform = field(default_factory=RigidTransform.identity)
    joints: tuple[GivenJoint, ...] = ()
    parts: tuple[PartRule, ...] = ()
    fixtures: Mapping[str, FixtureEntry] = field(default_factory=dict)
    mesh_topics: Mapping[str, MeshPart] = field(default_factory=dict)


def read_description(path: Path) -> SceneDescription:
    """
    Read a scene description; the file it is about is not opened.

    Raises
    ------
    SceneFileError
        If a key is unknown, or a value is missing or of another type or range. One line with
        the file and the key path.

    """
    top = read_yaml_section(path, _KEYS)
    folder = path.parent
    base = folder / top.text('scene') if 'scene' in top else None
    suffix = '' if base is None else base.suffix.lower()
    if base is not None and suffix not in (*MESH_SUFFIXES, '.urdf'):
        known = ', '.join((*MESH_SUFFIXES, '.urdf'))
        raise SceneFileError(f'{path}.scene: expected a file ({known}), got {base.name!r}')
    for key in ('up', 'unit_m') if suffix not in MESH_SUFFIXES else ():
        if key in top:
            raise SceneFileError(f'{path}.{key}: expected only with a mesh file as scene')
    for key in ('geometry', 'package_paths', 'root') if suffix != '.urdf' else ():
        if key in top:
            raise SceneFileError(f'{path}.{key}: expected only with a URDF as scene')
    unit_m = top.number('unit_m') if 'unit_m' in top else None
    if unit_m is not None and unit_m <= 0:
        raise SceneFileError(f'{path}.unit_m: expected > 0, got {unit_m:g}')
    root = top.section('root', ('frame', *_POSE_KEYS))
    joints = _joints(top.section('joints'), suffix)
    return SceneDescription(
        path=path,
        base=base,
        up=cast('UpAxis', top.choice('up', ('y', 'z'))) if 'up' in top else None,
        unit_m=unit_m,
        geometry=cast(
            "Literal['visual', 'collision']",
            top.choice('geometry', ('visual', 'collision'), 'visual'),
        ),
        package_paths=tuple(folder / p for p in top.texts('package_paths')),
        root_frame=root.text('frame', '').lstrip('/'),
        frame_T_root=root.pose(),
        joints=joints,
        parts=_rules(top, {j.joint.name for j in joints}),
        fixtures=_fixtures(top.section('fixtures')),
        mesh_topics=_mesh_topics(top.section('mesh_topics')),
    )


def _joints(section: Section, suffix: str) -> tuple[GivenJoint, ...]:
    out = []
    kinds = {k.value: k for k in (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)}
    for name in section:
        if suffix == '.urdf':
            raise SceneFileError(f'{section.where}: a URDF has its own joints, expected none here')
        item = section.section(name, ('type', 'frame', 'axis', 'origin_m', 'drawn_at'))
        origin = np.array(item.vector('origin_m', (0.0, 0.0, 0.0)))
        pose = RigidTransform(origin, np.array([0.0, 0.0, 0.0, 1.0]))
        try:
            joint = Joint(
                name=name,
                kind=kinds[item.choice('type', tuple(kinds))],
                parent=GIVEN_ROOT,
                child=item.text('frame', name).lstrip('/'),
                parent_T_joint=pose,
                axis=item.vector('axis'),
            )
        except ValueError as error:
            raise SceneFileError(f'{item.where}: {error}') from error
        out.append(GivenJoint(joint, item.number('drawn_at', 0.0)))
    return tuple(out)


def _rules(top: Section, joints: set[str]) -> tuple[PartRule, ...]:
    out = []
    for item in top.listed('parts', ('match', 'fixture', 'frame', 'drawn_at', 'joint')):
        joint = item.text('joint', '')
        if joint and joint not in joints:
            raise SceneFileError(f'{item.where}.joint: expected one of joints, got {joint!r}')
        if joint and ('frame' in item or 'drawn_at' in item):
            raise SceneFileError(f'{item.where}: expected a joint or a frame, got both')
        if 'drawn_at' in item and 'frame' not in item:
            raise SceneFileError(f'{item.where}.drawn_at: expected only with a frame')
        drawn = item.section('drawn_at', _POSE_KEYS)
        out.append(
            PartRule(
                pattern=item.text('match'),
                fixture_id=item.text('fixture') if 'fixture' in item else None,
                frame_id=item.text('frame', '').lstrip('/'),
                world_T_frame=drawn.pose() if 'drawn_at' in item else None,
                joint=joint,
            )
        )
    return tuple(out)


def _fixtures(section: Section) -> dict[str, FixtureEntry]:
    out = {}
    for name in section:
        item = section.section(name, ('label', 'is_container', 'box'))
        entry = FixtureEntry(
            label=item.text('label') if 'label' in item else None,
            is_container=item.flag('is_container', default=False)
            if 'is_container' in item
            else None,
        )
        if 'box' in item:
            box = item.section('box', ('size_m', *_POSE_KEYS))
            size = box.vector('size_m')
            if not all(s > 0 for s in size):
                raise SceneFileError(f'{box.where}.size_m: expected > 0, got {list(size)}')
            entry = entry._replace(world_T_box=box.pose(), size_m=size)
        out[name] = entry
    return out


def _mesh_topics(section: Section) -> dict[str, MeshPart]:
    out: dict[str, MeshPart] = {}
    for topic in section:
        item = section.section(topic, ('part', 'frame', 'fixture', 'is_container'))
        part = MeshPart(
            item.text('part'),
            item.text('frame', '').lstrip('/'),
            item.text('fixture', ''),
            item.flag('is_container', default=False),
        )
        if part.name in {p.name for p in out.values()}:
            raise SceneFileError(f'{item.where}.part: {part.name} comes from another topic too')
        out[topic] = part
    return out
