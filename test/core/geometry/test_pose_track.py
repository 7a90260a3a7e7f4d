"""Poses over time: order, replacement, interpolation, pruning."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.geometry.pose_track import PoseTrack
from test.core.geometry.tracks import at_x


def track_of(*stamps: int, max_age_ns: int | None = None) -> PoseTrack:
    """Build a track whose x is its stamp."""
    track = PoseTrack(max_age_ns)
    for stamp in stamps:
        track.insert(stamp, at_x(float(stamp)))
    return track


def test_sample_comes_back_to_the_last_bit() -> None:
    """At its own stamp a pose is not interpolated."""
    pose = RigidTransform(np.array([0.1, 0.2, 0.3]), np.array([0.1, 0.7, 0.1, 0.7]) / 1.0)
    track = track_of(0, 100)

    track.insert(50, pose)

    assert track.at(50) == pose


def test_between_samples_translation_is_linear() -> None:
    """A quarter of the way."""
    assert track_of(0, 100).at(25).translation[0] == 25.0


def test_stamps_of_today_keep_their_nanoseconds() -> None:
    """Stamps of 2026 are beyond what float64 can count; their differences are not."""
    start = 1_780_000_000_000_000_001
    track = PoseTrack()
    track.insert(start, at_x(0.0))
    track.insert(start + 3, at_x(3.0))

    assert track.at(start + 1).translation[0] == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize('stamp_ns', [9, 21])
def test_outside_the_samples_raises(stamp_ns: int) -> None:
    """Nothing is extrapolated, not by one nanosecond."""
    with pytest.raises(ValueError, match=f'within the samples, got {stamp_ns}'):
        track_of(10, 20).at(stamp_ns)


def test_empty_track_raises() -> None:
    """No sample, no pose."""
    with pytest.raises(ValueError, match='within the samples'):
        PoseTrack().at(0)


def test_same_stamp_replaces() -> None:
    """A repeat does not add a sample."""
    track = track_of(0, 10, 20)

    track.insert(10, at_x(-5.0))
    track.insert(20, at_x(-6.0))

    assert len(track) == 3
    assert (track.at(10).translation[0], track.at(20).translation[0]) == (-5.0, -6.0)


@given(stamps=st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=300))
def test_any_order_of_samples_gives_the_same_track(stamps: list[int]) -> None:
    """Late samples are put in their place, repeats replace, arrays grow."""
    shuffled, ordered = track_of(*stamps), track_of(*sorted(set(stamps)))

    assert len(shuffled) == len(ordered) == len(set(stamps))
    assert (shuffled.oldest_ns, shuffled.newest_ns) == (min(stamps), max(stamps))
    for stamp in stamps:
        assert shuffled.at(stamp) == ordered.at(stamp) == at_x(float(stamp))


def test_pruning_keeps_what_is_young_enough() -> None:
    """A sample of exactly the maximum age stays."""
    track = track_of(0, 10, 20, 30, max_age_ns=20)

    assert (len(track), track.oldest_ns) == (3, 10)


def test_pruning_drops_a_late_sample_that_is_too_old() -> None:
    """It would only have been pruned by the next one."""
    track = track_of(100, 79, 80, max_age_ns=20)

    assert (len(track), track.oldest_ns) == (2, 80)


def test_pruning_after_a_long_gap_keeps_the_newest() -> None:
    """A track is never empty again once it had a sample."""
    track = track_of(0, 1, 2, 10_000, max_age_ns=5)

    assert (len(track), track.oldest_ns) == (1, 10_000)


@pytest.mark.parametrize('max_age_ns', [0, 1, 60, 500, 5000])
def test_pruned_track_equals_the_tail_of_a_full_one(max_age_ns: int) -> None:
    """Packing the arrays in place moves no pose."""
    stamps = np.cumsum(np.random.default_rng(0).integers(1, 50, size=400)).tolist()
    # Every third sample comes late by two.
    order = [stamps[i - 2] if i % 3 == 2 else stamps[i] for i in range(len(stamps))]
    pruned, full = track_of(*order, max_age_ns=max_age_ns), track_of(*order)
    tail = [t for t in set(order) if t >= full.newest_ns - max_age_ns]

    assert pruned.newest_ns == full.newest_ns
    assert pruned.oldest_ns == min(tail)
    for stamp in range(pruned.oldest_ns, pruned.newest_ns + 1, 37):
        assert pruned.at(stamp) == full.at(stamp)


def test_pruned_track_does_not_grow() -> None:
    """Memory is bounded by the age limit, not by the length of the run."""
    track = track_of(*range(20_000), max_age_ns=100)

    assert len(track) == 101
    assert track._stamps.shape[0] <= 4 * 101


@pytest.mark.parametrize(
    ('stamp_ns', 'gap_ns'), [(0, 0), (1, 10), (10, 0), (11, 90), (99, 90), (100, 0)]
)
def test_gap_around_is_the_distance_of_the_neighbours(stamp_ns: int, gap_ns: int) -> None:
    """None where there is a sample."""
    assert track_of(0, 10, 100).gap_around(stamp_ns) == gap_ns


def poses_of(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw translations and quaternions, some of them a little off unit length."""
    rng = np.random.default_rng(seed)
    quats = rng.normal(size=(count, 4))
    quats /= np.sqrt((quats * quats).sum(axis=1, keepdims=True))
    quats[::3] *= 1.0 + 5e-4
    return rng.normal(size=(count, 3)), quats


@given(
    first=st.integers(0, 70),
    count=st.integers(0, 200),
    max_age_ns=st.sampled_from([None, 0, 35, 10_000]),
)
def test_extend_equals_single_inserts(first: int, count: int, max_age_ns: int | None) -> None:
    """To the last bit, whatever was there before and is forgotten after."""
    moves, quats = poses_of(first + count)
    at_once, one_by_one = PoseTrack(max_age_ns), PoseTrack(max_age_ns)
    for i in range(first + count):
        pose = RigidTransform(moves[i], quats[i])
        one_by_one.insert(10 * i, pose)
        if i < first:
            at_once.insert(10 * i, pose)

    at_once.extend(10 * np.arange(first, first + count), moves[first:], quats[first:])

    assert len(at_once) == len(one_by_one)
    if len(at_once):
        assert (at_once.oldest_ns, at_once.newest_ns) == (
            one_by_one.oldest_ns,
            one_by_one.newest_ns,
        )
        for stamp_ns in range(at_once.oldest_ns, at_once.newest_ns + 1, 7):
            assert at_once.at(stamp_ns) == one_by_one.at(stamp_ns)


@pytest.mark.parametrize(
    ('stamps', 'moves', 'quats', 'message'),
    [
        ([1, 2], np.zeros((3, 3)), np.eye(4)[:2], r'expected \(N, 3\) for \(N,\) stamps, got'),
        ([[1], [2]], np.zeros((2, 3)), np.eye(4)[:2], r'for \(2, 1\)'),
        ([1, 2], np.full((2, 3), np.inf), np.eye(4)[:2], 'translations: expected finite values'),
        ([1, 2], np.zeros((2, 3)), np.eye(4)[:3], r'expected shape \(2, 4\), got \(3, 4\)'),
        ([1, 2], np.zeros((2, 3)), 2 * np.eye(4)[:2], 'expected unit length, got 2'),
        ([1, 2], np.zeros((2, 3)), np.full((2, 4), np.nan), 'expected unit length, got nan'),
        ([2, 2], np.zeros((2, 3)), np.eye(4)[:2], 'stamps that increase, after those there are'),
        ([0, 2], np.zeros((2, 3)), np.eye(4)[:2], 'stamps that increase, after those there are'),
    ],
)
def test_extend_refuses_what_is_no_track_and_appends_nothing(
    stamps: list[int], moves: np.ndarray, quats: np.ndarray, message: str
) -> None:
    """The track ends at 0."""
    track = track_of(0)

    with pytest.raises(ValueError, match=message):
        track.extend(stamps, moves, quats)

    assert (len(track), track.newest_ns) == (1, 0)
