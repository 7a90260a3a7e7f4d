"""Things that lie in or on a movable part go where the part goes: cups in a drawer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory.track import Track
from st_memory.core.records import Scene

__all__ = ['Carriers']

Array = NDArray[np.float64]

# What lies in a tray is measured a little beside it at times; it does not jump out for that.
_HOLD_M = 0.04
# Things stand on a part's highest point and reach above it by their own height.
_ON_TOP_M = 0.03
# A frame that has turned or shifted by less has not moved: TF has noise.
_STILL_M, _STILL_RAD = 1e-3, 2e-3


class _Part(NamedTuple):
    """Box around all meshes of one frame, in that frame, metres."""

    frame_id: str
    fixture_id: str
    low: Array
    high: Array


class Carriers:
    """
    The movable parts of a scene.

    Parameters
    ----------
    scene : Scene
        Parts with a frame of their own can carry things.

    """

    def __init__(self, scene: Scene) -> None:
        self._parts = tuple(_movable_parts(scene))
        self._fixture_of = {part.frame_id: part.fixture_id for part in self._parts}

    def fixture_of(self, frame_id: str) -> str:
        """Give the fixture that a carrying frame belongs to; '' for none."""
        return self._fixture_of.get(frame_id, '')

    def attach(self, track: Track, world_T_part: Mapping[str, RigidTransform]) -> None:
        """
        Find out in or on which part a thing was just seen to be.

        Parameters
        ----------
        track : Track
            Its position is of this moment.
        world_T_part : mapping of str to RigidTransform
            Frames of the parts at this moment; a part that is missing carries nothing.

        """
        place = track.position
        if place is None:
            return
        found = [
            part
            for part in self._parts
            if part.frame_id in world_T_part
            and _holds(part, world_T_part[part.frame_id], place, track)
        ]
        if not found:
            track.carrier, track.carrier_pose = '', []
            return
        best = min(found, key=lambda part: (float(np.prod(part.high - part.low)), part.frame_id))
        pose = world_T_part[best.frame_id]
        track.carrier = best.frame_id
        track.carrier_pose = [*pose.translation.tolist(), *pose.quat_xyzw.tolist()]

    def ride(self, track: Track, world_T_part: Mapping[str, RigidTransform]) -> bool:
        """
        Take a thing along when the part that carries it has moved; gives whether it did.

        All that is remembered of its place moves, so that it rests relative to the part.
        """
        pose = world_T_part.get(track.carrier)
        if pose is None:
            return False
        before = RigidTransform(np.array(track.carrier_pose[:3]), np.array(track.carrier_pose[3:]))
        shift_m, turn_rad = before.distance_to(pose)
        if shift_m < _STILL_M and turn_rad < _STILL_RAD:
            return False
        step = pose @ before.inverse()
        track.carrier_pose = [*pose.translation.tolist(), *pose.quat_xyzw.tolist()]
        if track.mean is not None and not track.in_motion:
            track.mean = step.apply(track.mean).tolist()
            box = step @ RigidTransform(np.zeros(3), np.array(track.quat))
            track.quat = box.quat_xyzw.tolist() if turn_rad >= _STILL_RAD else track.quat
        if track.last_fix is not None:
            track.last_fix = step.apply(track.last_fix).tolist()
        track.trail = [(stamp_ns, step.apply(fix).tolist()) for stamp_ns, fix in track.trail]
        return True


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


def _holds(part: _Part, world_T_part: RigidTransform, place: Array, track: Track) -> bool:
    """Whether a thing's centre is inside the part's box, or above it by no more than its size."""
    local = world_T_part.inverse().apply(place)
    up = world_T_part.rotation[2]  # the fixed frame's z axis, in the axes of the part
    above = up * (_ON_TOP_M + track.size[2] / 2)
    margin = _HOLD_M if track.carrier == part.frame_id else 0.0
    low = part.low + np.minimum(above, 0.0) - margin
    high = part.high + np.maximum(above, 0.0) + margin
    return bool((local >= low).all() and (local <= high).all())
