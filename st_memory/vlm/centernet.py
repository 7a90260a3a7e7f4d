"""Decoding of CenterNet heat maps into boxes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from st_memory.vlm.boxes import Boxes

__all__ = ['MAX_PEAKS', 'decode_centernet']

Floats = NDArray[np.float32]

# Highest peaks looked at, as in the original decoder.
MAX_PEAKS = 100


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
        At most ``MAX_PEAKS``, in pixels of the network's input. A peak is the highest of its 3x3
        neighbours in its own channel; ties in score are ordered by class, row and column.

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
