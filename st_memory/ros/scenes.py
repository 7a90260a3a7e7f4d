"""Scenes as a running memory gets them."""

from __future__ import annotations

import numpy as np

from st_memory.core.ports import RayCaster
from st_memory.core.records import Scene, ScenePart
from st_memory.ros.settings import MemoryNodeSettings
from st_memory.scene import LoadedScene, ray_caster_named, read_scene
from st_memory.storage import is_same_scene

__all__ = ['caster_of', 'given_scene', 'is_same_scene', 'scene_of']

# Enough to find out whether a ray caster is installed.
_EMPTY_PART = Scene((ScenePart('', '', '', np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32)),))


def caster_of(scene: Scene, name: str = 'embree') -> RayCaster | None:
    """Give the ray caster of a scene; None when it has no meshes."""
    return ray_caster_named(name, scene) if scene.parts else None


def given_scene(settings: MemoryNodeSettings) -> LoadedScene | None:
    """
    Read the scene file that the parameters name; None when they name none.

    Raises
    ------
    StMemoryError
        If it cannot be used, or the ray caster is not installed.

    """
    caster_of(_EMPTY_PART, settings.ray_caster)
    if not settings.scene:
        return None
    return read_scene(settings.scene, package_paths=settings.package_paths)


def scene_of(loaded: LoadedScene | None) -> Scene | None:
    """Give the scene of a file; None when it only names mesh topics, or there is none."""
    if loaded is None or not (loaded.scene.parts or loaded.scene.fixtures):
        return None
    return loaded.scene
