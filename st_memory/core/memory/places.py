"""In or on which fixture a place is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import Box3D
from st_memory.core.memory.carriers import Carriers
from st_memory.core.memory.track import Track
from st_memory.core.ports import RayCaster
from st_memory.core.records import Fixture, Scene

__all__ = ['Places']

# Fixtures whose boxes are this nearly as close are alternatives, not losers.
_ALTERNATIVE_M = 0.1
# Below the lower face of a thing's box, as it is measured, there is a surface this near.
_SUPPORT_M = 0.05
# What is taller than this is not a thing that is carried about.
_SUPPORT_REACH_M = 0.4
# The middle of a flat thing is measured as low as the surface that it lies on.
_LIFT_M = 0.01
# What lies in a tray may reach this far above or below its container's box.
_TRAY_PLAY_M = 0.1
# Places are measured this far off; what has so much air under it stands on nothing.
_SLACK_M = 0.1
# Where under a thing a surface is looked for: it may be at the edge of one.
_FOOT = np.array(
    [[0.0, 0.0, 0.0], [0.08, 0.0, 0.0], [-0.08, 0.0, 0.0], [0.0, 0.08, 0.0], [0.0, -0.08, 0.0]]
)

Array = NDArray[np.float64]


class Places:
    """
    The fixtures of a scene as arrays, and its movable parts.

    Parameters
    ----------
    scene : Scene
        Fixtures and parts.
    reach_m : float
        An object this near to a fixture's box is in or on it.
    caster : RayCaster, optional
        Tells what stands on nothing that the scene knows.

    Attributes
    ----------
    carriers : Carriers
        What takes things along.
    unsure : mapping of str to Box3D
        Containers whose state is not known at this stamp; set anew for every frame.

    """

    def __init__(self, scene: Scene, reach_m: float, caster: RayCaster | None = None) -> None:
        self._fixtures: tuple[Fixture, ...] = tuple(
            sorted(scene.fixtures, key=lambda f: f.fixture_id)
        )
        self._reach_m = reach_m
        self._caster = caster
        self._containers = {f.fixture_id for f in self._fixtures if f.is_container}
        self.carriers = Carriers(scene, caster)
        self._with_trays = self.carriers.with_trays
        doors = self.carriers.doors
        by_name = {part.name: part.frame_id in doors for part in scene.parts}
        names = caster.part_names if caster is not None else ()
        # By part, and last for what is no part.
        self._bears = np.array([not by_name.get(name, False) for name in names] + [False])
        self._doors = {
            name: frozenset(p.frame_id for p in scene.parts if p.frame_id and p.fixture_id == name)
            for name in self._containers
        }
        self.unsure: Mapping[str, Box3D] = {}
        self._half = np.array([f.size_m for f in self._fixtures]).reshape(-1, 3) / 2
        boxes = [f.world_T_box.inverse() for f in self._fixtures]
        self._rotation = np.array([b.rotation for b in boxes]).reshape(-1, 3, 3)
        self._translation = np.array([b.translation for b in boxes]).reshape(-1, 3)

    def attribute(self, track: Track) -> None:
        """
        Write the fixture, its alternatives, the container and the support of the track's place.

        What a movable part carries is in that part's fixture, however far it is pulled out; so
        is what stands on nothing but could lie in a drawer whose state is not known. Else it is
        where the surface right under it belongs to, and where there is none the nearest box wins;
        among boxes that contain the place, the smallest.
        """
        track.fixture_id, track.fixture_alternatives, track.container_id = '', [], ''
        if track.mean is None:
            return
        place = np.array(track.mean)
        track.hangs = self.hangs(place, track.size[2])
        if not self._fixtures:
            return
        pulled_out = self.carriers.fixture_of(track.carrier) or self._tray_under(track, place)
        if pulled_out:
            track.fixture_id = pulled_out
            track.container_id = pulled_out if pulled_out in self._containers else ''
            return
        local = self._rotation @ place + self._translation
        outside = np.maximum(np.abs(local) - self._half, 0.0)
        distance = np.sqrt(np.einsum('ij,ij->i', outside, outside))
        volume = np.prod(2 * self._half, axis=1)
        under = self._fixture_under(place, track.size[2])
        is_under = np.array([f.fixture_id == under for f in self._fixtures])
        order = np.lexsort((volume, distance, ~(is_under & (distance <= self._reach_m))))
        best = int(order[0])
        if distance[best] > self._reach_m:
            return
        near = [
            i
            for i in order[1:]
            if distance[i] <= min(distance[best] + _ALTERNATIVE_M, self._reach_m)
        ]
        track.fixture_id = self._fixtures[best].fixture_id
        track.fixture_alternatives = [self._fixtures[i].fixture_id for i in near]
        # Places are measured a little too low, too: on its floor is in it.
        is_sunk = local[best, 2] < 0.0 and distance[best] == outside[best, 2] <= _SLACK_M
        if self._fixtures[best].is_container and (distance[best] == 0.0 or is_sunk):
            track.container_id = track.fixture_id

    def _fixture_under(self, place: Array, height_m: float) -> str:
        """Name the fixture that a thing stands on; places are measured a little too low, too."""
        if self._caster is None:
            return ''
        top = place + np.array([0.0, 0.0, _SLACK_M])
        below = place - np.array([0.0, 0.0, _SLACK_M + height_m / 2])
        hit = int(self._caster.first_hits(top, below[None], np.zeros(1)).part[0])
        return self._caster.part_fixtures[hit] if self._bears[hit] else ''

    def _tray_under(self, track: Track, place: Array) -> str:
        """
        Name the container of unknown state that a thing without support was put into.

        It must have a tray; a drawer comes out by no more than its depth, and stays at its height.
        """
        if self._caster is None or not self.unsure or self._is_supported(track, place):
            return ''
        near = self._near_trays(place)
        return min(near)[1] if near else ''

    def _near_trays(self, place: Array) -> list[tuple[float, str]]:
        """Give the containers of unknown state whose tray may be under a place, and how far."""
        near = []
        for name in sorted(self.unsure.keys() & self._with_trays):
            box = self.unsure[name]
            beyond = np.abs(box.world_T_box.inverse().apply(place)) - np.array(box.size) / 2
            gap = np.maximum(beyond, 0.0)
            reach = max(box.size[0], box.size[1])
            if 0.0 < max(gap[0], gap[1]) <= reach and gap[2] <= _TRAY_PLAY_M:
                near.append((float(np.sqrt(gap @ gap)), name))
        return near

    def support_below(self, place: Array, reach_m: float = _SUPPORT_REACH_M) -> float | None:
        """Give how far under a place the scene has a surface, metres; None for none in reach."""
        if self._caster is None:
            return None
        below = place - np.array([0.0, 0.0, reach_m])
        hits = self._caster.first_hits(place, below[None], np.zeros(1))
        distance = float(hits.distance_m[0])
        return distance if np.isfinite(distance) else None

    def doors_of(self, track: Track) -> frozenset[str]:
        """Frames of the movable parts of the container that a thing is in."""
        return self._doors.get(track.container_id, frozenset())

    def sink(self, track: Track) -> None:
        """
        Note how far a thing's box reaches below what it stands on, which it does not.

        Boxes are as high as detections, and those also show the depth of what is seen from above.
        """
        height = track.size[2]
        track.sunk_m = 0.0
        if track.mean is None or not height > 0.0 or track.quat[:3] != [0.0, 0.0, 0.0]:
            return
        middle = np.array(track.mean) + np.array([0.0, 0.0, _LIFT_M])
        gap = self.support_below(middle, height / 2 + _LIFT_M)
        if gap is not None:
            track.sunk_m = height / 2 + _LIFT_M - gap

    @property
    def knows_surfaces(self) -> bool:
        """Whether the scene has meshes that tell what is under things."""
        return self._caster is not None

    def hangs(self, place: Array, height_m: float) -> bool:
        """
        Whether the scene has nothing under a thing: somebody holds it.

        False without meshes, and near a tray that may be pulled out: nothing is known then. No
        thing stands on the edge of a door. Of what lies in a tray only the upper part may show.

        Parameters
        ----------
        place : (3,) float64
            Its centre, metres.
        height_m : float
            Its height.

        """
        if self._caster is None:
            return False
        top = place + np.array([0.0, 0.0, _SLACK_M])
        below = top + _FOOT - np.array([0.0, 0.0, 2 * _SLACK_M + height_m / 2])
        hits = self._caster.first_hits(top, below, np.zeros(len(below)))
        if self._bears[hits.part].any() or self._near_trays(place):
            return False
        return not self.carriers.is_in_tray(place)

    def is_behind(self, place: Array, range_m: float, ray: Array) -> bool:
        """
        Whether the scene has a surface in front of a place that was seen along a ray.

        Parameters
        ----------
        place : (3,) float64
            Middle of what was seen, metres.
        range_m : float
            How far it was from the camera.
        ray : (3,) float64
            Unit vector from the camera to it.

        """
        if self._caster is None:
            return False
        hits = self._caster.first_hits(place - range_m * ray, place[None], np.zeros(1))
        return bool(hits.distance_m[0] < range_m)

    def _is_supported(self, track: Track, place: Array) -> bool:
        """Whether the scene has a surface right under a thing."""
        return self.support_below(place, track.size[2] / 2 + _SUPPORT_M) is not None
