"""Parts on joints and parts of meshes in the frame assembler."""

from __future__ import annotations

from dataclasses import replace
import math
from typing import Any

import numpy as np
import pytest

from st_memory.conversions import AssemblerSettings, FrameAssembler, TopicKind, TopicRole
from st_memory.conversions.mesh_parts import MeshPart
from st_memory.core.errors import ConversionError
from st_memory.core.geometry import Joint, JointKind, JointTree, RigidTransform
from st_memory.core.records import Articulation, Scene
from test.contracts.ray_caster import box_part
from test.conversions import fake_messages as fake
from test.conversions.assembling import CAMERA, push_look, S, SCENE, STATIC, T0, TF

JOINTS = TopicRole(TopicKind.JOINTS)
SHELF = TopicRole(TopicKind.MESH, part='shelf')
MESHES = {'/shelf': MeshPart('shelf', 'map', 'cupboard'), '/bowl': MeshPart('bowl', 'hand')}
TRIANGLE = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


def at(x: float, y: float = 0.0) -> RigidTransform:
    return RigidTransform(np.array([x, y, 0.0]), np.array([0.0, 0.0, 0.0, 1.0]))


def scene(root_frame: str = '') -> Scene:
    """Give a door on a hinge 2 m along x, and a drawer that slides along x."""
    tree = JointTree(
        [
            Joint('hinge', JointKind.REVOLUTE, 'world', 'door', at(2.0), (0.0, 0.0, 1.0)),
            Joint('slide', JointKind.PRISMATIC, 'world', 'drawer', at(0.0, 1.0)),
        ]
    )
    parts = tuple(
        box_part(name, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), frame_id=name, fixture_id='cupboard')
        for name in ('door', 'drawer')
    )
    return Scene(parts, (), Articulation(tree, root_frame))


def assembler_on(what: Scene, *roles: TopicRole, **settings: Any) -> FrameAssembler:
    """Give an assembler with a scene, whose camera hangs on a static transform."""
    assembler = FrameAssembler(AssemblerSettings(roles=roles, **settings), what)
    assembler.push(STATIC, fake.tf(fake.transform(0, 'map', 'optical', (0.0, 0.0, 1.0))))
    return assembler


def push_joints(assembler: FrameAssembler, stamp_ns: int, **positions: float) -> list[Any]:
    return assembler.push(JOINTS, fake.joint_states(stamp_ns, **positions))


def test_joint_states_alone_place_the_parts_at_the_stamp_of_the_frame() -> None:
    assembler = assembler_on(scene(), *CAMERA)
    push_joints(assembler, T0, hinge=0.0, slide=0.0)
    left = push_look(assembler, T0 + S // 2)
    assert left == []  # the joints are alive and may still tell more

    (frame,) = push_joints(assembler, T0 + S, hinge=math.pi, slide=0.4)

    door, drawer = frame.world_T_part['door'], frame.world_T_part['drawer']
    np.testing.assert_allclose(door.translation, [2.0, 0.0, 0.0])
    np.testing.assert_allclose(door.apply([1.0, 0.0, 0.0]), [2.0, 1.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(drawer.translation, [0.2, 1.0, 0.0])
    assert dict(assembler.counters) == {}


def test_a_joint_that_is_missing_leaves_its_part_out_and_is_named() -> None:
    assembler = assembler_on(scene(), *CAMERA)
    push_joints(assembler, T0, slide=0.1)

    frames = push_look(assembler, T0) + push_look(assembler, T0 + 5 * S)

    assert [sorted(f.world_T_part) for f in frames] == [['drawer'], []]
    assert dict(assembler.counters) == {'missing_joint hinge': 2, 'missing_joint slide': 1}


def test_a_transform_counts_before_a_joint() -> None:
    assembler = assembler_on(scene(), *CAMERA)
    push_joints(assembler, T0, hinge=0.0, slide=0.0)
    assembler.push(TF, fake.tf(fake.transform(T0, 'map', 'door', (9.0, 0.0, 0.0))))

    (frame,) = push_look(assembler, T0)

    assert frame.world_T_part['door'].translation.tolist() == [9.0, 0.0, 0.0]
    assert frame.world_T_part['drawer'].translation.tolist() == [0.0, 1.0, 0.0]


def test_a_transform_that_is_on_the_way_is_waited_for() -> None:
    assembler = assembler_on(scene(), *CAMERA)
    push_joints(assembler, T0 + S, hinge=0.0, slide=0.0)
    assembler.push(TF, fake.tf(fake.transform(T0, 'map', 'door', (9.0, 0.0, 0.0))))
    assert push_look(assembler, T0 + S) == []

    (frame,) = assembler.push(TF, fake.tf(fake.transform(T0 + S, 'map', 'door', (8.0, 0.0, 0.0))))

    assert frame.world_T_part['door'].translation.tolist() == [8.0, 0.0, 0.0]


def test_a_root_in_a_tf_frame_is_where_that_was_at_the_stamp() -> None:
    assembler = assembler_on(scene('cart'), *CAMERA)
    push_joints(assembler, T0, hinge=0.0, slide=0.0)
    for k in (0, 2):
        assembler.push(TF, fake.tf(fake.transform(T0 + k * S, 'map', 'cart', (float(k), 0, 0))))
    push_joints(assembler, T0 + 2 * S, hinge=0.0, slide=0.0)

    (frame,) = push_look(assembler, T0 + S)

    np.testing.assert_allclose(frame.world_T_part['door'].translation, [3.0, 0.0, 0.0])


def test_a_root_whose_frame_is_not_known_leaves_its_links_out() -> None:
    assembler = assembler_on(scene('cart'), *CAMERA)
    push_joints(assembler, T0, hinge=0.0, slide=0.0)

    (frame,) = push_look(assembler, T0)

    assert frame.world_T_part == {}
    assert dict(assembler.counters) == {'missing_part_frame cart': 1}  # once for two links


def trolleys() -> Scene:
    """Give two parts on one TF frame, one on another."""
    frames = (('tray', 'trolley_link'), ('shelf', 'trolley_link'), ('lid', 'bin_lid'))
    box = ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    return Scene(tuple(box_part(name, *box, frame_id=frame) for name, frame in frames), ())


def test_a_part_frame_that_never_comes_is_named_once_a_frame() -> None:
    assembler = assembler_on(trolleys(), *CAMERA)
    assembler.push(TF, fake.tf(fake.transform(T0, 'map', 'bin_lid', (9.0, 0.0, 0.0))))

    (first,) = push_look(assembler, T0)
    assembler.push(TF, fake.tf(fake.transform(T0 + S, 'map', 'bin_lid', (9.0, 0.0, 0.0))))
    (second,) = push_look(assembler, T0 + S)

    assert [sorted(f.world_T_part) for f in (first, second)] == [['bin_lid'], ['bin_lid']]
    assert dict(assembler.counters) == {'missing_part_frame trolley_link': 2}


def test_a_part_frame_that_is_late_is_not_missing() -> None:
    assembler = assembler_on(trolleys(), *CAMERA)
    for name in ('bin_lid', 'trolley_link'):
        assembler.push(TF, fake.tf(fake.transform(T0, 'map', name, (9.0, 0.0, 0.0))))
    assert push_look(assembler, T0 + S) == []

    left = []
    for name in ('bin_lid', 'trolley_link'):
        left += assembler.push(TF, fake.tf(fake.transform(T0 + S, 'map', name, (8.0, 0.0, 0.0))))

    assert [sorted(f.world_T_part) for f in left] == [['bin_lid', 'trolley_link']]
    assert dict(assembler.counters) == {}


def test_a_part_frame_that_stops_is_missing_from_then_on() -> None:
    assembler = assembler_on(trolleys(), *CAMERA)
    for name in ('bin_lid', 'trolley_link'):
        assembler.push(TF, fake.tf(fake.transform(T0, 'map', name, (9.0, 0.0, 0.0))))
    left = push_look(assembler, T0)
    for k in (30, 31):
        left += push_look(assembler, T0 + k * S)
    left += assembler.flush()

    assert [len(f.world_T_part) for f in left] == [2, 0, 0]
    assert dict(assembler.counters) == {
        'missing_part_frame bin_lid': 2,
        'missing_part_frame trolley_link': 2,
    }


def test_a_link_is_missed_by_its_joint_alone() -> None:
    what = replace(trolleys(), parts=(*trolleys().parts, *scene().parts))
    what = replace(what, articulation=scene('cart').articulation)
    assembler = assembler_on(what, *CAMERA)
    push_joints(assembler, T0, slide=0.0)

    (frame,) = push_look(assembler, T0)

    assert frame.world_T_part == {}
    assert dict(assembler.counters) == {
        'missing_joint hinge': 1,
        'missing_part_frame bin_lid': 1,
        'missing_part_frame cart': 1,  # of the drawer, whose joint is known
        'missing_part_frame trolley_link': 1,
    }


def test_joints_that_jump_back_open_an_epoch_and_forget_where_they_were() -> None:
    assembler = assembler_on(scene(), *CAMERA)
    push_joints(assembler, T0 + 100 * S, hinge=1.0, slide=1.0)

    push_joints(assembler, T0, slide=0.0, hinge=0.0)
    assert assembler.epoch == 0  # another publisher, as far as one can tell
    push_joints(assembler, T0, hinge=0.0, slide=0.0)

    assert assembler.epoch == 1


def test_joint_states_without_a_stamp_are_counted() -> None:
    assembler = assembler_on(scene(), *CAMERA)

    push_joints(assembler, 0, hinge=0.0)

    assert dict(assembler.counters) == {'zero_stamp': 1}


def test_a_scene_without_joints_passes_joint_states_over() -> None:
    assembler = assembler_on(Scene(), *CAMERA)

    for stamp_ns in (T0 + 9 * S, T0, 0):
        assert push_joints(assembler, stamp_ns, hinge=0.0) == []

    assert (assembler.epoch, dict(assembler.counters)) == (0, {})


@pytest.mark.parametrize('release', ['complete', 'deadline'])
def test_frames_are_the_same_whenever_joint_states_come(release: str) -> None:
    from st_memory.conversions import ReleasePolicy

    def poses(joints_first: bool) -> list[float]:
        assembler = assembler_on(scene(), *CAMERA, release=ReleasePolicy(release))
        left: list[Any] = []
        for k in range(20):
            stamp_ns = T0 + k * S // 10
            steps = [
                lambda s=stamp_ns, k=k: push_joints(assembler, s + S // 20, hinge=k / 10, slide=k),
                lambda s=stamp_ns: push_look(assembler, s),
            ]
            for step in steps if joints_first else steps[::-1]:
                left += step()
        left += assembler.flush()
        return [
            f.world_T_part['drawer'].translation[0] for f in left if 'drawer' in f.world_T_part
        ]

    first = poses(True)
    assert len(first) == 19  # before the first report nothing is known
    assert first == poses(False)


class TestMeshes:
    """Parts that come as meshes."""

    def test_a_mesh_is_put_into_the_scene_and_into_every_later_one(self) -> None:
        assembler = assembler_on(scene(), mesh_parts=MESHES)
        assembler.push(SHELF, fake.mesh(TRIANGLE, [(0, 1, 2)]))
        both = assembler.scene
        corners = fake.marker('part', 11, '{"name": "wall"}', points=TRIANGLE)
        message = fake.tf()
        message.markers = [corners]
        assembler.push(SCENE, message)

        assert [(p.name, p.frame_id) for p in both.parts] == [
            ('door', 'door'),
            ('drawer', 'drawer'),
            ('shelf', ''),  # the fixed frame
        ]
        assert both.articulation is not None
        assert [f.fixture_id for f in both.fixtures] == ['cupboard']
        assert [p.name for p in assembler.scene.parts] == ['wall', 'shelf']

    def test_a_part_in_a_frame_is_placed_by_its_transform(self) -> None:
        assembler = assembler_on(Scene(), *CAMERA, mesh_parts=MESHES)
        bowl = TopicRole(TopicKind.MESH, part='bowl')
        assembler.push(bowl, fake.mesh(TRIANGLE, [(0, 1, 2)]))
        assembler.push(TF, fake.tf(fake.transform(T0, 'map', 'hand', (1.0, 2.0, 3.0))))

        (frame,) = push_look(assembler, T0)

        assert frame.world_T_part['hand'].translation.tolist() == [1.0, 2.0, 3.0]

    def test_dropped_faces_are_counted(self) -> None:
        assembler = assembler_on(Scene(), mesh_parts=MESHES)

        assembler.push(SHELF, fake.mesh(TRIANGLE, [(0, 1, 2), (0, 0, 1), (0, 1, 9)]))

        assert dict(assembler.counters) == {'mesh_face_bad_index': 1, 'mesh_face_degenerate': 1}

    def test_a_mesh_that_cannot_be_used_leaves_the_scene_as_it_was(self) -> None:
        assembler = assembler_on(Scene(), mesh_parts=MESHES)
        assembler.push(SHELF, fake.mesh(TRIANGLE, [(0, 1, 2)]))

        with pytest.raises(ConversionError, match='mesh of shelf'):
            assembler.push(SHELF, fake.mesh(TRIANGLE, []))

        assert len(assembler.scene.parts[0].triangles) == 1

    def test_a_mesh_that_nothing_is_said_of_is_refused(self) -> None:
        assembler = assembler_on(Scene(), mesh_parts=MESHES)

        with pytest.raises(
            ConversionError, match="mesh of 'lamp': expected an entry in mesh_parts"
        ):
            assembler.push(TopicRole(TopicKind.MESH, part='lamp'), fake.mesh(TRIANGLE, []))
