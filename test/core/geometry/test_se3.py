"""Rigid transforms: group axioms, conversions and interpolation."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from st_memory.core.geometry import RigidTransform
from test.core.geometry.strategies import ANGLE, axes, transforms, VECTOR

# Coordinates reach 300 m after two compositions: a few hundred ulp.
ATOL_M = 1e-10
ATOL = 1e-12
HALF_TURN_Z = np.array([0.0, 0.0, 1.0, 0.0])
QUARTER_TURN_Z = np.array([0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)])


def assert_same_pose(a: RigidTransform, b: RigidTransform) -> None:
    """Equal as motions, q and -q alike."""
    np.testing.assert_allclose(a.matrix, b.matrix, rtol=0, atol=ATOL_M)


def test_apply_quarter_turn_maps_x_to_y_and_shifts() -> None:
    """A hand-computed case: rotate first, then translate."""
    a_T_b = RigidTransform(np.array([1.0, 2.0, 3.0]), QUARTER_TURN_Z)

    np.testing.assert_allclose(a_T_b.apply([1.0, 0.0, 0.0]), [1.0, 3.0, 3.0], atol=ATOL)


def test_compose_inner_names_cancel() -> None:
    """``a_T_c = a_T_b @ b_T_c``: the right one acts first."""
    a_T_b = RigidTransform(np.array([1.0, 0.0, 0.0]), QUARTER_TURN_Z)
    b_T_c = RigidTransform(np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 1.0]))

    np.testing.assert_allclose((a_T_b @ b_T_c).translation, [1.0, 1.0, 0.0], atol=ATOL)


@given(a_T_b=transforms())
def test_inverse_cancels_from_both_sides(a_T_b: RigidTransform) -> None:
    """Group axiom: inverse."""
    identity = RigidTransform.identity()

    assert_same_pose(a_T_b @ a_T_b.inverse(), identity)
    assert_same_pose(a_T_b.inverse() @ a_T_b, identity)


@given(a_T_b=transforms())
def test_identity_changes_nothing(a_T_b: RigidTransform) -> None:
    """Group axiom: neutral element."""
    assert_same_pose(a_T_b @ RigidTransform.identity(), a_T_b)
    assert_same_pose(RigidTransform.identity() @ a_T_b, a_T_b)


@given(a_T_b=transforms(), b_T_c=transforms(), c_T_d=transforms())
def test_compose_is_associative(
    a_T_b: RigidTransform, b_T_c: RigidTransform, c_T_d: RigidTransform
) -> None:
    """Group axiom: brackets do not matter."""
    assert_same_pose((a_T_b @ b_T_c) @ c_T_d, a_T_b @ (b_T_c @ c_T_d))


@given(a_T_b=transforms(), b_T_c=transforms(), c_p=VECTOR)
def test_compose_equals_applying_in_turn(
    a_T_b: RigidTransform, b_T_c: RigidTransform, c_p: tuple[float, float, float]
) -> None:
    """Composition is composition of maps."""
    np.testing.assert_allclose(
        (a_T_b @ b_T_c).apply(c_p), a_T_b.apply(b_T_c.apply(c_p)), rtol=0, atol=ATOL_M
    )


@given(a_T_b=transforms())
def test_matrix_round_trips(a_T_b: RigidTransform) -> None:
    """From matrix and back, near half turns too."""
    assert_same_pose(RigidTransform.from_matrix(a_T_b.matrix), a_T_b)
    assert_same_pose(RigidTransform.from_matrix(a_T_b.matrix[:3]), a_T_b)


@given(a_T_b=transforms())
def test_rotation_agrees_with_scipy(a_T_b: RigidTransform) -> None:
    """Oracle: scipy's Rotation, scalar-last quaternions."""
    expected = Rotation.from_quat(a_T_b.quat_xyzw).as_matrix()

    np.testing.assert_allclose(a_T_b.rotation, expected, rtol=0, atol=ATOL)


@given(a_T_b=transforms())
def test_opposite_quaternion_is_the_same_rotation(a_T_b: RigidTransform) -> None:
    """Q and -q give one matrix and no distance, and are different records."""
    other = RigidTransform(a_T_b.translation, -a_T_b.quat_xyzw)

    np.testing.assert_array_equal(other.matrix, a_T_b.matrix)
    assert other.distance_to(a_T_b) == (0.0, 0.0)
    assert other != a_T_b


@given(a_T_b=transforms())
def test_numbers_survive_a_round_trip_to_the_last_bit(a_T_b: RigidTransform) -> None:
    """Storing and loading a pose does not normalise it a second time."""
    again = RigidTransform(a_T_b.translation.copy(), a_T_b.quat_xyzw.copy())

    assert again == a_T_b
    assert hash(again) == hash(a_T_b)
    assert again.quat_xyzw.tobytes() == a_T_b.quat_xyzw.tobytes()


def test_equality_with_something_else_is_false() -> None:
    """No error, just not equal."""
    assert RigidTransform.identity() != 'identity'


@given(quat=st.tuples(*[st.floats(-0.5003, 0.5003)] * 4).map(np.array))
def test_nearly_unit_quaternion_is_normalised_once(quat: np.ndarray) -> None:
    """Lengths within 1e-3 of one are accepted and stay fixed afterwards."""
    if abs(np.linalg.norm(quat) - 1) > 9e-4:
        quat = np.array([0.5, -0.5, 0.5, 0.5003])

    first = RigidTransform(np.zeros(3), quat)

    assert np.linalg.norm(first.quat_xyzw) == pytest.approx(1.0, abs=1e-15)
    assert RigidTransform(np.zeros(3), first.quat_xyzw) == first


def test_apply_to_many_equals_apply_to_each_to_the_last_bit() -> None:
    """A point maps to the same bits alone and in a batch, whatever the batch's shape."""
    rng = np.random.default_rng(0)
    a_T_b = RigidTransform(rng.normal(size=3), QUARTER_TURN_Z)
    b_p = rng.normal(size=(4, 5, 3))

    together = a_T_b.apply(b_p)

    assert together.shape == (4, 5, 3)
    np.testing.assert_array_equal(together[2, 3], a_T_b.apply(b_p[2, 3]))


@given(a_T_b=transforms(), axis=axes(), angle=ANGLE, shift=VECTOR)
def test_distance_is_length_and_angle(
    a_T_b: RigidTransform, axis: np.ndarray, angle: float, shift: tuple[float, float, float]
) -> None:
    """A known motion away is that far away, to the last digits of a tiny angle."""
    b_T_c = RigidTransform(np.array(shift), Rotation.from_rotvec(axis * angle).as_quat())

    metres, radians = a_T_b.distance_to(a_T_b @ b_T_c)

    assert metres == pytest.approx(float(np.linalg.norm(shift)), abs=ATOL_M)
    assert radians == pytest.approx(abs(angle), abs=5e-15)


@given(a=transforms(), b=transforms(), fraction=st.floats(0.0, 1.0))
def test_interpolate_agrees_with_scipy_slerp(
    a: RigidTransform, b: RigidTransform, fraction: float
) -> None:
    """Oracle: scipy's Slerp; half-turn pairs have no shorter way, so they are left out."""
    if a.distance_to(b)[1] > np.pi - 1e-3:
        return

    got = a.interpolate(b, fraction)

    slerp = Slerp([0.0, 1.0], Rotation.from_quat([a.quat_xyzw, b.quat_xyzw]))
    np.testing.assert_allclose(got.rotation, slerp(fraction).as_matrix(), rtol=0, atol=1e-11)
    np.testing.assert_allclose(
        got.translation, (1 - fraction) * a.translation + fraction * b.translation, atol=ATOL_M
    )


@given(a=transforms(), b=transforms())
def test_interpolate_ends_are_the_two_poses(a: RigidTransform, b: RigidTransform) -> None:
    """Fraction 0 and 1."""
    assert_same_pose(a.interpolate(b, 0.0), a)
    assert_same_pose(a.interpolate(b, 1.0), b)


def test_interpolate_takes_the_shorter_way() -> None:
    """From 0 to 90 degrees given as -q, the middle is 45 degrees, not 225."""
    start = RigidTransform.identity()
    end = RigidTransform(np.zeros(3), -QUARTER_TURN_Z)

    assert start.distance_to(start.interpolate(end, 0.5))[1] == pytest.approx(np.pi / 4, abs=ATOL)


@pytest.mark.parametrize('fraction', [-1e-9, 1.0 + 1e-9, float('nan')])
def test_interpolate_outside_raises(fraction: float) -> None:
    """Poses are never extrapolated."""
    pose = RigidTransform.identity()

    with pytest.raises(ValueError, match='expected 0 <= fraction <= 1'):
        pose.interpolate(pose, fraction)


def test_arrays_are_copied_and_read_only() -> None:
    """A pose cannot change after the fact, neither through it nor through its source."""
    translation = np.zeros(3)
    pose = RigidTransform(translation, HALF_TURN_Z)

    translation[0] = 9.0

    assert pose.translation[0] == 0.0
    with pytest.raises(ValueError, match='read-only'):
        pose.translation[0] = 1.0


@pytest.mark.parametrize(
    ('translation', 'quat', 'message'),
    [
        ([0.0, 0.0], HALF_TURN_Z, r'translation: expected shape \(3,\), got \(2,\)'),
        ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], r'quat_xyzw: expected shape \(4,\), got \(3,\)'),
        ([0.0, 0.0, np.inf], HALF_TURN_Z, 'translation: expected finite values'),
        ([0.0, 0.0, np.nan], HALF_TURN_Z, 'translation: expected finite values'),
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], 'quat_xyzw: expected unit length, got 0'),
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.002], 'quat_xyzw: expected unit length, got 1.002'),
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0, np.nan], 'quat_xyzw: expected unit length, got nan'),
    ],
)
def test_bad_input_is_refused(translation: Any, quat: Any, message: str) -> None:
    """Validation happens once, in the constructor."""
    with pytest.raises(ValueError, match=message):
        RigidTransform(translation, quat)


@pytest.mark.parametrize(
    ('matrix', 'message'),
    [
        (np.eye(3), r'expected shape \(4, 4\) or \(3, 4\), got \(3, 3\)'),
        (np.diag([1.0, 1.0, 1.1, 1.0]), 'expected a rotation block, got one off by 0.21'),
        (np.diag([1.0, 1.0, -1.0, 1.0]), 'expected a rotation block'),
        (np.full((4, 4), np.nan), 'expected a rotation block'),
        (np.diag([1.0, 1.0, 1.0, 2.0]), r'expected last row 0, 0, 0, 1, got \[0.0, 0.0, 0.0, 2'),
    ],
)
def test_from_matrix_refuses_what_is_not_a_pose(matrix: np.ndarray, message: str) -> None:
    """Scaled, mirrored and projective matrices are errors, not rounded poses."""
    with pytest.raises(ValueError, match=message):
        RigidTransform.from_matrix(matrix)


def test_apply_wrong_shape_raises() -> None:
    """The last axis is x, y, z."""
    with pytest.raises(ValueError, match=r'points: expected shape \(..., 3\), got \(3, 2\)'):
        RigidTransform.identity().apply(np.zeros((3, 2)))
