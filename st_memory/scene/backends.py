"""The ray casters by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from st_memory.scene.open3d_ray_caster import Open3dRayCaster
from st_memory.scene.ray_caster import EmbreeRayCaster

if TYPE_CHECKING:
    from st_memory.core.ports import RayCaster
    from st_memory.core.records import Scene

__all__ = ['RAY_CASTERS', 'ray_caster_named']

RAY_CASTERS: Mapping[str, Callable[[Scene], RayCaster]] = MappingProxyType(
    {'embree': EmbreeRayCaster, 'open3d': Open3dRayCaster}
)


def ray_caster_named(name: str, scene: Scene) -> RayCaster:
    """
    Give the ray caster of a backend.

    Parameters
    ----------
    name : str
        ``embree`` (always there) or ``open3d`` (the extra of that name).
    scene : Scene
        What the rays are shot at.

    Returns
    -------
    RayCaster
        Both give the same hits; see :mod:`st_memory.scene.open3d_ray_caster` for when to choose
        which.

    Raises
    ------
    ValueError
        If there is no backend of that name.
    MissingExtraError
        If the backend's package is not installed.

    """
    if name not in RAY_CASTERS:
        raise ValueError(f'ray caster: expected one of {", ".join(RAY_CASTERS)}, got {name!r}')
    return RAY_CASTERS[name](scene)
