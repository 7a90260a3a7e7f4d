"""
Own meshes, robot and scene descriptions, fixtures and the ray casters.

Independent of the other adapters. A reader starts with :func:`load_scene` and
:class:`EmbreeRayCaster`; :func:`ray_caster_named` chooses another backend.
"""

from __future__ import annotations

from st_memory.core.geometry import FaceCounts
from st_memory.scene.backends import ray_caster_named, RAY_CASTERS
from st_memory.scene.building import build_mesh, BuildSettings, BuiltMesh
from st_memory.scene.digest import scene_digest
from st_memory.scene.held_out import DepthAgreement
from st_memory.scene.loading import load_scene, read_scene, SCENE_SUFFIXES
from st_memory.scene.mesh_writing import write_mesh, WRITTEN_SUFFIXES
from st_memory.scene.meshes import SceneFileError
from st_memory.scene.open3d_ray_caster import Open3dRayCaster
from st_memory.scene.ray_caster import EmbreeRayCaster
from st_memory.scene.report import LoadedScene, SceneReport

__all__ = [
    'RAY_CASTERS',
    'SCENE_SUFFIXES',
    'WRITTEN_SUFFIXES',
    'BuildSettings',
    'BuiltMesh',
    'DepthAgreement',
    'EmbreeRayCaster',
    'FaceCounts',
    'LoadedScene',
    'Open3dRayCaster',
    'SceneFileError',
    'SceneReport',
    'build_mesh',
    'load_scene',
    'ray_caster_named',
    'read_scene',
    'scene_digest',
    'write_mesh',
]
