"""
Own meshes, fixtures and the Embree ray caster.

Independent of the other adapters. A reader starts with :func:`load_scene` and
:class:`EmbreeRayCaster`.
"""

from __future__ import annotations

from st_memory.scene.loading import load_scene, LoadedScene, read_scene, SceneReport
from st_memory.scene.meshes import FaceCounts, SceneFileError
from st_memory.scene.ray_caster import EmbreeRayCaster

__all__ = [
    'EmbreeRayCaster',
    'FaceCounts',
    'LoadedScene',
    'SceneFileError',
    'SceneReport',
    'load_scene',
    'read_scene',
]
