"""Joint positions over time."""

from __future__ import annotations

import math
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.conversions.joint_states import JointTracks
from st_memory.core.geometry import Joint, JointKind, JointTree, RigidTransform
from test.conversions import fake_messages as fake

S = 1_000_000_000
HERE = RigidTransform.identity()
TREE = JointTree(
    [
        Joint('hinge', JointKind.REVOLUTE, 'world', 'door', HERE),
        Joint('wheel', JointKind.CONTINUOUS, 'world', 'wheel', HERE),
        Joint('weld', JointKind.FIXED, 'world', 'lamp', HERE),
    ]
)


def tracks(hold_ns: int = S, max_age_ns: int = 60 * S) -> JointTracks:
    return JointTracks(TREE, hold_ns, max_age_ns)


def add(into: JointTracks, stamp_ns: int, **positions: float) -> None:
    assert not into.add(stamp_ns, fake.joint_states(stamp_ns, **positions))


def test_positions_are_interpolated_between_samples_and_held_after_the_last() -> None:
    got = tracks()
    add(got, 10 * S, hinge=1.0)
    add(got, 20 * S, hinge=2.0)

    assert got.at(10 * S) == {'hinge': 1.0}
    assert got.at(12 * S) == pytest.approx({'hinge': 1.2})
    assert got.at(21 * S) == {'hinge': 2.0}
    assert got.at(21 * S + 1) == {}
    assert got.at(10 * S - 1) == {}


def test_a_wheel_turns_the_short_way_across_its_seam_and_a_hinge_does_not() -> None:
    got = tracks()
    add(got, 0 + S, wheel=3.0, hinge=3.0)
    add(got, 2 * S, wheel=-3.0, hinge=-3.0)

    between = got.at(S + S // 2)

    assert between['hinge'] == 0.0
    assert math.remainder(between['wheel'] - math.pi, 2 * math.pi) == pytest.approx(0.0)


def test_joints_of_other_trees_and_fixed_ones_are_passed_over() -> None:
    got = tracks()
    add(got, S, elbow=1.0, weld=1.0, hinge=0.5)

    assert got.at(S) == {'hinge': 0.5}


@given(st.permutations(range(8)))
def test_the_order_of_arrival_does_not_matter(order: list[int]) -> None:
    got = tracks()
    for i in order:
        add(got, (i + 1) * S, hinge=float(i * i))

    assert [got.at((i + 1) * S)['hinge'] for i in range(8)] == [i * i for i in range(8)]


def test_a_sample_of_the_same_stamp_replaces() -> None:
    got = tracks()
    add(got, S, hinge=1.0)
    add(got, S, hinge=2.0)

    assert got.at(S) == {'hinge': 2.0}


def test_old_samples_are_forgotten_but_the_last_before() -> None:
    got = tracks(max_age_ns=5 * S)
    for i in range(1, 21):
        add(got, i * S, hinge=float(i))

    assert got.at(14 * S) == {}
    assert got.at(15 * S) == {'hinge': 15.0}
    assert got.at(20 * S) == {'hinge': 20.0}


def test_a_late_sample_that_is_too_old_changes_nothing() -> None:
    got = tracks(max_age_ns=5 * S)
    add(got, 20 * S, hinge=1.0)
    add(got, 2 * S, hinge=9.0)
    add(got, 3 * S, hinge=8.0)

    assert got.at(2 * S) == {}
    assert got.at(20 * S) == {'hinge': 1.0}


def test_what_is_no_position_is_left_out_and_counted() -> None:
    got = tracks()
    uneven = SimpleNamespace(name=['hinge', 'wheel'], position=[1.0])

    assert got.add(S, uneven) == {'joint_states_uneven': 1}
    assert got.add(S, fake.joint_states(S, hinge=math.nan, wheel=1.0)) == {
        'joint_position_not_finite': 1
    }
    assert got.add(S, SimpleNamespace(name=['hinge'], position=np.zeros(0))) == {}
    assert got.at(S) == {'wheel': 1.0}


def test_a_joint_that_was_reported_shortly_before_may_be_reported_again() -> None:
    got = tracks()
    assert not got.may_come(S, S)
    add(got, 10 * S, hinge=1.0)

    assert not got.may_come(10 * S, S)
    assert got.may_come(11 * S, S)
    assert not got.may_come(11 * S + 1, S)


def test_clear_forgets_everything() -> None:
    got = tracks()
    add(got, S, hinge=1.0)

    got.clear()

    assert got.at(S) == {}
