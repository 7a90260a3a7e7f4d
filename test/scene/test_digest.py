"""Digests: equal for equal scenes, different for any change that matters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from st_memory.core.geometry import Joint, JointKind, JointTree, Mimic, RigidTransform
from st_memory.core.records import Articulation, Fixture, Scene
from st_memory.scene import scene_digest
from test.contracts.ray_caster import box_part

HERE = RigidTransform.identity()
THERE = RigidTransform(np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 1.0]))
HINGE = Joint('hinge', JointKind.REVOLUTE, 'world', 'door', HERE)
DOOR = box_part('door', (0, 0, 0), (1, 1, 1), frame_id='door')
FIXTURE = Fixture('cupboard', 'cupboard', HERE, (1.0, 1.0, 1.0))


def _placed(joint: Joint = HINGE, root_frame: str = '') -> Articulation:
    return Articulation(JointTree([joint]), root_frame)


def _scene() -> Scene:
    return Scene((DOOR,), (FIXTURE,), _placed())


def test_equal_scenes_have_one_digest() -> None:
    assert scene_digest(_scene()) == scene_digest(_scene())
    assert len(scene_digest(Scene())) == 64


@pytest.mark.parametrize(
    'other',
    [
        Scene((), (FIXTURE,), _placed()),
        Scene((replace(DOOR, name='gate'),), (FIXTURE,), _placed()),
        Scene((replace(DOOR, vertices=DOOR.vertices + 1e-12),), (FIXTURE,), _placed()),
        Scene((replace(DOOR, triangles=DOOR.triangles[::-1]),), (FIXTURE,), _placed()),
        Scene((DOOR,), (replace(FIXTURE, is_container=True),), _placed()),
        Scene((DOOR,), (replace(FIXTURE, world_T_box=THERE),), _placed()),
        Scene((DOOR,), (FIXTURE,)),
        Scene((DOOR,), (FIXTURE,), _placed(root_frame='cart')),
        Scene((DOOR,), (FIXTURE,), Articulation(JointTree([HINGE]), '', THERE)),
        Scene((DOOR,), (FIXTURE,), _placed(replace(HINGE, axis=(0.0, 0.0, 1.0)))),
        Scene((DOOR,), (FIXTURE,), _placed(replace(HINGE, kind=JointKind.CONTINUOUS))),
        Scene((DOOR,), (FIXTURE,), _placed(replace(HINGE, limits=(0.0, 1.0)))),
        Scene((DOOR, replace(DOOR, name='b')), (FIXTURE,), _placed()),
    ],
)
def test_any_change_changes_the_digest(other: Scene) -> None:
    assert scene_digest(other) != scene_digest(_scene())


def test_a_mimic_changes_the_digest() -> None:
    second = Joint('slide', JointKind.PRISMATIC, 'world', 'drawer', HERE)
    alone = JointTree([HINGE, second])
    following = JointTree([HINGE, replace(second, mimic=Mimic('hinge'))])

    assert scene_digest(Scene((), (), Articulation(alone))) != scene_digest(
        Scene((), (), Articulation(following))
    )
