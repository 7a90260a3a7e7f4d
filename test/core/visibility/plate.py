"""The simplest scene: one plate."""

from __future__ import annotations

import numpy as np

from st_memory.core.ports import NO_PART, RayHits

__all__ = ['Plate']


class Plate:
    """A ray caster with one infinite plate of a fixture across x, and nothing else."""

    part_names = ('cupboard/door',)
    part_fixtures = ('cupboard',)
    movable_frames = ('door',)

    def __init__(self, x: float) -> None:
        self._x = x

    def pose_parts(self, world_T_part: object) -> None:
        """Stay."""

    def first_hits(
        self, origin: np.ndarray, targets: np.ndarray, tolerance_m: np.ndarray
    ) -> RayHits:
        gap = targets - origin
        length = np.sqrt((gap**2).sum(axis=1))
        with np.errstate(divide='ignore', invalid='ignore'):
            share = (self._x - origin[0]) / gap[:, 0]
        distance = share * length
        hit = (share > 0) & (distance < length - tolerance_m)
        return RayHits(np.where(hit, distance, np.inf), np.where(hit, 0, NO_PART).astype(np.int32))

    def any_hits(
        self, origin: np.ndarray, targets: np.ndarray, tolerance_m: np.ndarray
    ) -> np.ndarray:
        return self.first_hits(origin, targets, tolerance_m).part != NO_PART
