"""Which fixtures are nearest to a place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from st_memory.core.records import Fixture, Scene
from st_memory.core.records.detections import Point

__all__ = ['RankedFixture', 'rank_fixtures']


class RankedFixture(NamedTuple):
    """A fixture and how far from its box a place is, metres; 0 inside."""

    fixture: Fixture
    distance_m: float


def rank_fixtures(scene: Scene, world_p: Point) -> tuple[RankedFixture, ...]:
    """
    Give all fixtures of a scene, the nearest to a place first.

    Parameters
    ----------
    scene : Scene
        Fixtures with their boxes.
    world_p : (3,) float
        The place, in the fixed frame, metres.

    Returns
    -------
    tuple of RankedFixture
        Of boxes equally near (those that hold the place, mostly) the smallest comes first.

    """
    ranked = []
    for fixture in scene.fixtures:
        half = np.array(fixture.size_m) / 2
        local = fixture.world_T_box.inverse().apply(np.array(world_p))
        outside = np.maximum(np.abs(local) - half, 0.0)
        ranked.append((float(np.linalg.norm(outside)), float(np.prod(half)), fixture))
    ranked.sort(key=lambda row: (row[0], row[1], row[2].fixture_id))
    return tuple(RankedFixture(fixture, distance_m) for distance_m, _, fixture in ranked)
