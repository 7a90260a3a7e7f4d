"""What ray casters share: fixed and moving parts kept apart, poses, and checked segments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import NO_PART, RayHits
from st_memory.core.records import Scene, ScenePart

__all__ = ['SplitRayCaster', 'TriangleSet']

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
_Rays = tuple[Floats32, Floats32, Floats32]

# Stands in for the length of a segment without one.
_SHORTEST_M = 1e-12


class TriangleSet(Protocol):
    """Triangles that are built once and then shot at."""

    def nearest(
        self, origins: Floats32, directions: Floats32, reach: Floats32
    ) -> tuple[Floats, NDArray[np.int32]]:
        """
        Give the first hit of each ray.

        Parameters
        ----------
        origins : (N, 3) float32
            Metres, relative to the caster's centre.
        directions : (N, 3) float32
            Of any length.
        reach : (N,) float32
            Hits at this distance or beyond do not count, in lengths of the direction; where it
            is 0 nothing does.

        Returns
        -------
        distance : (N,) float64
            In lengths of the direction; inf without a hit.
        part : (N,) int32
            Index of the part that was hit; ``NO_PART`` without a hit.

        """

    def blocked(
        self, origins: Floats32, directions: Floats32, reach: Floats32
    ) -> NDArray[np.bool_]:
        """Tell which rays hit anything nearer than their reach: (N,) bool; arguments as above."""


class SplitRayCaster(ABC):
    """
    A :class:`~st_memory.core.ports.RayCaster` but for the engine that intersects triangles.

    Parts of the fixed frame and parts of moving frames are two sets of triangles; the nearer hit
    of the two counts. A door that moves costs the rebuild of the movable parts only, at the next
    cast. The engines compute in float32, so coordinates are taken relative to the middle of the
    scene: at 10 m from it a coordinate is good to a micrometre, wherever the map's origin is.

    Parameters
    ----------
    scene : Scene
        Parts with ``frame_id`` '' never move; the others are absent until their frame is posed.

    """

    # How many rays are made ready and cast at once.
    batch_rays = 1 << 20

    def __init__(self, scene: Scene) -> None:
        self._parts = scene.parts
        self._centre = _centre_of(scene.parts)
        placed = scene.articulation
        self._rest: dict[str, RigidTransform] = {} if placed is None else placed.rest_poses()
        self._poses = dict(self._rest)
        self._movable_frames = tuple(sorted({p.frame_id for p in scene.parts if p.frame_id}))
        fixed = [i for i, p in enumerate(scene.parts) if not p.frame_id]
        self._static = self._build([_corners(scene.parts[i]) - self._centre for i in fixed], fixed)
        self._movable: TriangleSet | None = None

    @abstractmethod
    def _build(self, corners: Sequence[Floats], parts: Sequence[int]) -> TriangleSet:
        """
        Build triangles for the engine.

        Parameters
        ----------
        corners : sequence of (T, 3, 3) float64
            Triangles per part, metres, relative to the caster's centre; T may be 0.
        parts : sequence of int
            Index of the part of each entry of ``corners``.

        """

    @property
    def part_names(self) -> tuple[str, ...]:
        """Names of all parts, in the order of the scene."""
        return tuple(p.name for p in self._parts)

    @property
    def part_fixtures(self) -> tuple[str, ...]:
        """Fixture id of each part, '' for none."""
        return tuple(p.fixture_id for p in self._parts)

    @property
    def movable_frames(self) -> tuple[str, ...]:
        """Frames that parts are attached to, sorted."""
        return self._movable_frames

    def pose_parts(self, world_T_part: Mapping[str, RigidTransform]) -> None:
        """
        Put the movable parts where their frames are.

        Parameters
        ----------
        world_T_part : mapping of str to RigidTransform
            Pose of each frame in the fixed frame. Links of the scene's articulation that are
            missing are at rest, other parts are left out; frames that no part uses are ignored.

        """
        known = {f: world_T_part[f] for f in self._movable_frames if f in world_T_part}
        poses = {**self._rest, **known}
        if poses.keys() != self._poses.keys() or not all(
            _same_pose(pose, self._poses[frame]) for frame, pose in poses.items()
        ):
            self._poses = poses
            self._movable = None

    def first_hits(
        self, origin: Floats, targets: Floats, tolerance_m: NDArray[np.float64]
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

        Returns
        -------
        RayHits
            Distance and part of the first surface on each segment; inf and ``NO_PART`` when the
            segment is free or no longer than its tolerance.

        Raises
        ------
        ValueError
            If a shape is wrong or a number is not finite.

        """
        start, ends, tolerance = _checked(origin, targets, tolerance_m)
        distance = np.full(len(ends), np.inf)
        part = np.full(len(ends), NO_PART, dtype=np.int32)
        for rows, length, rays in self._batches(start, ends, tolerance):
            share, part[rows] = self._nearest(*rays)
            distance[rows] = share * np.maximum(length, _SHORTEST_M)
        return RayHits(distance, part)

    def any_hits(
        self, origin: Floats, targets: Floats, tolerance_m: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """
        Tell which segments are blocked.

        Parameters
        ----------
        origin, targets, tolerance_m
            As in :meth:`first_hits`.

        Returns
        -------
        (N,) bool
            True just where :meth:`first_hits` has a part.

        Raises
        ------
        ValueError
            As there.

        """
        start, ends, tolerance = _checked(origin, targets, tolerance_m)
        blocked = np.zeros(len(ends), dtype=bool)
        for rows, _, rays in self._batches(start, ends, tolerance):
            hit = self._static.blocked(*rays)
            if self._poses:
                hit |= self._movable_triangles().blocked(*rays)
            blocked[rows] = hit
        return blocked

    def _batches(
        self, start: Floats, ends: Floats, tolerance: Floats
    ) -> Iterator[tuple[slice, Floats, _Rays]]:
        """
        Give the segments as rays, relative to the middle of the scene, and their lengths.

        As many at once as the engine likes: arrays that stay in the cache cost a third. The
        directions are as long as the segments, so that nothing has to be made a unit.
        """
        size = min(self.batch_rays, len(ends))
        origins = np.empty((size, 3), dtype=np.float32)
        origins[:] = start - self._centre
        for at in range(0, len(ends), max(1, size)):
            rows = slice(at, at + size)
            # Axis by axis: numpy is slow where the last axis is short.
            offset = ends[rows].T - start[:, np.newaxis]
            x, y, z = offset
            length = np.sqrt(x * x + y * y + z * z)
            directions = np.empty((len(length), 3), dtype=np.float32)
            directions.T[...] = offset
            # No shorter than nothing: a segment within its tolerance meets nothing.
            reach = np.maximum(length - tolerance[rows], 0.0)
            reach /= np.maximum(length, _SHORTEST_M)
            yield rows, length, (origins[: len(length)], directions, reach.astype(np.float32))

    def _nearest(
        self, origins: Floats32, directions: Floats32, reach: Floats32
    ) -> tuple[Floats, NDArray[np.int32]]:
        """Nearer hit of the fixed and the movable triangles."""
        distance, part = self._static.nearest(origins, directions, reach)
        if self._poses:
            moved_distance, moved_part = self._movable_triangles().nearest(
                origins, directions, reach
            )
            nearer = moved_distance < distance
            distance[nearer] = moved_distance[nearer]
            part[nearer] = moved_part[nearer]
        return distance, part

    def _movable_triangles(self) -> TriangleSet:
        """Movable parts at their present poses; built when a pose changed since the last cast."""
        if self._movable is None:
            posed = [i for i, p in enumerate(self._parts) if p.frame_id in self._poses]
            corners = [
                self._poses[self._parts[i].frame_id].apply(_corners(self._parts[i])) - self._centre
                for i in posed
            ]
            self._movable = self._build(corners, posed)
        return self._movable


def _corners(part: ScenePart) -> Floats:
    """Corner points of each triangle, (T, 3, 3)."""
    corners: Floats = np.asarray(part.vertices, dtype=np.float64)[part.triangles]
    return corners


def _centre_of(parts: Sequence[ScenePart]) -> Floats:
    """Middle of the bounding box of the fixed parts; the origin when there are none."""
    points = [p.vertices for p in parts if not p.frame_id and len(p.vertices)]
    if not points:
        return np.zeros(3)
    low = np.min([p.min(axis=0) for p in points], axis=0)
    high = np.max([p.max(axis=0) for p in points], axis=0)
    return np.asarray((low + high) / 2, dtype=np.float64)


def _same_pose(pose: RigidTransform, other: RigidTransform) -> bool:
    """Whether two poses are equal to the last bit."""
    return pose is other or (
        np.array_equal(pose.translation, other.translation)
        and np.array_equal(pose.quat_xyzw, other.quat_xyzw)
    )


def _checked(
    origin: Floats, targets: Floats, tolerance_m: Floats
) -> tuple[Floats, Floats, Floats]:
    """Give the three arrays as float64, or raise."""
    start = np.asarray(origin, dtype=np.float64)
    ends = np.asarray(targets, dtype=np.float64)
    tolerance = np.asarray(tolerance_m, dtype=np.float64)
    if start.shape != (3,):
        raise ValueError(f'origin: expected shape (3,), got {start.shape}')
    if ends.ndim != 2 or ends.shape[1] != 3:
        raise ValueError(f'targets: expected shape (N, 3), got {ends.shape}')
    if tolerance.shape != (len(ends),):
        raise ValueError(f'tolerance_m: expected shape ({len(ends)},), got {tolerance.shape}')
    for name, array in (('origin', start), ('targets', ends), ('tolerance_m', tolerance)):
        # A sum is finite only if all terms are; half the price of looking at each of them.
        if not math.isfinite(array.sum()) and not np.isfinite(array).all():
            raise ValueError(f'{name}: expected finite numbers')
    return start, ends, tolerance
