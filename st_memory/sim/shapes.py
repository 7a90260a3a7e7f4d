"""Primitive shapes: what furniture, objects and people are made of."""

from __future__ import annotations

from dataclasses import dataclass
import math

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import RigidTransform

__all__ = ['Primitive', 'box', 'box_mesh', 'planar', 'rotate_xy', 'vec3']

Array = NDArray[np.float64]
Vec3 = tuple[float, float, float]
Rgb = tuple[float, float, float]

_CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
_BOX_TRIANGLES = np.array(
    [
        *((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5)),
        *((0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6)),
        *((0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)),
    ],
    dtype=np.int32,
)


@dataclass(frozen=True)
class Primitive:
    """
    One shape in the frame of its body.

    Parameters
    ----------
    kind : str
        ``box`` (size: half extents), ``cylinder`` or ``capsule`` (radius, half length without
        the caps), ``sphere`` (radius).
    size : tuple of float
        Metres, as the kind says.
    position : (3,) float
        Centre, metres.
    rgb : (3,) float
        Colour, 0 to 1.
    axis : str
        Axis of a cylinder or capsule: ``x``, ``y`` or ``z``.

    """

    kind: str
    size: tuple[float, ...]
    position: Vec3
    rgb: Rgb
    axis: str = 'z'

    @property
    def half_extents(self) -> Vec3:
        """Half extents of the axis-aligned bounding box, metres."""
        if self.kind == 'box':
            return vec3(self.size)
        if self.kind == 'sphere':
            return (self.size[0],) * 3
        radius, half = self.size
        along = half + (radius if self.kind == 'capsule' else 0.0)
        return vec3([along if a == self.axis else radius for a in 'xyz'])


def vec3(values: tuple[float, ...] | list[float] | Array) -> Vec3:
    """Three plain floats from any sequence of three numbers."""
    x, y, z = (float(v) for v in values)
    return x, y, z


def box(low: Vec3, high: Vec3, rgb: Rgb) -> Primitive:
    """
    Make a box from two opposite corners.

    Parameters
    ----------
    low, high : (3,) float
        Smallest and largest coordinates, metres.
    rgb : (3,) float
        Colour.

    """
    a, b = np.array(low), np.array(high)
    return Primitive('box', vec3((b - a) / 2), vec3((a + b) / 2), rgb)


def box_mesh(boxes: tuple[Primitive, ...]) -> tuple[Array, NDArray[np.int32]]:
    """
    Triangulate boxes, normals outward.

    Parameters
    ----------
    boxes : tuple of Primitive
        Boxes only.

    Returns
    -------
    vertices : (8 N, 3) float64
        Metres, in the frame of the body.
    triangles : (12 N, 3) int32
        Indices into ``vertices``.

    Raises
    ------
    ValueError
        If a primitive is not a box.

    """
    for p in boxes:
        if p.kind != 'box':
            raise ValueError(f'box_mesh: expected boxes, got a {p.kind}')
    vertices = [np.array(p.position) + _CORNERS * np.array(p.size) for p in boxes]
    triangles = [_BOX_TRIANGLES + 8 * i for i in range(len(boxes))]
    return np.concatenate(vertices), np.concatenate(triangles)


def rotate_xy(x: float, y: float, yaw: float) -> tuple[float, float]:
    """Turn a vector in the floor plane counter-clockwise by ``yaw`` radians."""
    c, s = math.cos(yaw), math.sin(yaw)
    return c * x - s * y, s * x + c * y


def planar(position: Vec3, yaw: float) -> RigidTransform:
    """
    Pose of something that stands upright.

    Parameters
    ----------
    position : (3,) float
        Metres.
    yaw : float
        Rotation about +Z, radians.

    """
    quat = np.array([0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)])
    return RigidTransform(np.array(position), quat)
