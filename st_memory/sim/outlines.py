"""Where things may be in the image, and which of them can be looked at side by side."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from st_memory.core.geometry import PinholeCamera
from st_memory.sim.mjcf import Z_NEAR_M
from st_memory.sim.posing import Snapshot
from st_memory.sim.stage import GONE, Thing

__all__ = ['Outline', 'apart', 'outline']

Outline = tuple[float, float, float, float]
"""Smallest u and v, largest u and v, pixels."""

# Rasterisation may touch the pixels around the exact outline.
_MARGIN_PX = 2.0
_CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)


def outline(camera: PinholeCamera, thing: Thing, snapshot: Snapshot) -> Outline | None:
    """
    Bound where a thing may be in the image: smallest u, v, largest u, v.

    None when it cannot be in the image; the whole image when it reaches behind the camera.
    """
    if thing.frame == GONE:
        return None
    pose = snapshot.map_T_thing[thing.spec.object_id]
    corners = pose.apply(_CORNERS * np.array(thing.spec.half_size))
    points = snapshot.map_T_optical.inverse().apply(corners)
    width, height = camera.width, camera.height
    if points[:, 2].max() <= Z_NEAR_M:
        return None
    if points[:, 2].min() <= Z_NEAR_M:
        return 0.0, 0.0, float(width), float(height)
    pixels = camera.project(points).pixels
    u0, v0 = pixels.min(axis=0) - _MARGIN_PX
    u1, v1 = pixels.max(axis=0) + _MARGIN_PX
    if u1 < 0 or v1 < 0 or u0 > width - 1 or v0 > height - 1:
        return None
    return float(u0), float(v0), float(u1), float(v1)


def apart(
    outlines: dict[str, Outline],
) -> Iterator[list[str]]:
    """Split into few groups so that no two outlines of one group touch."""
    groups: list[list[str]] = []
    for name, (u0, v0, u1, v1) in outlines.items():
        for group in groups:
            others = (outlines[n] for n in group)
            if all(u1 < o[0] or o[2] < u0 or v1 < o[1] or o[3] < v0 for o in others):
                group.append(name)
                break
        else:
            groups.append([name])
    yield from groups
