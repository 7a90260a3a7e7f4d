"""Scenes as a running memory gets them."""

from __future__ import annotations

import numpy as np

from st_memory.core.ports import RayCaster
from st_memory.core.records import Scene, ScenePart
from st_memory.scene import EmbreeRayCaster

__all__ = ['caster_of', 'is_same_scene']


def caster_of(scene: Scene) -> RayCaster | None:
    """Give the ray caster of a scene; None when it has no meshes."""
    return EmbreeRayCaster(scene) if scene.parts else None


def is_same_scene(scene: Scene, other: Scene) -> bool:
    """Whether two scenes are equal; senders that cannot latch send theirs again and again."""
    return (
        len(scene.parts) == len(other.parts)
        and [vars(fixture) for fixture in scene.fixtures]
        == [vars(fixture) for fixture in other.fixtures]
        and all(map(_is_same_part, scene.parts, other.parts))
    )


def _is_same_part(part: ScenePart, other: ScenePart) -> bool:
    names = (part.name, part.fixture_id, part.frame_id)
    return (
        names == (other.name, other.fixture_id, other.frame_id)
        and np.array_equal(part.vertices, other.vertices)
        and np.array_equal(part.triangles, other.triangles)
    )
