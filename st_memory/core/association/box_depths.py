"""The depths that an image has inside a box."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ['depths_in', 'depths_in_core', 'front_and_middle']

# Share of the box, around its centre, that the depth is read from: the border shows background.
_CORE_SHARE = 0.5
_MIN_DEPTH_SAMPLES = 4


def front_and_middle(depths: NDArray[np.float32]) -> tuple[float, float]:
    """Lower quartile and median, linear between samples."""
    ordered, last = np.sort(depths), len(depths) - 1

    def at(place: float) -> float:
        low = int(place)
        before, after = ordered.item(low), ordered.item(min(low + 1, last))
        return before + (place - low) * (after - before)

    return at(0.25 * last), at(0.5 * last)


def depths_in_core(
    depth_m: NDArray[np.float32],
    own_body: NDArray[np.bool_] | None,
    x: float,
    y: float,
    w: float,
    h: float,
) -> NDArray[np.float32] | None:
    """Give the valid depths in the middle of a box, or in all of it if those are too few."""
    for share in (_CORE_SHARE, 1.0):
        valid = depths_in(depth_m, own_body, (x, y, w, h), share)
        if valid.size >= _MIN_DEPTH_SAMPLES:
            return valid
    return None


def depths_in(
    depth_m: NDArray[np.float32],
    own_body: NDArray[np.bool_] | None,
    box_px: tuple[float, float, float, float],
    share: float,
) -> NDArray[np.float32]:
    """Give the valid depths, (K,) metres, in the middle ``share`` of an x, y, w, h box."""
    height, width = depth_m.shape
    x, y, w, h = box_px
    left = min(max(round(x + w * (1 - share) / 2), 0), width - 1)
    right = min(max(round(x + w * (1 + share) / 2), left + 1), width)
    top = min(max(round(y + h * (1 - share) / 2), 0), height - 1)
    bottom = min(max(round(y + h * (1 + share) / 2), top + 1), height)
    patch = depth_m[top:bottom, left:right]
    is_valid = np.isfinite(patch)
    if own_body is not None:  # an arm in front of a thing is not its surface
        is_valid &= ~own_body[top:bottom, left:right]
    return patch[is_valid]
