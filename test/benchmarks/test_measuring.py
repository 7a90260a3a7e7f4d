"""The figures themselves, where a test can afford them: they measure two things that agree."""

from __future__ import annotations

from benchmarks import integrate_frame


def test_integrate_frame_measures_on_the_fixture() -> None:
    measured = integrate_frame.INTEGRATE_FRAME.measure()
    assert measured.value > 0.0
    assert measured.reference_value > 0.0
