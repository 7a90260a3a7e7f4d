"""Joint trees: hand-computed poses, unknown joints, mimics, and trees that are none."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.geometry import Joint, JointKind, JointTree, Mimic, RigidTransform
from st_memory.core.records import Articulation

REVOLUTE, PRISMATIC, FIXED = JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.FIXED
HALF = math.sqrt(0.5)


def at(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> RigidTransform:
    return RigidTransform(np.array([x, y, z]), np.array([0.0, 0.0, 0.0, 1.0]))


def joint(
    name: str,
    parent: str,
    child: str,
    kind: JointKind = REVOLUTE,
    *,
    origin: RigidTransform | None = None,
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0),
    limits: tuple[float, float] | None = None,
    mimic: Mimic | None = None,
) -> Joint:
    return Joint(name, kind, parent, child, origin or at(), axis, limits, mimic)


def cupboard() -> JointTree:
    """Give a cupboard 1 m along x whose door carries a shelf that slides out."""
    return JointTree(
        [
            joint('slide', 'door', 'shelf', PRISMATIC, axis=(2.0, 0.0, 0.0)),
            joint('mount', 'world', 'cupboard', FIXED, origin=at(1.0)),
            joint('hinge', 'cupboard', 'door', origin=at(0.0, 0.5)),
        ]
    )


def test_tree_lists_parents_before_children() -> None:
    tree = cupboard()

    assert tree.root == 'world'
    assert [j.name for j in tree.joints] == ['mount', 'hinge', 'slide']
    assert tree.movable_links == {'door', 'shelf'}
    assert [j.name for j in tree.joints_above('shelf')] == ['hinge', 'slide']
    assert tree.joints_above('cupboard') == ()


def test_poses_are_those_computed_by_hand() -> None:
    # The hinge at (1, 0.5) turns x to y; the shelf then slides 0.3 m along y. The length of
    # the axis does not count.
    poses = cupboard().poses({'hinge': math.pi / 2, 'slide': 0.3, 'elbow': 1.0})

    np.testing.assert_allclose(poses['cupboard'].translation, [1.0, 0.0, 0.0])
    np.testing.assert_allclose(poses['door'].translation, [1.0, 0.5, 0.0])
    np.testing.assert_allclose(poses['door'].quat_xyzw, [0.0, 0.0, HALF, HALF], atol=1e-15)
    np.testing.assert_allclose(poses['shelf'].translation, [1.0, 0.8, 0.0], atol=1e-15)


def test_poses_leave_out_what_hangs_on_an_unknown_joint() -> None:
    assert set(cupboard().poses({})) == {'world', 'cupboard'}
    assert set(cupboard().poses({'hinge': 0.0})) == {'world', 'cupboard', 'door'}
    assert set(cupboard().poses({'slide': 0.0})) == {'world', 'cupboard'}


@pytest.mark.parametrize('kind', [JointKind.FLOATING, JointKind.PLANAR])
def test_poses_leave_out_what_hangs_on_a_joint_of_several_numbers(kind: JointKind) -> None:
    tree = JointTree([joint('loose', 'a', 'b', kind), joint('hinge', 'b', 'c')])

    assert set(tree.poses({'loose': 0.0, 'hinge': 0.0})) == {'a'}
    assert tree.movable_links == {'b', 'c'}
    assert tree.rest_positions() == {'hinge': 0.0}


def test_a_mimic_joint_follows_unless_its_own_position_is_known() -> None:
    tree = JointTree(
        [
            joint('left', 'a', 'b', PRISMATIC, axis=(1.0, 0.0, 0.0)),
            joint(
                'right', 'a', 'c', PRISMATIC, axis=(1.0, 0.0, 0.0), mimic=Mimic('left', -2, 0.5)
            ),
            joint('third', 'a', 'd', PRISMATIC, axis=(1.0, 0.0, 0.0), mimic=Mimic('right')),
        ]
    )

    following = tree.poses({'left': 0.1})
    measured = tree.poses({'left': 0.1, 'right': 0.7})

    assert following['c'].translation[0] == pytest.approx(0.3)  # -2 * 0.1 + 0.5
    assert following['d'].translation[0] == pytest.approx(0.3)
    assert measured['c'].translation[0] == pytest.approx(0.7)
    assert set(tree.poses({})) == {'a'}


@pytest.mark.parametrize(
    ('limits', 'rest'), [(None, 0.0), ((-1.0, 1.0), 0.0), ((0.5, 1.0), 0.5), ((-2.0, -1.0), -1.0)]
)
def test_rest_is_zero_within_the_limits(limits: tuple[float, float] | None, rest: float) -> None:
    tree = JointTree([joint('hinge', 'a', 'b', limits=limits)])

    assert tree.rest_positions() == {'hinge': rest}


@given(st.floats(-10, 10), st.floats(-10, 10))
def test_turning_there_and_back_is_no_turn(first: float, second: float) -> None:
    hinge = joint('hinge', 'a', 'b', axis=(1.0, 2.0, -0.5))

    there = hinge.parent_T_child(first) @ hinge.parent_T_child(second)

    distance_m, angle_rad = there.distance_to(hinge.parent_T_child(first + second))
    assert distance_m == 0.0
    assert angle_rad < 1e-9


def test_a_tree_of_one_link_has_its_root_alone() -> None:
    tree = JointTree([], ['table'])

    assert tree.root == 'table'
    assert set(tree.poses({})) == {'table'}


@pytest.mark.parametrize(
    ('joints', 'links', 'named'),
    [
        ([], [], 'expected at least one link'),
        ([joint('h', 'a', 'b')], ['c'], 'expected one root link, got 2: c, a'),
        ([joint('h', 'a', 'b'), joint('h', 'b', 'c')], [], 'joint h: .* got it twice'),
        ([joint('h', 'a', 'c'), joint('g', 'b', 'c')], [], r'link c: .* a \(joint h\) and b'),
        ([joint('h', 'a', 'b'), joint('g', 'b', 'a')], [], 'joints in a loop through a'),
        ([joint('h', 'a', 'b'), joint('g', 'b', 'a')], ['r'], 'link a: .* in a loop'),
        ([joint('h', 'a', 'a')], ['r'], 'link a: .* in a loop'),
        ([joint('h', 'a', 'b', mimic=Mimic('x'))], [], 'joint h: mimics x, which does not'),
        ([joint('h', 'a', 'b', mimic=Mimic('h'))], [], 'joint h: mimics itself through h'),
    ],
)
def test_what_is_no_tree_is_refused(joints: list[Joint], links: list[str], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        JointTree(joints, links)


@pytest.mark.parametrize('axis', [(0.0, 0.0, 0.0), (math.nan, 0.0, 1.0), (math.inf, 0.0, 0.0)])
def test_an_axis_that_is_none_is_refused(axis: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match='joint h: expected an axis'):
        joint('h', 'a', 'b', axis=axis)

    assert joint('h', 'a', 'b', FIXED, axis=axis).parent_T_child(3.0) == at()


def test_articulation_places_the_movable_links_in_the_frame_of_its_root() -> None:
    placed = Articulation(cupboard(), 'base', at(0.0, 0.0, 5.0))

    poses = placed.frame_poses({'hinge': 0.0})

    assert set(poses) == {'door'}
    np.testing.assert_allclose(poses['door'].translation, [1.0, 0.5, 5.0])


def test_articulation_names_the_joints_that_are_missing() -> None:
    tree = JointTree(
        [
            joint('hinge', 'a', 'b'),
            joint('loose', 'b', 'c', JointKind.FLOATING),
            joint('slide', 'c', 'd', mimic=Mimic('hinge')),
        ]
    )
    placed = Articulation(tree)

    assert placed.missing_joints('d', {}) == ('hinge', 'loose', 'slide')
    assert placed.missing_joints('d', {'hinge': 0.0}) == ('loose',)
    assert placed.missing_joints('b', {'hinge': 0.0}) == ()


def test_articulation_at_rest_is_in_the_fixed_frame_or_unknown() -> None:
    rest = Articulation(cupboard(), '', at(0.0, 0.0, 5.0)).rest_poses()

    assert set(rest) == {'door', 'shelf'}
    np.testing.assert_allclose(rest['shelf'].translation, [1.0, 0.5, 5.0])
    assert Articulation(cupboard(), 'base').rest_poses() == {}
