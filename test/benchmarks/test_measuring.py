"""The figures themselves, where a test can afford them: they measure two things that agree."""

from __future__ import annotations

import numpy as np

from benchmarks import classify_1k, integrate_frame
from benchmarks.reference.cull_and_cast import BoxCuller, Lens
from st_memory.core.geometry import RigidTransform


def test_boxes_drawn_are_seven_in_a_hundred_in_view() -> None:
    culler = BoxCuller(np.eye(3)[None], Lens(100, 100, 50.0, 50.0, 49.5, 49.5))
    boxes = classify_1k.draw_boxes(
        np.random.default_rng(1),
        culler,
        RigidTransform.identity(),
        np.full(3, -5.0),
        np.full(3, 5.0),
    )
    seen = culler.look(boxes.centres, boxes.sizes, boxes.radii, np.eye(3), np.zeros(3))
    assert len(boxes.centres) == 1000
    assert len(seen.in_view) == 70


def test_classify_agrees_with_its_reference_on_the_fixture() -> None:
    measured = classify_1k.CLASSIFY_1K.measure()  # refuses to compare what differs
    assert measured.value > 0.0
    assert measured.reference_value > 0.0


def test_integrate_frame_measures_on_the_fixture() -> None:
    measured = integrate_frame.INTEGRATE_FRAME.measure()
    assert measured.value > 0.0
    assert measured.reference_value > 0.0
