"""Poses at looks, movements told from poses, and gaps."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.records import MovementReport
from st_memory.datasets.pose_series import gaps_between, PoseSeries, RestWatch

MS = 1_000_000
STEP = 33 * MS


def at(x: float) -> RigidTransform:
    """Give a pose on the x axis."""
    return RigidTransform(np.array([x, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 1.0]))


def series(*stamps: int) -> PoseSeries:
    """Give poses whose x is their index."""
    return PoseSeries({stamp: at(i) for i, stamp in enumerate(stamps)})


def placed(poses: PoseSeries, looks: Sequence[int]) -> list[tuple[int, float]]:
    """Give stamp and x of what stands at the looks."""
    return [(stamp, pose.translation[0]) for stamp, pose in poses.at_looks(looks)]


@pytest.mark.parametrize(
    ('stamp_ns', 'expected'),
    [
        (10 * MS, 10 * MS),
        (9 * MS, 10 * MS),
        (9 * MS - 1, None),
        (11 * MS, 10 * MS),  # as near to the next one: the earlier
        (11 * MS + 1, 12 * MS),
        (13 * MS + 1, None),
    ],
)
def test_nearest_is_within_a_millisecond(stamp_ns: int, expected: int | None) -> None:
    found = series(10 * MS, 12 * MS).nearest(stamp_ns)

    assert (None if found is None else found[0]) == expected


def test_nearest_of_nothing_is_nothing() -> None:
    assert series().nearest(5) is None
    assert not series().covers(5)
    assert len(series()) == 0


def test_covers_both_ends() -> None:
    poses = series(5, 9)

    assert [poses.covers(s) for s in (4, 5, 7, 9, 10)] == [False, True, True, True, False]


def test_pose_moves_to_every_look_it_is_nearest_to() -> None:
    poses = series(100 * MS, 200 * MS)

    looks = [100 * MS - 90_000, 100 * MS + 700]

    assert placed(poses, looks) == [(looks[0], 0.0), (looks[1], 0.0), (200 * MS, 1.0)]


def test_pose_between_looks_keeps_its_stamp() -> None:
    assert placed(series(100 * MS), [98 * MS, 102 * MS]) == [(100 * MS, 0.0)]


def test_look_takes_the_nearer_of_two_poses_and_the_other_stays() -> None:
    poses = series(100 * MS, 100 * MS + 900_000)

    assert placed(poses, [100 * MS + 800_000]) == [(100 * MS, 0.0), (100 * MS + 800_000, 1.0)]


@given(
    stamps=st.sets(st.integers(1, 20 * MS), max_size=12),
    looks=st.sets(st.integers(1, 20 * MS), max_size=12),
)
def test_no_pose_is_lost_and_none_moves_far(stamps: set[int], looks: set[int]) -> None:
    ordered = sorted(stamps)

    out = placed(series(*ordered), sorted(looks))

    assert [s for s, _ in out] == sorted({s for s, _ in out})
    # A pose may give way only where a look took a nearer one at its very stamp.
    lost = set(range(len(ordered))) - {int(x) for _, x in out}
    assert all(ordered[i] in looks for i in lost)
    assert all(abs(ordered[int(x)] - s) <= MS for s, x in out)
    assert all(s in looks or s == ordered[int(x)] for s, x in out)


def watched(poses: Sequence[RigidTransform]) -> list[tuple[int, MovementReport]]:
    """Give the reports over poses that come every 33 ms, with the index at which they came."""
    watch = RestWatch('cup', 'cup')
    reports = [watch.step((i + 1) * STEP, pose) for i, pose in enumerate(poses)]
    return [(i, report) for i, report in enumerate(reports) if report is not None]


def test_noise_is_no_movement() -> None:
    rng = np.random.default_rng(3)

    assert watched([at(x) for x in rng.uniform(-0.002, 0.002, 200)]) == []


def test_movement_starts_at_the_last_stamp_at_rest() -> None:
    ((index, report),) = watched([at(0), at(0), at(0.02), at(0.04)])

    assert index == 2
    assert report == MovementReport('cup', 'cup', 2 * STEP)


def test_movement_ends_where_it_came_to_rest_once_it_has_rested_half_a_second() -> None:
    poses = [at(0), at(0.1), at(0.2), *[at(0.3)] * 20]

    (_, start), (index, end) = watched(poses)

    assert start.end_ns is None
    assert (end.start_ns, end.end_ns) == (STEP, 4 * STEP)  # at rest from the fourth pose on
    assert (index - 3) * STEP >= 500 * MS > (index - 4) * STEP


def test_turn_on_the_spot_is_a_movement() -> None:
    quat = np.array([0.0, 0.0, np.sin(0.05), np.cos(0.05)])  # 0.1 rad

    assert [i for i, _ in watched([at(0), RigidTransform(np.zeros(3), quat)])] == [1]


def test_slow_creep_is_a_movement_once_it_has_left_its_place() -> None:
    reports = watched([at(0.001 * i) for i in range(10)])

    assert [i for i, _ in reports] == [6]  # beyond 5 mm
    assert reports[0][1].start_ns == 6 * STEP


def test_second_movement_is_reported_too() -> None:
    rest = 20
    poses = [at(0), *[at(0.3)] * rest, *[at(0.6)] * rest]

    assert [r.end_ns is None for _, r in watched(poses)] == [True, False, True, False]


@given(st.lists(st.floats(-1, 1), max_size=60))
def test_starts_and_ends_alternate_and_never_go_back(places: list[float]) -> None:
    reports = [r for _, r in watched([at(x) for x in places])]

    assert [r.end_ns is None for r in reports] == [i % 2 == 0 for i in range(len(reports))]
    stamps = [r.start_ns if r.end_ns is None else r.end_ns for r in reports]
    assert stamps == sorted(stamps)


@pytest.mark.parametrize(
    ('stamps', 'expected'),
    [
        ([], ()),
        ([5], ()),
        ([0, 10, 20, 31], ()),
        ([0, 10, 20, 36, 46], ((20, 36),)),
        ([0, 10, 20, 35, 45], ()),  # exactly one and a half
    ],
)
def test_gaps_are_steps_of_more_than_one_and_a_half_usual_ones(
    stamps: list[int], expected: tuple[tuple[int, int], ...]
) -> None:
    assert gaps_between(stamps) == expected
