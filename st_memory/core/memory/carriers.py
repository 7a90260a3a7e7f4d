"""Things that lie in or on a movable part go where the part goes: cups in a drawer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory.track import Track
from st_memory.core.ports import NO_PART, RayCaster
from st_memory.core.records import Scene

__all__ = ['Carriers']

Array = NDArray[np.float64]

# What lies in a tray is measured a little beside it at times; it does not jump out for that.
_HOLD_M = 0.04
# Things stand on a part's highest point and reach above it by their own height.
_ON_TOP_M = 0.03
# Below the lower face of a thing's box, as it is measured, what it stands on is this near.
_SUPPORT_M = 0.05
# A door with its handle is thinner than this, a tray is not.
_TRAY_M = 0.08
# A frame that has turned or shifted by less has not moved: TF has noise.
_STILL_M, _STILL_RAD = 1e-3, 2e-3


class _Part(NamedTuple):
    """Box around all meshes of one frame, in that frame, metres."""

    frame_id: str
    fixture_id: str
    low: Array
    high: Array

    @property
    def volume(self) -> float:
        """Of the box, cubic metres."""
        return float(np.prod(self.high - self.low))


class Carriers:
    """
    The movable parts of a scene.

    Parameters
    ----------
    scene : Scene
        Parts with a frame of their own can carry things.
    caster : RayCaster, optional
        Tells what is under a thing, be it the worktop over a drawer.

    Attributes
    ----------
    world_T_part : mapping of str to RigidTransform
        Frames of the parts, as far as they are known at this stamp; set anew for every frame.

    """

    def __init__(self, scene: Scene, caster: RayCaster | None = None) -> None:
        self._parts = tuple(_movable_parts(scene))
        self._caster = caster
        self._frame_of = {part.name: part.frame_id for part in scene.parts}
        self._part_of = {part.frame_id: part for part in self._parts}
        self._trays = [p for p in self._parts if (p.high - p.low).min() >= _TRAY_M]
        self.world_T_part: Mapping[str, RigidTransform] = {}

    @property
    def with_trays(self) -> frozenset[str]:
        """Fixtures with a movable part that is deep enough to hold things: no mere doors."""
        return frozenset(
            part.fixture_id for part in self._parts if (part.high - part.low).min() >= _TRAY_M
        )

    @property
    def doors(self) -> frozenset[str]:
        """Frames of the movable parts that are too thin to hold anything."""
        return frozenset(p.frame_id for p in self._parts if (p.high - p.low).min() < _TRAY_M)

    def is_in_tray(self, place: Array) -> bool:
        """Whether a place is within a part that is deep enough to hold things, at this stamp."""
        return any(
            _contains(part, self.world_T_part[part.frame_id], place)
            for part in self._trays
            if part.frame_id in self.world_T_part
        )

    def fixture_of(self, frame_id: str) -> str:
        """Give the fixture that a carrying frame belongs to; '' for none."""
        return self._part_of[frame_id].fixture_id if frame_id in self._part_of else ''

    def attach(self, track: Track, world_T_part: Mapping[str, RigidTransform]) -> None:
        """
        Find out in or on which part a thing was just seen to be.

        A part that is silent for a moment keeps what still lies where it was in it, but gets
        nothing new.

        Parameters
        ----------
        track : Track
            Its position is of this moment.
        world_T_part : mapping of str to RigidTransform
            Frames of the parts at this moment, as far as they are known.

        """
        place = track.position
        if place is None:
            return
        found = [
            (part, pose)
            for part, pose in self._posed(track, world_T_part)
            if _holds(part, pose, place, track)
            and (_contains(part, pose, place) or not self._has_another_under(part, track, place))
        ]
        if not found:
            track.carrier, track.carrier_pose = '', []
            return
        best, pose = min(found, key=lambda item: (item[0].volume, item[0].frame_id))
        if best.frame_id == track.carrier and _has_rested(_carrier_pose(track), pose):
            return  # steps too small to tell from noise add up, seen or not
        track.carrier = best.frame_id
        _set_carrier_pose(track, pose)

    def _posed(
        self, track: Track, world_T_part: Mapping[str, RigidTransform]
    ) -> Iterator[tuple[_Part, RigidTransform]]:
        """Give the parts whose pose is known, or was when they took up the thing."""
        for part in self._parts:
            pose = world_T_part.get(part.frame_id)
            if pose is None and part.frame_id == track.carrier:
                pose = _carrier_pose(track)
            if pose is not None:
                yield part, pose

    def _has_another_under(self, part: _Part, track: Track, place: Array) -> bool:
        """Whether a thing above a part stands on something between the two."""
        if self._caster is None:
            return False
        below = place - np.array([0.0, 0.0, track.size[2] / 2 + _SUPPORT_M])
        hit = int(self._caster.first_hits(place, below[None], np.zeros(1)).part[0])
        if hit == NO_PART:
            return False
        return self._frame_of.get(self._caster.part_names[hit], '') != part.frame_id

    def ride(self, track: Track, world_T_part: Mapping[str, RigidTransform]) -> bool:
        """
        Take a thing along when the part that carries it has moved; gives whether it did.

        All that is remembered of its place moves, so that it rests relative to the part.
        """
        pose = world_T_part.get(track.carrier)
        if pose is None or track.carrier not in self._part_of:
            return False
        before = _carrier_pose(track)
        if _has_rested(before, pose):
            return False
        has_turned = before.distance_to(pose)[1] >= _STILL_RAD
        if not has_turned:  # small turns add up until they are told from noise
            pose = RigidTransform(pose.translation, before.quat_xyzw)
        step = pose @ before.inverse()
        _set_carrier_pose(track, pose)
        if track.mean is not None and self._rests_in(track, before):
            track.mean = step.apply(track.mean).tolist()
        if has_turned:
            box = step @ RigidTransform(np.zeros(3), np.array(track.quat))
            track.quat = box.quat_xyzw.tolist()
        if track.last_fix is not None:
            track.last_fix = step.apply(track.last_fix).tolist()
        if track.sure_fix is not None:
            track.sure_fix = step.apply(track.sure_fix).tolist()
        track.trail = [(stamp_ns, step.apply(fix).tolist()) for stamp_ns, fix in track.trail]
        return True

    def _rests_in(self, track: Track, world_T_part: RigidTransform) -> bool:
        """Whether the place of rest is in the part, too, and not only the thing in a hand."""
        if not track.in_motion or track.mean is None:
            return True
        part = self._part_of[track.carrier]
        return _holds(part, world_T_part, np.array(track.mean), track)


def _carrier_pose(track: Track) -> RigidTransform:
    """Give the pose in which the part that carries a thing was last taken note of."""
    return RigidTransform(np.array(track.carrier_pose[:3]), np.array(track.carrier_pose[3:]))


def _set_carrier_pose(track: Track, pose: RigidTransform) -> None:
    track.carrier_pose = [*pose.translation.tolist(), *pose.quat_xyzw.tolist()]


def _has_rested(before: RigidTransform, now: RigidTransform) -> bool:
    """Whether two poses of a frame differ by no more than noise."""
    shift_m, turn_rad = before.distance_to(now)
    return shift_m < _STILL_M and turn_rad < _STILL_RAD


def _movable_parts(scene: Scene) -> list[_Part]:
    """One box for each frame."""
    vertices: dict[str, list[Array]] = {}
    fixtures: dict[str, str] = {}
    for part in scene.parts:
        if part.frame_id and len(part.vertices):
            vertices.setdefault(part.frame_id, []).append(part.vertices)
            fixtures.setdefault(part.frame_id, part.fixture_id)
    boxes = []
    for frame_id in sorted(vertices):
        points = np.concatenate(vertices[frame_id])
        boxes.append(_Part(frame_id, fixtures[frame_id], points.min(axis=0), points.max(axis=0)))
    return boxes


def _contains(part: _Part, world_T_part: RigidTransform, place: Array) -> bool:
    """Whether a place is inside the part's box itself."""
    local = world_T_part.inverse().apply(place)
    return bool((local >= part.low).all() and (local <= part.high).all())


def _holds(part: _Part, world_T_part: RigidTransform, place: Array, track: Track) -> bool:
    """Whether a thing's centre is inside the part's box, or above it by no more than its size."""
    local = world_T_part.inverse().apply(place)
    up = world_T_part.rotation[2]  # the fixed frame's z axis, in the axes of the part
    above = up * (_ON_TOP_M + track.size[2] / 2)
    margin = _HOLD_M if track.carrier == part.frame_id else 0.0
    low = part.low + np.minimum(above, 0.0) - margin
    high = part.high + np.maximum(above, 0.0) + margin
    return bool((local >= low).all() and (local <= high).all())
