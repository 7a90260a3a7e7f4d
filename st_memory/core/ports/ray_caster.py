"""Rays against the scene."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import RigidTransform

__all__ = ['NO_PART', 'RayCaster', 'RayHits']

NO_PART = -1


class RayHits(NamedTuple):
    """
    First hits of a batch of segments.

    Attributes
    ----------
    distance_m : (N,) float64
        Distance from the origin to the first surface, metres; inf when nothing is hit before
        the target.
    part : (N,) int32
        Index into :attr:`RayCaster.part_names` of what was hit; ``NO_PART`` without a hit.

    """

    distance_m: NDArray[np.float64]
    part: NDArray[np.int32]


@runtime_checkable
class RayCaster(Protocol):
    """A scene of parts that rays can be shot at."""

    @property
    def part_names(self) -> tuple[str, ...]:
        """Names of all parts, in the order of the indices in :class:`RayHits`."""

    @property
    def part_fixtures(self) -> tuple[str, ...]:
        """Fixture id of each part ('' for none), in the same order."""

    @property
    def movable_frames(self) -> tuple[str, ...]:
        """Frames that parts are attached to, sorted; without the fixed frame."""

    def pose_parts(self, world_T_part: Mapping[str, RigidTransform]) -> None:
        """
        Put the movable parts where their frames are.

        What is missing is not known now: a link of the scene's articulation is at rest, and every
        other movable part is left out of the scene, whatever was known of it before. Frames that
        no part uses are ignored. Costs nothing when no pose changed.
        """

    def first_hits(
        self,
        origin: NDArray[np.float64],
        targets: NDArray[np.float64],
        tolerance_m: NDArray[np.float64],
    ) -> RayHits:
        """
        Cast segments from one origin to many targets.

        Parameters
        ----------
        origin : (3,) float64
            In the fixed frame, metres.
        targets : (N, 3) float64
            Ends of the segments, in the fixed frame, metres.
        tolerance_m : (N,) float64
            Hits closer to the target than this do not count.

        """

    def any_hits(
        self,
        origin: NDArray[np.float64],
        targets: NDArray[np.float64],
        tolerance_m: NDArray[np.float64],
    ) -> NDArray[np.bool_]:
        """
        Tell which segments are blocked: (N,) bool, true just where :meth:`first_hits` has a part.

        Cheaper than that, because any hit will do. Arguments as there.
        """
