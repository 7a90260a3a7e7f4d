"""Peaks of hand-made heat maps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.vlm.boxes import Boxes, keep_distinct
from st_memory.vlm.centernet import decode_centernet, MAX_PEAKS


def heat_map(peaks: dict[tuple[int, int, int], float], classes: int = 2) -> np.ndarray:
    """Give a (classes, 8, 10) heat map that is 0 but at (class, row, column)."""
    heat = np.zeros((classes, 8, 10), dtype=np.float32)
    for cell, value in peaks.items():
        heat[cell] = value
    return heat


# left, top, right, bottom
SIDES = np.broadcast_to(
    np.array([1, 2, 3, 4], dtype=np.float32)[:, np.newaxis, np.newaxis], (4, 8, 10)
)


def test_decode_centernet_box_is_cell_times_stride_plus_its_sides() -> None:
    boxes = decode_centernet(heat_map({(1, 3, 5): 0.75}), SIDES, 4.0, 0.3)

    assert boxes.class_index.tolist() == [1]
    assert boxes.score.tolist() == [0.75]
    assert boxes.corners.tolist() == [[20 - 1, 12 - 2, 20 + 3, 12 + 4]]


def test_decode_centernet_sorts_by_score() -> None:
    heat = heat_map({(0, 1, 1): 0.5, (1, 5, 5): 0.9, (0, 5, 8): 0.7})

    boxes = decode_centernet(heat, SIDES, 4.0, 0.3)

    np.testing.assert_allclose(boxes.score, [0.9, 0.7, 0.5], rtol=1e-6)


def test_decode_centernet_only_the_highest_of_nine_neighbours_is_a_peak() -> None:
    heat = heat_map({(0, 3, 3): 0.9, (0, 3, 4): 0.8, (0, 4, 4): 0.7, (0, 5, 5): 0.6})

    boxes = decode_centernet(heat, SIDES, 1.0, 0.3)

    np.testing.assert_allclose(boxes.score, [0.9], rtol=1e-6)


def test_decode_centernet_classes_do_not_compete() -> None:
    boxes = decode_centernet(heat_map({(0, 3, 3): 0.9, (1, 3, 4): 0.8}), SIDES, 1.0, 0.3)

    assert boxes.class_index.tolist() == [0, 1]


@pytest.mark.parametrize('cell', [(0, 0, 0), (0, 7, 9), (0, 0, 5)])
def test_decode_centernet_finds_peaks_at_the_border(cell: tuple[int, int, int]) -> None:
    assert len(decode_centernet(heat_map({cell: 0.5}), SIDES, 1.0, 0.3).score) == 1


@pytest.mark.parametrize(('threshold', 'found'), [(0.5, 1), (0.51, 0)])
def test_decode_centernet_threshold_counts_itself(threshold: float, found: int) -> None:
    boxes = decode_centernet(heat_map({(0, 3, 3): 0.5}), SIDES, 1.0, threshold)

    assert len(boxes.score) == found


def test_decode_centernet_nan_is_no_peak() -> None:
    boxes = decode_centernet(heat_map({(0, 3, 3): np.nan, (1, 3, 3): 0.5}), SIDES, 1.0, 0.3)

    assert boxes.class_index.tolist() == [1]


def test_decode_centernet_gives_at_most_a_hundred_boxes() -> None:
    heat = np.random.default_rng(0).uniform(0.4, 1.0, (80, 8, 10)).astype(np.float32)

    boxes = decode_centernet(heat, SIDES, 1.0, 0.3)

    assert len(boxes.score) == MAX_PEAKS
    assert boxes.score.min() > 0.9


def test_decode_centernet_without_a_peak_is_empty() -> None:
    boxes = decode_centernet(heat_map({}), SIDES, 4.0, 0.3)

    assert boxes.corners.shape == (0, 4)
    assert keep_distinct(boxes, 0.5).corners.shape == (0, 4)


def boxes_of(*rows: tuple[int, float, list[float]]) -> Boxes:
    """Give boxes from (class, score, corners)."""
    return Boxes(
        np.array([r[0] for r in rows], dtype=np.int64),
        np.array([r[1] for r in rows]),
        np.array([r[2] for r in rows], dtype=np.float64).reshape(-1, 4),
    )


# The second shares 80 of 120 square pixels with the first: 2 / 3.
FIRST, SECOND = [0.0, 0.0, 10.0, 10.0], [0.0, 2.0, 10.0, 12.0]


@pytest.mark.parametrize(('max_overlap', 'left'), [(0.66, [0.9]), (0.67, [0.9, 0.8])])
def test_keep_distinct_compares_intersection_over_union(
    max_overlap: float, left: list[float]
) -> None:
    boxes = boxes_of((3, 0.9, FIRST), (3, 0.8, SECOND))

    assert keep_distinct(boxes, max_overlap).score.tolist() == left


def test_keep_distinct_keeps_other_classes() -> None:
    boxes = boxes_of((3, 0.9, FIRST), (4, 0.8, FIRST))

    assert keep_distinct(boxes, 0.5).class_index.tolist() == [3, 4]


def test_keep_distinct_a_dropped_box_drops_no_other() -> None:
    chain = [[0.0, y, 10.0, y + 10] for y in (0.0, 4.0, 8.0)]  # neighbours share 60 of 140
    boxes = boxes_of(*((0, 0.9 - i / 10, c) for i, c in enumerate(chain)))

    assert keep_distinct(boxes, 0.4).corners.tolist() == [chain[0], chain[2]]


def test_keep_distinct_empty_boxes_overlap_nothing() -> None:
    boxes = boxes_of((0, 0.9, [5.0, 5.0, 5.0, 5.0]), (0, 0.8, [5.0, 5.0, 5.0, 5.0]))

    assert len(keep_distinct(boxes, 0.0).score) == 2


@given(st.integers(0, 2**32 - 1))
def test_keep_distinct_leaves_no_pair_that_overlaps_more(seed: int) -> None:
    rng = np.random.default_rng(seed)
    low = rng.uniform(0, 10, (12, 2))
    boxes = Boxes(
        rng.integers(0, 2, 12),
        np.sort(rng.uniform(0, 1, 12))[::-1],
        np.hstack([low, low + rng.uniform(1, 10, (12, 2))]),
    )

    kept = keep_distinct(boxes, 0.3)

    again = keep_distinct(kept, 0.3)
    assert kept.score[0] == boxes.score[0]
    assert again.score.tolist() == kept.score.tolist()
