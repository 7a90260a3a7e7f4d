"""Sensor noise: presets as data, correlated pose drift, depth noise with holes."""

from __future__ import annotations

from dataclasses import dataclass
import math

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import RigidTransform

__all__ = ['NOISE_PRESETS', 'NoiseSettings', 'PoseDrift', 'corrupt_depth', 'stream']

# Holes come in square blocks, as they do on dark or shiny patches, not as single pixels.
_HOLE_BLOCK_PX = 4


@dataclass(frozen=True)
class NoiseSettings:
    """
    How wrong the sensors are.

    Parameters
    ----------
    position_sigma_m, rotation_sigma_rad : float
        Standard deviation of the camera pose error, of each translation component and of each
        component of the rotation vector.
    pose_time_constant_s : float
        Time constant of that error, an Ornstein-Uhlenbeck process.
    depth_sigma_rel : float
        Standard deviation of depth as a share of the range.
    depth_hole_share : float
        Share of pixels without depth.
    miss_rate : float
        Share of detectable objects that a frame's detections lack.
    false_positives_per_frame : float
        Mean number of invented detections a frame (Poisson).
    label_confusion : float
        Share of detections with the label of another kind.
    box_jitter_rel, box_jitter_min_px : float
        Standard deviation of each box coordinate: a share of the box's size in that direction,
        but at least so many pixels.
    score_sigma : float
        Standard deviation of the score around its noise-free value.

    """

    position_sigma_m: float = 0.0
    rotation_sigma_rad: float = 0.0
    pose_time_constant_s: float = 2.0
    depth_sigma_rel: float = 0.0
    depth_hole_share: float = 0.0
    miss_rate: float = 0.0
    false_positives_per_frame: float = 0.0
    label_confusion: float = 0.0
    box_jitter_rel: float = 0.0
    box_jitter_min_px: float = 0.0
    score_sigma: float = 0.0


NOISE_PRESETS: dict[str, NoiseSettings] = {
    'clean': NoiseSettings(),
    'standard': NoiseSettings(
        position_sigma_m=0.01,
        rotation_sigma_rad=math.radians(1.0),
        pose_time_constant_s=2.0,
        depth_sigma_rel=0.01,
        depth_hole_share=0.05,
        miss_rate=0.20,
        false_positives_per_frame=0.2,
        label_confusion=0.03,
        box_jitter_rel=0.05,
        box_jitter_min_px=1.0,
        score_sigma=0.08,
    ),
}
"""``clean`` is exact; ``standard`` is the fixed preset behind every figure called "noisy"."""


def stream(seed: int, name: str) -> np.random.Generator:
    """
    Give the random stream of one purpose; streams of different names are independent.

    Parameters
    ----------
    seed : int
        Seed of the kitchen.
    name : str
        Purpose, e.g. ``script``.

    """
    return np.random.default_rng([seed, *name.encode('ascii')])


class PoseDrift:
    """
    A slowly wandering pose error, stationary from the first step on.

    Parameters
    ----------
    settings : NoiseSettings
        Sigmas and time constant.
    step_s : float
        Time between two calls of :meth:`step`, seconds.
    rng : numpy.random.Generator
        Its own stream.

    """

    def __init__(self, settings: NoiseSettings, step_s: float, rng: np.random.Generator) -> None:
        self._sigma = np.repeat([settings.position_sigma_m, settings.rotation_sigma_rad], 3)
        self._keep = math.exp(-step_s / settings.pose_time_constant_s)
        self._rng = rng
        self._unit = rng.standard_normal(6)

    def step(self) -> RigidTransform:
        """Give the error ``true_T_measured`` of the camera now, and move on by one step."""
        error = self._unit * self._sigma
        fresh = self._rng.standard_normal(6)
        self._unit = self._keep * self._unit + math.sqrt(1.0 - self._keep**2) * fresh
        angle = math.sqrt(float(error[3:] @ error[3:]))
        # sin(a/2)/a has the limit 1/2.
        scale = 0.5 if angle < 1e-9 else math.sin(angle / 2) / angle
        quat = np.array([*(scale * error[3:]), math.cos(angle / 2)])
        return RigidTransform(error[:3], quat)


def corrupt_depth(
    depth_m: NDArray[np.float32], settings: NoiseSettings, rng: np.random.Generator
) -> NDArray[np.float32]:
    """
    Add range noise and holes.

    Parameters
    ----------
    depth_m : (H, W) float32
        Exact depth along the optical axis, metres; NaN = none.
    settings : NoiseSettings
        Sigma as a share of the range, share of holes.
    rng : numpy.random.Generator
        The depth stream.

    Returns
    -------
    (H, W) float32
        A new image; NaN in the holes.

    """
    if settings.depth_sigma_rel == 0.0 and settings.depth_hole_share == 0.0:
        same: NDArray[np.float32] = depth_m.copy()
        return same
    height, width = depth_m.shape
    gain = 1.0 + settings.depth_sigma_rel * rng.standard_normal((height, width), dtype=np.float32)
    out = (depth_m * gain).astype(np.float32)
    block = _HOLE_BLOCK_PX
    coarse = rng.random((-(-height // block), -(-width // block))) < settings.depth_hole_share
    holes = np.repeat(np.repeat(coarse, block, axis=0), block, axis=1)[:height, :width]
    noisy: NDArray[np.float32] = np.where(holes, np.float32(np.nan), out)
    return noisy
