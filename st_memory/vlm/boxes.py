"""Boxes as detectors give them, and how they become detections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.records import Detection

__all__ = ['MAX_OVERLAP', 'Boxes', 'detections_of', 'keep_distinct']

# Large objects may be found several times, a little apart; two objects of one class that overlap
# more than this are nearly always one. On the 7-Scenes red kitchen such doubles of the CenterNet
# detector appear below a score of 0.3 only.
MAX_OVERLAP = 0.6


class Boxes(NamedTuple):
    """
    Boxes by falling score.

    Attributes
    ----------
    class_index : (N,) int64
        Number of the class, from 0.
    score : (N,) float64
        In [0, 1].
    corners : (N, 4) float64
        Left, top, right, bottom in pixels.

    """

    class_index: NDArray[np.int64]
    score: NDArray[np.float64]
    corners: NDArray[np.float64]


def keep_distinct(boxes: Boxes, max_overlap: float) -> Boxes:
    """
    Drop boxes that cover a better one of the same class.

    Parameters
    ----------
    boxes : Boxes
        By falling score.
    max_overlap : float
        Largest intersection over union that two boxes of one class may have; 1 keeps all.

    Returns
    -------
    Boxes
        What is left, in the same order.

    """
    kept: list[int] = []
    for i in range(len(boxes.score)):
        rivals = [k for k in kept if boxes.class_index[k] == boxes.class_index[i]]
        overlap = _overlaps(boxes.corners[i], boxes.corners[rivals])
        if not (overlap > max_overlap).any():
            kept.append(i)
    return Boxes(boxes.class_index[kept], boxes.score[kept], boxes.corners[kept])


def detections_of(boxes: Boxes, labels: Sequence[str], width: int, height: int) -> list[Detection]:
    """
    Name boxes and cut them at the border of the image; a box without area is none.

    Parameters
    ----------
    boxes : Boxes
        In pixels of the image.
    labels : sequence of str
        Name of each class.
    width, height : int
        Of the image, pixels.

    Returns
    -------
    list of Detection
        In the order of the boxes.

    """
    limits = np.array([width, height, width, height], dtype=np.float64)
    corners = np.clip(boxes.corners, 0.0, limits)
    out = []
    for index, score, (left, top, right, bottom) in zip(
        boxes.class_index.tolist(), boxes.score.tolist(), corners.tolist(), strict=True
    ):
        if right > left and bottom > top:
            box = (left, top, right - left, bottom - top)
            out.append(Detection(labels[index], min(score, 1.0), box_px=box))
    return out


def _overlaps(box: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Intersection over union of one box with (N, 4) others; 0 for empty boxes."""
    low = np.maximum(box[:2], others[:, :2])
    high = np.minimum(box[2:], others[:, 2:])
    shared = np.prod(np.clip(high - low, 0.0, None), axis=1)
    areas = np.prod(np.clip(others[:, 2:] - others[:, :2], 0.0, None), axis=1)
    union = np.prod(np.clip(box[2:] - box[:2], 0.0, None)) + areas - shared
    out = np.zeros(len(others))
    np.divide(shared, union, out=out, where=union > 0)
    return out
