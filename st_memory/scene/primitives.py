"""Boxes, cylinders and spheres as triangles that face outwards."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ['box_mesh', 'cylinder_mesh', 'sphere_mesh']

Mesh = tuple[NDArray[np.float64], NDArray[np.int64]]

# The surface of a cylinder of 32 sides is nowhere further inside than 0.5 % of its radius.
_SIDES = 32
_RINGS = 16


def box_mesh(size: tuple[float, float, float]) -> Mesh:
    """
    Give a box about the origin.

    Parameters
    ----------
    size : (3,) float
        Extents along x, y and z, metres.

    Returns
    -------
    vertices : (8, 3) float64
        Metres.
    triangles : (12, 3) int64
        Indices.

    """
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return corners * np.array(size), np.array(triangles)


def cylinder_mesh(radius: float, length: float) -> Mesh:
    """
    Give a cylinder about the origin, along z.

    Parameters
    ----------
    radius, length : float
        Metres.

    Returns
    -------
    vertices : (V, 3) float64
        On the surface, metres.
    triangles : (T, 3) int64
        Indices.

    """
    half = length / 2
    return _turned([(0.0, -half), (radius, -half), (radius, half), (0.0, half)])


def sphere_mesh(radius: float) -> Mesh:
    """
    Give a sphere about the origin.

    Parameters
    ----------
    radius : float
        Metres.

    Returns
    -------
    vertices : (V, 3) float64
        On the surface, metres.
    triangles : (T, 3) int64
        Indices.

    """
    angles = np.linspace(-np.pi / 2, np.pi / 2, _RINGS + 1)
    profile = [(radius * float(np.cos(a)), radius * float(np.sin(a))) for a in angles]
    return _turned([(0.0, -radius), *profile[1:-1], (0.0, radius)])


def _turned(profile: list[tuple[float, float]]) -> Mesh:
    """Turn a profile of (distance from the axis, height), from below to above, around z."""
    turn = np.arange(_SIDES) * (2 * np.pi / _SIDES)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    rings: list[NDArray[np.float64]] = []
    starts: list[int] = []
    for distance, height in profile:
        starts.append(sum(len(r) for r in rings))
        ring = circle * distance if distance else np.zeros((1, 2))
        rings.append(np.column_stack([ring, np.full(len(ring), height)]))
    triangles = []
    for (low, lower), (high, upper) in pairwise(zip(starts, rings, strict=True)):
        for i in range(_SIDES):
            j = (i + 1) % _SIDES
            a, b = low + i % len(lower), low + j % len(lower)
            c, d = high + i % len(upper), high + j % len(upper)
            triangles += [(a, b, d)] if a != b else []
            triangles += [(a, d, c)] if c != d else []
    return np.concatenate(rings), np.array(triangles)
