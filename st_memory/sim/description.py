"""The furniture as a listener gets it: meshes by frame and fixtures with boxes."""

from __future__ import annotations

from st_memory.core.records import Fixture, Scene, ScenePart
from st_memory.sim.layout import Layout
from st_memory.sim.shapes import box_mesh, planar

__all__ = ['scene_of']


def scene_of(layout: Layout) -> Scene:
    """
    Describe the furniture for whoever listens: meshes by frame, and fixtures with boxes.

    Static parts are in the fixed frame, movable ones in the TF frame of their name.
    """
    parts = []
    for part in layout.parts:
        vertices, triangles = box_mesh(part.boxes)
        frame = part.name if part.joint is not None else ''
        if not frame:
            vertices = planar(part.position, part.yaw).apply(vertices)
        parts.append(ScenePart(part.name, part.fixture_id, frame, vertices, triangles))
    fixtures = [
        Fixture(u.fixture_id, u.label, planar(u.box_centre, u.yaw), u.box_size, u.is_container)
        for u in layout.units
    ]
    return Scene(tuple(parts), tuple(fixtures))
