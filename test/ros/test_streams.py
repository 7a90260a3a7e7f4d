"""Messages as numbers: rates, silence, gaps and drift."""

from __future__ import annotations

import pytest

from st_memory.ros.streams import best_gap_ns, Stream

S = 1_000_000_000
MS = 1_000_000


def stream(rate_hz: float, count: int, *, late_ns: int = 0, first_ns: int = 100 * S) -> Stream:
    made = Stream()
    for i in range(count):
        made.note(i / rate_hz, first_ns + round(i * S / rate_hz), late_ns)
    return made


@pytest.mark.parametrize('rate_hz', [0.5, 30.0, 200.0])
def test_rate_is_that_of_the_arrivals(rate_hz: float) -> None:
    made = stream(rate_hz, 100)

    assert made.rate_hz(99 / rate_hz) == pytest.approx(rate_hz)
    assert made.rate_hz(100 / rate_hz) == pytest.approx(rate_hz)


def test_rate_of_what_stopped_falls_and_its_silence_grows() -> None:
    made = stream(10.0, 100)

    assert made.rate_hz(9.9 + 20.0) == pytest.approx(1 / 20.0)
    assert made.quiet_s(9.9 + 20.0) == pytest.approx(20.0)


@pytest.mark.parametrize('count', [0, 1, 2])
def test_rate_of_too_few_is_not_known(count: int) -> None:
    assert stream(10.0, count).rate_hz(1.0) is None


def test_silence_of_what_never_came_is_not_known() -> None:
    assert Stream().quiet_s(5.0) is None
    assert Stream().last_ns is None


def test_q2_best_gap_is_that_of_the_nearest_two() -> None:
    colour, depth = stream(30.0, 60), stream(30.0, 60, first_ns=100 * S + 13 * MS)

    assert best_gap_ns(colour.stamps, depth.stamps) == 13 * MS
    assert best_gap_ns(depth.stamps, colour.stamps) == 13 * MS
    assert best_gap_ns(colour.stamps, colour.stamps[::6]) == 0


def test_q2_best_gap_of_clocks_that_differ_is_how_much() -> None:
    colour, depth = stream(30.0, 31), stream(30.0, 31, first_ns=212 * S)

    assert best_gap_ns(colour.stamps, depth.stamps) == 111 * S


def test_q2_best_gap_of_too_few_is_not_known() -> None:
    assert best_gap_ns(stream(30.0, 7).stamps, stream(30.0, 60).stamps) is None


def test_q2_results_of_a_slow_detector_still_find_their_images() -> None:
    colour = stream(30.0, 400)

    assert best_gap_ns(colour.stamps, colour.stamps[:60:6]) == 0


def test_c11_drift_is_what_the_quickest_messages_are_later_than_at_first() -> None:
    made = Stream()
    for i in range(400):
        noise_ns = (i * 7919 % 100) * MS  # a network that delays all but some
        made.note(i / 30, 100 * S + i * S // 30, i * 2 * MS + noise_ns)

    assert made.drift_ns == pytest.approx(700 * MS, abs=40 * MS)


@pytest.mark.parametrize('late_s', [-111.7, 0.0, 111.7])
def test_c11_offset_alone_is_no_drift(late_s: float) -> None:
    assert stream(30.0, 400, late_ns=int(late_s * S)).drift_ns == 0


def test_c11_drift_begins_anew_where_stamps_jump_back() -> None:
    made = stream(30.0, 100)
    for i in range(100):
        made.note(4 + i / 30, 50 * S + i * S // 30, 50 * S)

    assert made.drift_ns == 0
    assert min(made.stamps) == 50 * S


def test_message_without_a_stamp_counts_and_says_no_time() -> None:
    made = stream(10.0, 3)
    made.note(0.3, None)

    assert (made.num_messages, made.last_ns) == (4, 100 * S + 200 * MS)
