"""Matching of intervals: each once, as many as possible, the nearest of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from st_memory.core.evaluation import match_intervals
from st_memory.core.stamps import Interval

SPANS = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 12)).map(lambda v: Interval(v[0], v[0] + v[1])),
    max_size=6,
)


def test_overlapping_intervals_match() -> None:
    matches = match_intervals([Interval(0, 10)], [Interval(9, 30)], tolerance_ns=0)

    assert matches.pairs == ((0, 0),)
    assert (matches.precision, matches.recall) == (1.0, 1.0)


def test_a_gap_matches_up_to_the_tolerance_and_not_beyond() -> None:
    true, said = [Interval(0, 10)], [Interval(15, 20)]

    assert match_intervals(true, said, tolerance_ns=5).pairs == ((0, 0),)
    assert match_intervals(true, said, tolerance_ns=4).pairs == ()
    assert match_intervals(said, true, tolerance_ns=5).pairs == ((0, 0),)


def test_one_long_prediction_is_but_one_of_two_movements() -> None:
    matches = match_intervals([Interval(0, 10), Interval(20, 30)], [Interval(0, 30)], 0)

    assert len(matches.pairs) == 1
    assert (matches.precision, matches.recall) == (1.0, 1 / 2)


def test_one_movement_told_twice_costs_precision() -> None:
    matches = match_intervals([Interval(0, 30)], [Interval(0, 10), Interval(12, 30)], 0)

    assert matches.pairs == ((0, 1),)
    assert (matches.precision, matches.recall) == (1 / 2, 1.0)


def test_of_several_the_nearest_is_taken() -> None:
    matches = match_intervals([Interval(10, 20)], [Interval(0, 11), Interval(10, 21)], 0)

    assert matches.pairs == ((0, 1),)


def test_many_pairs_are_worth_more_than_near_ones() -> None:
    # Nearest first would give true 0 to said 1, and leave true 1 without any.
    true = [Interval(10, 20), Interval(21, 40)]
    said = [Interval(0, 10), Interval(11, 22)]

    matches = match_intervals(true, said, tolerance_ns=0)

    assert matches.pairs == ((0, 0), (1, 1))


def test_nothing_matches_nothing() -> None:
    none = match_intervals([], [Interval(0, 1)], 0)

    assert (none.pairs, none.precision, none.recall) == ((), 0.0, 0.0)
    assert match_intervals([Interval(0, 1)], [], 0).recall == 0.0


@given(SPANS, SPANS, st.integers(0, 20))
def test_each_interval_is_matched_once_and_within_the_tolerance(
    true: list[Interval], said: list[Interval], tolerance_ns: int
) -> None:
    pairs = match_intervals(true, said, tolerance_ns).pairs

    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    for i, j in pairs:
        gap = max(true[i].start_ns - said[j].end_ns, said[j].start_ns - true[i].end_ns)
        assert gap <= tolerance_ns


@given(SPANS, SPANS, st.integers(0, 20))
def test_truth_and_prediction_may_change_places(
    true: list[Interval], said: list[Interval], tolerance_ns: int
) -> None:
    one = match_intervals(true, said, tolerance_ns)
    other = match_intervals(said, true, tolerance_ns)

    assert len(one.pairs) == len(other.pairs)
    assert one.precision == other.recall


@given(SPANS, st.integers(0, 20))
def test_a_wider_tolerance_loses_no_match(true: list[Interval], tolerance_ns: int) -> None:
    said = [Interval(i.start_ns + 7, i.end_ns + 7) for i in true]

    narrow = match_intervals(true, said, tolerance_ns)
    wide = match_intervals(true, said, tolerance_ns + 5)

    assert len(narrow.pairs) <= len(wide.pairs)
