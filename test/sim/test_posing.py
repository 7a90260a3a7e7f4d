"""Rules of the step from the stage to numbers."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np
import pytest

from st_memory.sim.layout import make_layout
from st_memory.sim.mjcf import build_mjcf, focal_px, KitchenModel
from st_memory.sim.noise import stream
from st_memory.sim.posing import HEAD_T_OPTICAL, take_snapshot
from st_memory.sim.spec import KitchenSpec
from st_memory.sim.stage import Stage

SPEC = KitchenSpec(3)


def made() -> tuple[Stage, KitchenModel]:
    layout = make_layout(SPEC, stream(3, 'layout'))
    return Stage(layout, stream(3, 'script')), build_mjcf(SPEC, layout)


def test_optical_axis_is_the_heads_forward_axis() -> None:
    axes = HEAD_T_OPTICAL.rotation
    np.testing.assert_allclose(axes[:, 2], [1, 0, 0], atol=1e-12)  # forward
    np.testing.assert_allclose(axes[:, 0], [0, -1, 0], atol=1e-12)  # right
    np.testing.assert_allclose(axes[:, 1], [0, 0, -1], atol=1e-12)  # down


def test_camera_looks_down_by_the_pitch_and_along_the_head_yaw() -> None:
    stage, model = made()
    stage.wearer.head_yaw, stage.wearer.head_pitch = 0.7, 0.4
    ahead = take_snapshot(stage, model).map_T_optical.rotation[:, 2]
    assert math.atan2(ahead[1], ahead[0]) == pytest.approx(0.7)
    assert math.asin(ahead[2]) == pytest.approx(-0.4)


def test_camera_stands_at_the_wearers_eyes() -> None:
    stage, model = made()
    camera = take_snapshot(stage, model).map_T_optical
    np.testing.assert_allclose(camera.translation, stage.wearer.eye, atol=1e-12)


def test_qpos_lists_joints_then_free_poses() -> None:
    stage, model = made()
    stage.joints['fridge_1/door'] = 0.9
    snapshot = take_snapshot(stage, model)
    assert len(snapshot.qpos) == len(model.hinged) + 7 * len(model.free)
    assert snapshot.qpos[model.hinged.index('fridge_1/door')] == 0.9
    start = len(model.hinged) + 7 * model.free.index('head')
    x, y, z, w = snapshot.map_T_base.quat_xyzw
    np.testing.assert_allclose(snapshot.qpos[start : start + 3], stage.wearer.eye, atol=1e-12)
    assert np.linalg.norm(snapshot.qpos[start + 3 : start + 7]) == pytest.approx(1.0)
    assert (x, y) == (0.0, 0.0)
    assert z * z + w * w == pytest.approx(1.0)


def test_hinged_door_opens_into_the_room() -> None:
    stage, _ = made()
    for name, part in stage.parts.items():
        assert part.joint is not None
        closed = np.array(stage.handle_point(part))
        stage.joints[name] = part.joint.limit
        opened = np.array(stage.handle_point(part))
        unit = stage.units[part.fixture_id]
        out = -np.array([math.cos(unit.stand.yaw), math.sin(unit.stand.yaw)])
        moved = (opened - closed)[:2]
        sideways = part.joint.kind == 'slide' and part.joint.axis[0] != 0
        if sideways:
            assert abs(moved @ out) < 1e-9
            assert np.linalg.norm(moved) > 0.3
        else:
            assert moved @ out > 0.3


def test_things_in_a_drawer_move_with_it() -> None:
    stage, _ = made()
    thing = stage.things['salt_shaker_1']
    index, slot = next((i, s) for i, s in enumerate(stage.slots) if s.frame == 'drawer_1/tray')
    thing.slot, thing.frame = index, slot.frame
    thing.position = stage.rest_position(thing.spec, slot)
    before = np.array(stage.thing_pose(thing)[0])
    stage.joints['drawer_1/tray'] = 0.3
    after = np.array(stage.thing_pose(thing)[0])
    assert np.linalg.norm(after - before) == pytest.approx(0.3)


def test_attaching_a_thing_to_a_hand_does_not_move_it() -> None:
    stage, _ = made()
    thing = next(iter(stage.things.values()))
    before, yaw = stage.thing_pose(thing)
    stage.attach(thing, 'wearer/right')
    after, after_yaw = stage.thing_pose(thing)
    assert after == pytest.approx(before)
    assert after_yaw == pytest.approx(yaw)


def test_scene_names_an_owner_for_every_shape() -> None:
    _, model = made()
    root = ElementTree.fromstring(model.xml)
    assert len(root.findall('.//body/geom')) == len(model.owners)
    joints = [j.get('name') for j in root.findall('.//joint')]
    assert tuple(joints) == model.hinged
    free = [j.get('name') for j in root.findall('.//freejoint')]
    assert tuple(free) == model.free


def test_focal_length_follows_from_the_field_of_view() -> None:
    assert focal_px(KitchenSpec(0, width=200, horizontal_fov_deg=90.0)) == pytest.approx(100.0)
