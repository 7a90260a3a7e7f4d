"""Rules of the seeded kitchen."""

from __future__ import annotations

import numpy as np
import pytest

from st_memory.sim.description import scene_of
from st_memory.sim.layout import Layout, make_layout
from st_memory.sim.noise import stream
from st_memory.sim.shapes import planar
from st_memory.sim.spec import KitchenSpec

SEEDS = range(8)


def layout_of(seed: int) -> Layout:
    return make_layout(KitchenSpec(seed), stream(seed, 'layout'))


@pytest.mark.parametrize('seed', SEEDS)
def test_layout_has_hinged_and_sliding_parts(seed: int) -> None:
    kinds = [p.joint.kind for p in layout_of(seed).moving_parts if p.joint]
    assert kinds.count('hinge') >= 5
    assert kinds.count('slide') >= 4


@pytest.mark.parametrize('seed', SEEDS)
def test_containers_are_cupboards_drawers_fridge_and_bin(seed: int) -> None:
    labels = {u.label for u in layout_of(seed).units if u.is_container}
    assert labels == {'cupboard', 'drawer', 'fridge', 'bin'}
    open_ones = {u.label for u in layout_of(seed).units if not u.is_container}
    assert open_ones == {'counter', 'shelf', 'table'}


@pytest.mark.parametrize('seed', SEEDS)
def test_slots_of_containers_lie_inside_their_boxes(seed: int) -> None:
    layout = layout_of(seed)
    parts = {p.name: p for p in layout.moving_parts}
    for unit in layout.units:
        if not unit.is_container:
            continue
        box = planar(unit.box_centre, unit.yaw).inverse()
        for slot in unit.slots:
            part = parts.get(slot.frame)
            point = np.array(slot.position)
            if part is not None:
                point = planar(part.position, part.yaw).apply(point)
            assert (np.abs(box.apply(point)) <= np.array(unit.box_size) / 2).all()


@pytest.mark.parametrize('seed', SEEDS)
def test_neighbouring_slots_leave_room_for_their_largest_things(seed: int) -> None:
    for unit in layout_of(seed).units:
        slots = unit.slots
        for i, a in enumerate(slots):
            for b in slots[:i]:
                level = abs(a.position[2] - b.position[2]) < 0.05
                gap = np.hypot(a.position[0] - b.position[0], a.position[1] - b.position[1])
                assert not level or gap >= a.radius + b.radius - 1e-9


@pytest.mark.parametrize('seed', SEEDS)
def test_stands_are_on_free_floor_in_front_of_their_unit(seed: int) -> None:
    layout = layout_of(seed)
    for unit in layout.units:
        stand = unit.stand
        to_unit = np.array(unit.box_centre[:2]) - [stand.x, stand.y]
        ahead = np.array([np.cos(stand.yaw), np.sin(stand.yaw)])
        assert to_unit @ ahead > 0.4
        for other in layout.units:
            inside = planar(other.box_centre, other.yaw).inverse().apply([stand.x, stand.y, 0.0])
            assert (np.abs(inside[:2]) > np.array(other.box_size[:2]) / 2).any()


def test_layouts_of_different_seeds_differ() -> None:
    assert layout_of(0) != layout_of(1)
    assert layout_of(0) == layout_of(0)


def test_scene_puts_static_parts_into_the_fixed_frame_and_doors_into_their_own() -> None:
    layout = layout_of(0)
    scene = scene_of(layout)
    moving = {p.name for p in layout.moving_parts}
    assert {p.frame_id for p in scene.parts} == moving | {''}
    assert all((p.frame_id == p.name) == (p.name in moving) for p in scene.parts)


def test_scene_carcass_fills_its_fixture_box() -> None:
    layout = layout_of(0)
    scene = scene_of(layout)
    fixture = next(f for f in scene.fixtures if f.fixture_id == 'fridge_1')
    carcass = next(p for p in scene.parts if p.name == 'fridge_1/carcass')
    local = fixture.world_T_box.inverse().apply(carcass.vertices)
    half = np.array(fixture.size_m) / 2
    np.testing.assert_allclose(local.max(axis=0), half, atol=1e-9)
    np.testing.assert_allclose(local.min(axis=0), -half, atol=1e-9)


def test_scene_door_at_its_closed_pose_covers_the_front() -> None:
    layout = layout_of(0)
    door = next(p for p in layout.moving_parts if p.fixture_id == 'fridge_1')
    unit = layout.unit('fridge_1')
    part = next(p for p in scene_of(layout).parts if p.name == door.name)
    in_map = planar(door.position, door.yaw).apply(part.vertices)
    local = planar(unit.box_centre, unit.yaw).inverse().apply(in_map)
    assert np.ptp(local[:, 0]) == pytest.approx(unit.box_size[0], abs=0.01)
    assert np.ptp(local[:, 2]) == pytest.approx(unit.box_size[2], abs=0.01)
    assert local[:, 1].max() <= -unit.box_size[1] / 2
