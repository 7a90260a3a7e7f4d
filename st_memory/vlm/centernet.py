"""Decoding of CenterNet heat maps into boxes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ['MAX_PEAKS', 'Boxes', 'decode_centernet', 'keep_distinct']

Floats = NDArray[np.float32]

# Highest peaks looked at, as in the original decoder.
MAX_PEAKS = 100


class Boxes(NamedTuple):
    """
    Boxes by falling score.

    Attributes
    ----------
    class_index : (N,) int64
        Channel of the heat map.
    score : (N,) float64
        Height of the peak, in [0, 1].
    corners : (N, 4) float64
        Left, top, right, bottom in pixels of the network's input.

    """

    class_index: NDArray[np.int64]
    score: NDArray[np.float64]
    corners: NDArray[np.float64]


def decode_centernet(heat: Floats, extents: Floats, stride: float, threshold: float) -> Boxes:
    """
    Give the boxes at the peaks of a heat map.

    Parameters
    ----------
    heat : (C, H, W) float32
        Score of "the centre of an object of class c is here", in [0, 1].
    extents : (4, H, W) float32
        Distance from a cell to the left, top, right and bottom side of its object, in pixels of
        the network's input.
    stride : float
        Input pixels per cell.
    threshold : float
        Lowest score that counts.

    Returns
    -------
    Boxes
        At most ``MAX_PEAKS``. A peak is the highest of its 3x3 neighbours in its own channel;
        ties in score are ordered by class, row and column.

    References
    ----------
    Zhou, Wang, Kraehenbuehl, "Objects as Points", 2019, section 4 (peaks instead of
    suppression); the four distances are those of TTFNet (Liu et al., 2020), section 3.

    """
    padded = np.pad(heat, ((0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    # A cell below the threshold, or NaN, is no peak whatever its neighbours are.
    peaks = (heat >= threshold) & (heat == windows.max(axis=(3, 4)))
    class_index, row, column = np.nonzero(peaks)
    score = heat[class_index, row, column].astype(np.float64)
    best = np.argsort(-score, kind='stable')[:MAX_PEAKS]
    class_index, row, column, score = class_index[best], row[best], column[best], score[best]
    left, top, right, bottom = extents[:, row, column].astype(np.float64)
    x, y = column * float(stride), row * float(stride)
    corners = np.stack([x - left, y - top, x + right, y + bottom], axis=1)
    return Boxes(class_index, score, corners)


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
