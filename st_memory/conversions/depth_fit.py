"""Whether a decoded depth image can be what its calibration and its unit say, and in its size."""

from __future__ import annotations

from collections import Counter
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import CameraModel

__all__ = ['fit_depth', 'fits', 'resampled']

# Between these half of a depth image of any camera lies: millimetres that are called metres are
# beyond, metres that are called millimetres are nearer.
_NEAREST_MEDIAN_M, _FARTHEST_MEDIAN_M = 0.02, 200.0
_SAMPLES_A_SIDE = 64
_Pixel = TypeVar('_Pixel', bound=np.generic)


def fit_depth(
    depth_m: NDArray[np.float32], model: CameraModel, counters: Counter[str]
) -> NDArray[np.float32] | None:
    """
    Give a depth image in the size of its camera, if it can be used.

    Parameters
    ----------
    depth_m : (H, W) float32
        Metres; NaN where not measured.
    model : CameraModel
        The camera that it belongs to.
    counters : Counter
        Gets ``depth_resized``, ``depth_all_invalid`` (kept: that nothing was measured is known),
        ``depth_size_mismatch`` (another shape of image) and ``depth_unit_implausible`` (the unit
        is not the one of its encoding).

    Returns
    -------
    (height, width) float32 or None
        None for the last two.

    """
    is_same = depth_m.shape == (model.height, model.width)
    if not is_same and not fits(depth_m.shape, model):
        counters['depth_size_mismatch'] += 1
        return None
    if np.isnan(depth_m).all():
        counters['depth_all_invalid'] += 1
    elif not _is_plausible(depth_m):
        counters['depth_unit_implausible'] += 1
        return None
    if is_same:
        return depth_m
    counters['depth_resized'] += 1
    return resampled(depth_m, model)


def fits(shape: tuple[int, ...], model: CameraModel) -> bool:
    """Whether an image (H, W) has the proportions of its camera's images."""
    height, width = shape
    return abs(width * model.height - height * model.width) <= max(width, height)


def resampled(image: NDArray[_Pixel], model: CameraModel) -> NDArray[_Pixel]:
    """Give an image (H, W) in the size of its camera's images: each pixel is the nearest one."""
    height, width = image.shape
    rows = ((np.arange(model.height) + 0.5) * height / model.height).astype(np.intp)
    columns = ((np.arange(model.width) + 0.5) * width / model.width).astype(np.intp)
    resized: NDArray[_Pixel] = image[rows[:, None], columns]
    return resized


def _is_plausible(depth_m: NDArray[np.float32]) -> bool:
    """Whether the median of what was measured is a distance that a camera looks at."""
    row_step, column_step = (max(1, side // _SAMPLES_A_SIDE) for side in depth_m.shape)
    samples = depth_m[::row_step, ::column_step]
    measured = samples[~np.isnan(samples)]
    if not measured.size:
        return True
    return bool(_NEAREST_MEDIAN_M <= np.median(measured) <= _FARTHEST_MEDIAN_M)
