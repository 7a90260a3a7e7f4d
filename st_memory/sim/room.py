"""The room around the furniture, and the hall outside its door."""

from __future__ import annotations

from st_memory.sim.furniture import Part
from st_memory.sim.shapes import box, Rgb

__all__ = ['room']


def room(width: float, depth: float, doorway: tuple[float, float], rgb: Rgb) -> tuple[Part, ...]:
    """
    Build floor, ceiling, walls with a doorway in the west, and the hall behind it.

    Parameters
    ----------
    width, depth : float
        Inner size along x and y, metres; the origin is in the middle.
    doorway : (2,) float
        Smallest and largest y of the doorway, metres.
    rgb : (3,) float
        Colour of the walls.

    """
    w, d, t, high, hall = width / 2, depth / 2, 0.08, 2.5, 1.5
    a, b = doorway
    west = -w - hall
    floor = (box((west - t, -d - t, -0.05), (w + t, d + t, 0.0), (0.45, 0.42, 0.40)),)
    ceiling = (box((west - t, -d - t, high), (w + t, d + t, high + 0.05), (0.9, 0.9, 0.9)),)
    walls = (
        box((west, d, 0.0), (w, d + t, high), rgb),
        box((west, -d - t, 0.0), (w, -d, high), rgb),
        box((w, -d, 0.0), (w + t, d, high), rgb),
        box((west - t, -d, 0.0), (west, d, high), rgb),
        box((-w - t, b, 0.0), (-w, d, high), rgb),
        box((-w - t, -d, 0.0), (-w, a, high), rgb),
        box((-w - t, a, 2.05), (-w, b, high), rgb),
    )
    names = (('room/floor', floor), ('room/ceiling', ceiling), ('room/walls', walls))
    return tuple(Part(name, '', (0.0, 0.0, 0.0), 0.0, boxes) for name, boxes in names)
