"""What a kitchen is asked to be: everything that a run depends on, in one frozen record."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from st_memory.sim.noise import NOISE_PRESETS

__all__ = ['BASE_STAMP_NS', 'TICK_RATE_HZ', 'KitchenSpec']

TICK_RATE_HZ = 30
"""Rate of poses and joints; images come at every n-th tick."""

BASE_STAMP_NS = 1_700_000_000 * 1_000_000_000
"""Stamp of the first tick: fixed, so that the same spec gives the same recording."""


@dataclass(frozen=True)
class KitchenSpec:
    """
    A seeded kitchen.

    Layout, script, pose noise, depth noise and detector draw from separate streams of the seed:
    two specs that differ only in ``noise`` show the same kitchen and the same actions.

    Parameters
    ----------
    seed : int
        Seed of everything, >= 0.
    duration_s : float
        Length, seconds, at least 1.
    image_rate_hz : float
        Rate of RGB, depth, detections and truth; 30 divided by it is a whole number.
    width, height : int
        Image size, pixels, at least 32.
    horizontal_fov_deg : float
        Horizontal field of view, degrees, in (10, 150).
    noise : str
        Name of a preset in :data:`st_memory.sim.noise.NOISE_PRESETS`.
    oracle_ids : bool
        Give detections the true object id as track id (an upper bound, never the default).
    publish_joints : bool
        Write door poses and joint positions; False leaves every door's state unknown.
    oracle_movements : bool
        Report true movement intervals on the recording (an upper bound, never the default).
    color : bool
        Render and write RGB; False saves a third of the time when nothing looks at it.
    num_objects : int
        Graspable objects, in [12, 18].
    num_pairs : int
        Kinds that exist twice, in [2, 4].
    num_removals : int
        Objects taken away for good over the whole run (fewer in runs below a minute).
    min_detection_px : int
        Fewest visible pixels that the detector can detect.

    Raises
    ------
    ValueError
        If a value is outside its range.

    """

    seed: int
    duration_s: float = 60.0
    image_rate_hz: float = 5.0
    width: int = 320
    height: int = 240
    horizontal_fov_deg: float = 80.0
    noise: str = 'standard'
    oracle_ids: bool = False
    publish_joints: bool = True
    oracle_movements: bool = False
    color: bool = True
    num_objects: int = 16
    num_pairs: int = 3
    num_removals: int = 3
    min_detection_px: int = 30

    def __post_init__(self) -> None:
        self._check_range('seed', self.seed, 0, 2**63)
        self._check_range('duration_s', self.duration_s, 1.0, 1e6)
        self._check_range('width', self.width, 32, 4096)
        self._check_range('height', self.height, 32, 4096)
        self._check_range('horizontal_fov_deg', self.horizontal_fov_deg, 10.0, 150.0)
        self._check_range('num_objects', self.num_objects, 12, 18)
        self._check_range('num_pairs', self.num_pairs, 2, 4)
        self._check_range('num_removals', self.num_removals, 0, self.num_objects - 10)
        self._check_range('min_detection_px', self.min_detection_px, 1, 10_000)
        if self.noise not in NOISE_PRESETS:
            names = ', '.join(sorted(NOISE_PRESETS))
            raise ValueError(f'noise: expected one of {names}, got {self.noise!r}')
        ratio = TICK_RATE_HZ / self.image_rate_hz if self.image_rate_hz > 0 else 0.0
        if ratio < 1 or abs(ratio - round(ratio)) > 1e-9:
            raise ValueError(
                f'image_rate_hz: expected {TICK_RATE_HZ} / a whole number, '
                f'got {self.image_rate_hz}'
            )

    @property
    def num_ticks(self) -> int:
        """Ticks at 30 Hz; the first is at :data:`BASE_STAMP_NS`."""
        return round(self.duration_s * TICK_RATE_HZ)

    @property
    def ticks_per_image(self) -> int:
        """Ticks from one image to the next."""
        return round(TICK_RATE_HZ / self.image_rate_hz)

    @property
    def num_images(self) -> int:
        """Images in the recording; the first is at the first tick."""
        return -(-self.num_ticks // self.ticks_per_image)

    def stamp_ns(self, tick: int) -> int:
        """Stamp of a tick, rounded to the nanosecond."""
        return BASE_STAMP_NS + (tick * 1_000_000_000 + TICK_RATE_HZ // 2) // TICK_RATE_HZ

    def to_json(self) -> dict[str, Any]:
        """All fields, for the report."""
        return asdict(self)

    @staticmethod
    def _check_range(name: str, value: float, low: float, high: float) -> None:
        if not low <= value <= high:
            raise ValueError(f'{name}: expected {low} <= {name} <= {high}, got {value}')
