"""What a scene file held: the scene, what was dropped, and what looks wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.conversions.mesh_parts import MeshPart
from st_memory.core.geometry import FaceCounts, RigidTransform
from st_memory.core.records import Scene

__all__ = [
    'MAX_EXTENT_M',
    'LoadedScene',
    'SceneReport',
    'extent_of',
    'none_usable',
    'rest_vertices',
    'size_warnings',
]

Floats = NDArray[np.float64]

# No indoor place is longer; a kitchen in millimetres is.
MAX_EXTENT_M = 1000.0
# Longer than any piece of furniture, and than most rooms; a cup in millimetres is.
_LONG_PART_M = 50.0
_TINY_SCENE_M = 0.1


@dataclass(frozen=True)
class SceneReport:
    """
    What a scene file held.

    Parameters
    ----------
    num_parts, num_fixtures : int
        Parts and fixtures made.
    faces : FaceCounts
        Faces kept, and dropped as not finite, out of range or without area.
    dropped_parts : tuple of str
        Names of meshes of which no face was left.
    extent_m : (3,) float
        Size of the box around all parts at rest along the axes of the fixed frame, metres.
    warnings : tuple of str
        What is there and looks wrong, one line each.

    """

    num_parts: int
    num_fixtures: int
    faces: FaceCounts
    dropped_parts: tuple[str, ...]
    extent_m: tuple[float, float, float]
    warnings: tuple[str, ...] = ()


class LoadedScene(NamedTuple):
    """A scene, the account of its reading, and the topics that bring parts it has no mesh of."""

    scene: Scene
    report: SceneReport
    mesh_topics: Mapping[str, MeshPart] = MappingProxyType({})


def none_usable(faces: FaceCounts) -> str:
    """Say what was found where no face can be used: how many there are, and why not."""
    reasons = (
        (faces.not_finite, 'not finite'),
        (faces.bad_index, 'out of range'),
        (faces.degenerate, 'without area'),
    )
    counted = ', '.join(f'{count} {reason}' for count, reason in reasons if count)
    return f'none that can be used ({counted})' if counted else 'no face at all'


def rest_vertices(scene: Scene) -> dict[str, Floats]:
    """
    Put all parts that can be placed where they are with every joint at rest.

    Parameters
    ----------
    scene : Scene
        Parts in the fixed frame or on links of its articulation.

    Returns
    -------
    dict of str to (V, 3) float64
        Metres, by part, in the fixed frame (or in the frame that the articulation's root is in,
        when that is another one). Parts of frames that only TF knows are left out.

    """
    pose_by_frame = {'': RigidTransform.identity()}
    if scene.articulation is not None:
        tree = scene.articulation.tree
        pose_by_frame[scene.articulation.root_frame] = RigidTransform.identity()
        link_poses = {tree.root: scene.articulation.frame_T_root}
        rest = tree.rest_positions()
        for joint in tree.joints:
            at = tree.position_of(joint, rest) or 0.0
            link_poses[joint.child] = link_poses[joint.parent] @ joint.parent_T_child(at)
        pose_by_frame.update({n: link_poses[n] for n in tree.movable_links})
    return {
        part.name: pose_by_frame[part.frame_id].apply(part.vertices)
        for part in scene.parts
        if part.frame_id in pose_by_frame
    }


def extent_of(vertices: Mapping[str, Floats]) -> tuple[float, float, float]:
    """Give the size of the box around all parts, metres; zeros when there are none."""
    filled = [v for v in vertices.values() if len(v)]
    if not filled:
        return 0.0, 0.0, 0.0
    low = np.min([v.min(axis=0) for v in filled], axis=0)
    high = np.max([v.max(axis=0) for v in filled], axis=0)
    size = high - low
    return float(size[0]), float(size[1]), float(size[2])


def size_warnings(vertices: Mapping[str, Floats]) -> tuple[str, ...]:
    """
    Name what is probably not in metres.

    Parameters
    ----------
    vertices : mapping of str to (V, 3) float64
        Parts at rest, metres.

    Returns
    -------
    tuple of str
        One line each for parts that are too long and for a scene that is too small.

    """
    lines = []
    for name, points in vertices.items():
        longest = max(extent_of({name: points}))
        if longest > _LONG_PART_M:
            lines.append(f'part {name} is {longest:.0f} m long: is its unit the metre?')
    longest = max(extent_of(vertices))
    if 0.0 < longest < _TINY_SCENE_M:
        lines.append(f'the whole scene is {longest * 1000:.3g} mm long: is its unit the metre?')
    return tuple(lines)
