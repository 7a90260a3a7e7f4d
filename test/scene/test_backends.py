"""Choosing a ray caster by its name."""

from __future__ import annotations

import sys

import pytest

from st_memory.core.errors import MissingExtraError
from st_memory.core.records import Scene
from st_memory.scene import EmbreeRayCaster, Open3dRayCaster, ray_caster_named, RAY_CASTERS
from test.contracts.ray_caster import box_part
from test.scene.test_open3d_ray_caster import needs_open3d


def test_ray_caster_named_embree_is_embree_over_that_scene() -> None:
    caster = ray_caster_named('embree', Scene((box_part('wall', (0, 0, 5), (4, 4, 0.2)),)))

    assert isinstance(caster, EmbreeRayCaster)
    assert caster.part_names == ('wall',)


@needs_open3d
def test_ray_caster_named_open3d_is_open3d() -> None:
    assert isinstance(ray_caster_named('open3d', Scene()), Open3dRayCaster)


def test_ray_caster_named_open3d_without_it_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, 'open3d', None)

    with pytest.raises(MissingExtraError, match='open3d'):
        ray_caster_named('open3d', Scene())


def test_ray_caster_named_otherwise_lists_the_names() -> None:
    with pytest.raises(ValueError, match=r"one of embree, open3d, got 'bullet'"):
        ray_caster_named('bullet', Scene())


def test_ray_casters_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        RAY_CASTERS['mine'] = EmbreeRayCaster  # type: ignore[index]
