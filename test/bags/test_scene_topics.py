"""Scenes of a bag: meshes of topics, joint states, and a scene from elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from st_memory.bags import BagFrameSource
from st_memory.conversions import AssemblerSettings
from st_memory.conversions.mesh_parts import MeshPart
from st_memory.core.errors import ConversionError
from st_memory.core.geometry import Joint, JointKind, JointTree, RigidTransform
from st_memory.core.records import Articulation, Scene
from test.bags import bag_files
from test.contracts.ray_caster import box_part

NAMED = AssemblerSettings(mesh_parts={'/shelf/mesh': MeshPart('shelf', '', 'cupboard', True)})


def hinged() -> Scene:
    """Give a door on a hinge in the origin."""
    joint = Joint('hinge', JointKind.REVOLUTE, 'world', 'door', RigidTransform.identity())
    door = box_part('door', (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), frame_id='door')
    return Scene((door,), (), Articulation(JointTree([joint])))


def test_the_first_mesh_of_a_topic_is_in_the_scene_from_the_start(tmp_path: Path) -> None:
    source = BagFrameSource(bag_files.mesh_bag(tmp_path), NAMED)

    (shelf,) = source.scene.parts
    assert (shelf.name, shelf.frame_id, shelf.fixture_id) == ('shelf', '', 'cupboard')
    assert shelf.vertices.max() == 1.0
    assert [f.is_container for f in source.scene.fixtures] == [True]


def test_a_mesh_that_is_sent_again_costs_nothing_and_another_one_is_counted(
    tmp_path: Path,
) -> None:
    source = BagFrameSource(bag_files.mesh_bag(tmp_path), NAMED)

    frames = list(source.frames())

    assert len(frames) == 5
    assert source.counters() == {'mesh_changed': 1}


def test_faces_that_were_dropped_are_counted(tmp_path: Path) -> None:
    path = bag_files.mesh_bag(tmp_path, faces=((0, 1, 2), (0, 0, 1), (0, 1, 5)))
    source = BagFrameSource(path, NAMED)

    for _ in range(2):  # each pass counts anew
        list(source.frames())
        assert source.counters() == {
            'mesh_changed': 1,
            'mesh_face_bad_index': 1,
            'mesh_face_degenerate': 1,
        }


def test_a_mesh_without_a_face_is_one_line(tmp_path: Path) -> None:
    path = bag_files.mesh_bag(tmp_path, faces=((0, 0, 1),))

    with pytest.raises(ConversionError, match='mesh of shelf: expected triangles'):
        BagFrameSource(path, NAMED)


def test_meshes_that_nothing_is_said_of_are_left_alone(tmp_path: Path) -> None:
    source = BagFrameSource(bag_files.mesh_bag(tmp_path))

    assert source.scene.parts == ()
    assert len(list(source.frames())) == 5
    assert source.counters() == {}


def test_joint_states_of_the_bag_place_the_parts_of_a_scene_given(tmp_path: Path) -> None:
    source = BagFrameSource(bag_files.mesh_bag(tmp_path), NAMED, hinged())

    poses = [f.world_T_part['door'] for f in source.frames()]

    assert [p.name for p in source.scene.parts] == ['door', 'shelf']
    angles = [2 * np.arctan2(p.quat_xyzw[0], p.quat_xyzw[3]) for p in poses]
    np.testing.assert_allclose(angles, [0.0, 0.1, 0.2, 0.3, 0.4], atol=1e-12)


def test_a_scene_given_counts_instead_of_the_markers_of_the_bag(tmp_path: Path) -> None:
    path = bag_files.walk_bag(tmp_path)
    given = Scene((box_part('wall', (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)),))

    source = BagFrameSource(path, None, given)
    frames = list(source.frames())

    assert [p.name for p in source.scene.parts] == ['wall']
    assert [dict(f.world_T_part) for f in frames] == [{}] * 5
    assert [p.name for p in BagFrameSource(path).scene.parts] == ['cupboard/door']
