"""Tests of sampling in turn."""

from __future__ import annotations

import pytest

from benchmarks import sampling
from benchmarks.figure import Measured
from benchmarks.sampling import alternate, seconds_of, settled_seconds_of


def test_alternate_takes_turns_and_leaves_warm_ups_out() -> None:
    order: list[str] = []
    ours, theirs = iter([100.0, 1.0, 9.0, 2.0]), iter([100.0, 5.0, 4.0, 30.0])

    def value() -> float:
        order.append('a')
        return next(ours)

    def reference() -> float:
        order.append('b')
        return next(theirs)

    assert alternate(value, reference, rounds=3) == Measured(2.0, 5.0)
    assert ''.join(order) == 'abababab'


def test_seconds_of_calls_once() -> None:
    calls: list[int] = []
    assert seconds_of(lambda: calls.append(1)) >= 0.0
    assert calls == [1]


def test_settled_seconds_of_leaves_the_first_of_two_calls_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter([10.0, 12.5])
    calls: list[int] = []
    monkeypatch.setattr(sampling.time, 'perf_counter', lambda: next(clock))
    assert settled_seconds_of(lambda: calls.append(1)) == 2.5
    assert calls == [1, 1]
