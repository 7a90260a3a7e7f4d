"""Tests of epochs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from st_memory.conversions.stream_clock import Admission, StreamClock

S = 1_000_000_000


def clock_at_ten_seconds() -> StreamClock:
    """Give a clock on which streams a and b stand at 10 s."""
    clock = StreamClock(S // 2)
    clock.admit('a', 10 * S)
    clock.admit('b', 10 * S)
    return clock


def test_admit_first_stamp_of_a_stream() -> None:
    assert StreamClock(S).admit('a', 5) is Admission.ADMIT


def test_admit_a_little_back_is_no_jump() -> None:
    assert clock_at_ten_seconds().admit('a', 10 * S - S // 2) is Admission.ADMIT


def test_admit_a_little_back_keeps_the_newest() -> None:
    clock = clock_at_ten_seconds()
    clock.admit('a', 10 * S - 5)

    assert clock.newest_ns('a') == 10 * S


def test_admit_far_back_opens_an_epoch() -> None:
    clock = clock_at_ten_seconds()

    assert clock.admit('a', 10 * S - S // 2 - 1) is Admission.NEW_EPOCH
    assert clock.newest_ns('a') == 10 * S - S // 2 - 1
    assert clock.newest_ns('b') is None


def test_admit_other_stream_far_behind_is_no_jump() -> None:
    assert clock_at_ten_seconds().admit('c', S) is Admission.ADMIT


def test_admit_second_stream_of_the_jump_does_not_open_another_epoch() -> None:
    clock = clock_at_ten_seconds()
    clock.admit('a', S)

    assert clock.admit('b', S) is Admission.ADMIT


def test_admit_stream_that_still_goes_on_is_a_leftover() -> None:
    clock = clock_at_ten_seconds()
    clock.admit('a', S)

    assert clock.admit('b', 10 * S + 5) is Admission.LEFTOVER
    assert clock.newest_ns('b') is None
    assert clock.admit('b', S + 5) is Admission.ADMIT


def test_admit_rare_stream_later_in_the_new_epoch_is_no_leftover() -> None:
    clock = clock_at_ten_seconds()
    clock.admit('a', S)
    clock.admit('a', 5 * S)

    assert clock.admit('b', 10 * S) is Admission.ADMIT


def test_admit_new_stream_ahead_is_no_leftover() -> None:
    clock = clock_at_ten_seconds()
    clock.admit('a', S)

    assert clock.admit('c', 20 * S) is Admission.ADMIT


def test_admit_second_jump_opens_a_second_epoch() -> None:
    clock = clock_at_ten_seconds()
    clock.admit('a', S)
    clock.admit('a', 10 * S)

    assert clock.admit('a', S) is Admission.NEW_EPOCH


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=30), st.integers(1, 10**12))
def test_admit_shifted_stamps_are_judged_the_same(stamps: list[int], shift: int) -> None:
    first, second = StreamClock(1000), StreamClock(1000)

    assert [first.admit('a', s) for s in stamps] == [second.admit('a', s + shift) for s in stamps]
