"""
The scene as markers: parts are triangle lists, fixtures are boxes.

A part is a TRIANGLE_LIST in the frame it moves with, a fixture a CUBE in the fixed frame; the
names stand as JSON in ``text``. Writers build their messages from :func:`describe_scene`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from st_memory.conversions.stamps import frame_name
from st_memory.core.errors import ConversionError
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import Fixture, Scene, ScenePart

__all__ = ['MarkerDescription', 'describe_scene', 'scene_from_markers']

_CUBE = 1
_TRIANGLE_LIST = 11
_ADD = 0
_PART = 'part'
_FIXTURE = 'fixture'


@dataclass(frozen=True, eq=False)
class MarkerDescription:
    """
    What a writer puts into one ``visualization_msgs/Marker``.

    Parameters
    ----------
    namespace, marker_id, marker_type : str, int, int
        Fields ``ns``, ``id`` and ``type``.
    frame_id : str
        Frame of the header.
    text : str
        JSON with the names.
    pose : RigidTransform
        Pose in ``frame_id``.
    scale : (3,) float
        Extents of a box, metres; ones for a part.
    points : (3 T, 3) float64
        Corners of the triangles, metres; empty for a box.

    """

    namespace: str
    marker_id: int
    marker_type: int
    frame_id: str
    text: str
    pose: RigidTransform
    scale: tuple[float, float, float]
    points: NDArray[np.float64]


def describe_scene(scene: Scene, fixed_frame: str) -> tuple[MarkerDescription, ...]:
    """
    Say how a scene is written as markers.

    Parameters
    ----------
    scene : Scene
        Parts and fixtures.
    fixed_frame : str
        Frame of the fixtures and of the parts that never move.

    """
    parts = (
        MarkerDescription(
            namespace=_PART,
            marker_id=i,
            marker_type=_TRIANGLE_LIST,
            frame_id=part.frame_id or fixed_frame,
            text=json.dumps({'name': part.name, 'fixture_id': part.fixture_id}),
            pose=RigidTransform.identity(),
            scale=(1.0, 1.0, 1.0),
            points=np.asarray(part.vertices, dtype=np.float64)[part.triangles].reshape(-1, 3),
        )
        for i, part in enumerate(scene.parts)
    )
    fixtures = (
        MarkerDescription(
            namespace=_FIXTURE,
            marker_id=i,
            marker_type=_CUBE,
            frame_id=fixed_frame,
            text=json.dumps(
                {
                    'fixture_id': fixture.fixture_id,
                    'label': fixture.label,
                    'is_container': fixture.is_container,
                }
            ),
            pose=fixture.world_T_box,
            scale=fixture.size_m,
            points=np.zeros((0, 3)),
        )
        for i, fixture in enumerate(scene.fixtures)
    )
    return (*parts, *fixtures)


def scene_from_markers(markers: Iterable[Any], fixed_frame: str, topic: str = '') -> Scene:
    """
    Read a scene from markers.

    Parameters
    ----------
    markers : iterable of visualization_msgs/Marker
        Markers of other namespaces are left out.
    fixed_frame : str
        A part in this frame never moves.
    topic : str
        Named in errors.

    Raises
    ------
    ConversionError
        If a part or a fixture lacks its names, has unusable geometry, or occurs twice.

    """
    parts, fixtures = [], []
    for marker in markers:
        if marker.action != _ADD:
            continue
        try:
            if marker.ns == _PART and marker.type == _TRIANGLE_LIST:
                parts.append(_part(marker, fixed_frame))
            elif marker.ns == _FIXTURE and marker.type == _CUBE:
                fixtures.append(_fixture(marker, fixed_frame))
        except (KeyError, TypeError, ValueError) as error:
            raise ConversionError(
                f'{topic}: marker {marker.ns}/{marker.id} is no scene {marker.ns}: {error!r}'
            ) from error
    try:
        return Scene(parts=tuple(parts), fixtures=tuple(fixtures))
    except ValueError as error:
        raise ConversionError(f'{topic}: {error}') from error


def _pose(marker: Any) -> RigidTransform:
    p, q = marker.pose.position, marker.pose.orientation
    return RigidTransform(np.array([p.x, p.y, p.z]), np.array([q.x, q.y, q.z, q.w]))


def _part(marker: Any, fixed_frame: str) -> ScenePart:
    names = json.loads(marker.text)
    corners = np.array([(p.x, p.y, p.z) for p in marker.points], dtype=np.float64).reshape(-1, 3)
    if len(corners) % 3:
        raise ValueError(f'expected three corners a triangle, got {len(corners)} corners')
    frame_id = frame_name(marker.header.frame_id)
    scale = np.array([marker.scale.x, marker.scale.y, marker.scale.z])
    vertices, inverse = np.unique(corners, axis=0, return_inverse=True)
    return ScenePart(
        name=names['name'],
        fixture_id=names.get('fixture_id', ''),
        frame_id='' if frame_id == fixed_frame else frame_id,
        vertices=_pose(marker).apply(vertices * scale) if _moves(marker) else vertices,
        triangles=inverse.reshape(-1, 3).astype(np.int32),
    )


def _moves(marker: Any) -> bool:
    """Whether pose and scale change the points; writers of ours leave both neutral."""
    p, q, s = marker.pose.position, marker.pose.orientation, marker.scale
    return (p.x, p.y, p.z, q.x, q.y, q.z, s.x, s.y, s.z) != (0, 0, 0, 0, 0, 0, 1, 1, 1)


def _fixture(marker: Any, fixed_frame: str) -> Fixture:
    names = json.loads(marker.text)
    frame_id = frame_name(marker.header.frame_id)
    if frame_id != fixed_frame:
        raise ValueError(f'expected a fixture in {fixed_frame!r}, got one in {frame_id!r}')
    return Fixture(
        fixture_id=names['fixture_id'],
        label=names['label'],
        world_T_box=_pose(marker),
        size_m=(float(marker.scale.x), float(marker.scale.y), float(marker.scale.z)),
        is_container=bool(names.get('is_container', False)),
    )
