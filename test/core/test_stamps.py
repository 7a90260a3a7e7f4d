"""Stamps, moments and intervals."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from st_memory.core.stamps import (
    Interval,
    Moment,
    seconds_from_stamp,
    stamp_from_sec_nanosec,
    stamp_from_seconds,
    stamp_to_sec_nanosec,
)

INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)


def test_stamp_from_sec_nanosec_joins_both_parts() -> None:
    """Whole seconds count 1e9 each."""
    assert stamp_from_sec_nanosec(1_700_000_000, 5) == 1_700_000_000_000_000_005


@pytest.mark.parametrize('nanosec', [-1, 1_000_000_000])
def test_stamp_from_sec_nanosec_out_of_range_raises(nanosec: int) -> None:
    """A nanosecond field that is not below one second is an error, not a carry."""
    with pytest.raises(ValueError, match=f'expected 0 <= nanosec < 1e9, got {nanosec}'):
        stamp_from_sec_nanosec(1, nanosec)


@given(sec=INT32, nanosec=st.integers(0, 999_999_999))
def test_sec_nanosec_round_trips(sec: int, nanosec: int) -> None:
    """Splitting gives back the parts, for negative stamps too."""
    assert stamp_to_sec_nanosec(stamp_from_sec_nanosec(sec, nanosec)) == (sec, nanosec)


def test_stamp_to_sec_nanosec_before_zero_rounds_down() -> None:
    """The nanosecond field is never negative."""
    assert stamp_to_sec_nanosec(-1) == (-1, 999_999_999)


@pytest.mark.parametrize(
    ('seconds', 'expected'),
    [(0.0, 0), (1.5, 1_500_000_000), (-0.25, -250_000_000), (2e-9, 2), (0.9999999999, 10**9)],
)
def test_stamp_from_seconds_rounds_to_nearest(seconds: float, expected: int) -> None:
    """Nearest nanosecond; a carry into the next second is kept."""
    assert stamp_from_seconds(seconds) == expected


def test_stamp_from_seconds_large_keeps_the_precision_of_the_float() -> None:
    """Whole seconds are split off first, so that no digit is lost by the multiplication."""
    assert stamp_from_seconds(1_700_000_000.5) == 1_700_000_000_500_000_000


@given(stamp_ns=st.integers(-(10**15), 10**15))
def test_seconds_from_stamp_round_trips_within_eleven_days(stamp_ns: int) -> None:
    """A float64 holds nanoseconds of a million seconds."""
    assert stamp_from_seconds(seconds_from_stamp(stamp_ns)) == stamp_ns


@given(a=st.tuples(st.integers(0, 5), INT64), b=st.tuples(st.integers(0, 5), INT64))
def test_moment_orders_by_epoch_first(a: tuple[int, int], b: tuple[int, int]) -> None:
    """A later epoch is later whatever its stamp."""
    assert (Moment(*a) < Moment(*b)) is (a < b)


def test_interval_contains_its_start_and_not_its_end() -> None:
    """Half-open."""
    interval = Interval(10, 20)

    assert [interval.contains(t) for t in (9, 10, 19, 20)] == [False, True, True, False]
    assert interval.duration_ns == 10


def test_interval_reversed_raises() -> None:
    """The end cannot precede the start."""
    with pytest.raises(ValueError, match=r'expected start_ns <= end_ns, got \[2, 1\)'):
        Interval(2, 1)


def test_interval_empty_contains_nothing() -> None:
    """An interval of no length is allowed and holds no stamp."""
    assert not Interval(5, 5).contains(5)


@pytest.mark.parametrize(
    ('other', 'expected'),
    [((0, 10), False), ((0, 11), True), ((19, 30), True), ((20, 30), False), ((12, 13), True)],
)
def test_interval_overlap_needs_shared_time(other: tuple[int, int], expected: bool) -> None:
    """Touching intervals share none; the relation is symmetric."""
    a, b = Interval(10, 20), Interval(*other)

    assert a.overlaps(b) is expected
    assert b.overlaps(a) is expected


@pytest.mark.parametrize(
    ('stamp_ns', 'expected'),
    [
        (0, 'epoch 2, 0.000 s'),
        (12_345_000_000, 'epoch 2, 12.345 s'),
        (12_000_000_001, 'epoch 2, 12.000000001 s'),
        (-1_500_000_000, 'epoch 2, -1.500 s'),
        (10**18 - 1, 'epoch 2, 999999999.999999999 s'),
        (10**18, 'epoch 2, 2001-09-09 01:46:40.000 UTC'),
        (2**63 - 1, 'epoch 2, 2262-04-11 23:47:16.854775807 UTC'),
    ],
)
def test_moment_is_told_as_people_read_it(stamp_ns: int, expected: str) -> None:
    """A clock that counts from its own start has seconds, another one dates; all digits stay."""
    assert str(Moment(2, stamp_ns)) == expected
