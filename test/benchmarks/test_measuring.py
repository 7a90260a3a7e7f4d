"""The figures themselves, where a test can afford them: they measure two things that agree."""

from __future__ import annotations

import pytest

from benchmarks import integrate_frame, integrate_many
from benchmarks.figure import MeasuringError
from benchmarks.looks import place


def test_integrate_frame_measures_on_the_fixture() -> None:
    measured = integrate_frame.INTEGRATE_FRAME.measure()
    assert measured.value > 0.0
    assert measured.reference_value > 0.0


def test_integrate_many_takes_detections_for_the_objects_they_are_of() -> None:
    measured = integrate_many.compare(300, 8, place(0.05), 4)
    assert measured.value > 0.0
    assert measured.reference_value > 0.0
    details = measured.details or {}
    assert details['found_share'] >= 0.9
    assert details['p99_ms'] >= measured.value
    assert details['rows'] >= 8


def test_integrate_many_says_when_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(integrate_many, '_MIN_FOUND_SHARE', 1.1)
    with pytest.raises(MeasuringError, match=r'only \d+% of the detections'):
        integrate_many.compare(200, 4, place(0.05), 1)
