"""In or on which fixture a place is."""

from __future__ import annotations

import numpy as np

from st_memory.core.memory.track import Track
from st_memory.core.records import Fixture, Scene

__all__ = ['Places', 'unsure_fixtures']

# Fixtures whose boxes are this nearly as close are alternatives, not losers.
_ALTERNATIVE_M = 0.1


class Places:
    """The fixtures of a scene as arrays."""

    def __init__(self, scene: Scene, reach_m: float) -> None:
        self._fixtures: tuple[Fixture, ...] = tuple(
            sorted(scene.fixtures, key=lambda f: f.fixture_id)
        )
        self._reach_m = reach_m
        self._half = np.array([f.size_m for f in self._fixtures]).reshape(-1, 3) / 2
        boxes = [f.world_T_box.inverse() for f in self._fixtures]
        self._rotation = np.array([b.rotation for b in boxes]).reshape(-1, 3, 3)
        self._translation = np.array([b.translation for b in boxes]).reshape(-1, 3)

    def attribute(self, track: Track) -> None:
        """
        Write the fixture, its alternatives and the container of the track's place.

        The nearest box wins; among boxes that contain the place, the smallest.
        """
        track.fixture_id, track.fixture_alternatives, track.container_id = '', [], ''
        if track.mean is None or not self._fixtures:
            return
        local = self._rotation @ np.array(track.mean) + self._translation
        outside = np.maximum(np.abs(local) - self._half, 0.0)
        distance = np.sqrt(np.einsum('ij,ij->i', outside, outside))
        volume = np.prod(2 * self._half, axis=1)
        order = np.lexsort((volume, distance))
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
        if self._fixtures[best].is_container and distance[best] == 0.0:
            track.container_id = track.fixture_id


def unsure_fixtures(scene: Scene, known_frames: frozenset[str]) -> frozenset[str]:
    """
    Name the containers whose doors' state is not known.

    A container is sure when it has movable parts and the frames of all of them are known.
    """
    frames_by_fixture: dict[str, set[str]] = {}
    for part in scene.parts:
        if part.frame_id and part.fixture_id:
            frames_by_fixture.setdefault(part.fixture_id, set()).add(part.frame_id)
    sure = {name for name, frames in frames_by_fixture.items() if frames <= known_frames}
    return frozenset(
        f.fixture_id for f in scene.fixtures if f.is_container and f.fixture_id not in sure
    )
