"""
Own meshes, fixtures and the Embree ray caster.

Independent of the other adapters. A reader starts with :class:`EmbreeRayCaster`.
"""

from __future__ import annotations

from st_memory.scene.ray_caster import EmbreeRayCaster

__all__ = ['EmbreeRayCaster']
