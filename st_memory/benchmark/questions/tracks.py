"""What questions are written from: where every object was and whether it could be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import CameraModel, RigidTransform
from st_memory.core.records import Scene

__all__ = ['Mark', 'Movement', 'ObjectTrack', 'SceneTracks']


class Movement(NamedTuple):
    """
    One completed movement; half-open.

    ``is_shown`` says that the picture shows its end, so that somebody who watches can tell when
    it ended.
    """

    start_ns: int
    end_ns: int
    is_shown: bool = True


class Mark(NamedTuple):
    """A pixel at a time, by which a thing is pointed out that its name does not tell."""

    stamp_ns: int
    u_px: float
    v_px: float


@dataclass(frozen=True, eq=False)
class ObjectTrack:
    """
    One object at every sample.

    Parameters
    ----------
    object_id, name : str
        Its id, and what a question calls it.
    states : (N,) int
        Numbers of :class:`st_memory.core.records.Visibility`.
    world_p : (N, 3) float64
        Where it is believed to be, metres in the fixed frame; NaN where that is not known.
    pixels : (N, 2) float64
        Where it shows, u and v; NaN where it does not.
    fixture_ids : sequence of str
        Fixture it is in or on; '' where none is known.
    movements : tuple of Movement
        By start.

    """

    object_id: str
    name: str
    states: NDArray[np.int8]
    world_p: NDArray[np.float64]
    pixels: NDArray[np.float64]
    fixture_ids: Sequence[str]
    movements: tuple[Movement, ...] = ()

    def last_movement(self, stamp_ns: int) -> Movement | None:
        """Give the last movement that ended by a stamp; None when it had not been moved."""
        ended = [m for m in self.movements if m.end_ns <= stamp_ns]
        return max(ended, key=lambda m: m.end_ns, default=None)

    def is_moving(self, stamp_ns: int) -> bool:
        """Whether a movement goes on."""
        return any(m.start_ns <= stamp_ns < m.end_ns for m in self.movements)


@dataclass(frozen=True, eq=False)
class SceneTracks:
    """
    All objects of one recording.

    Parameters
    ----------
    video_id : str
        Name of the recording.
    base_stamp_ns : int
        Stamp of its second 0.
    stamps_ns : (N,) int64
        The samples, ascending.
    world_T_camera : sequence of RigidTransform or None
        Pose of the camera's optical frame at each.
    camera : CameraModel
        For the size of the image.
    scene : Scene
        The fixtures.
    objects : tuple of ObjectTrack
        In any order.

    """

    video_id: str
    base_stamp_ns: int
    stamps_ns: NDArray[np.int64]
    world_T_camera: Sequence[RigidTransform | None]
    camera: CameraModel
    scene: Scene
    objects: tuple[ObjectTrack, ...]

    def seconds(self, stamp_ns: int) -> float:
        """Give a stamp in seconds of the recording."""
        return (stamp_ns - self.base_stamp_ns) / 1e9
