"""How long twenty doors take to be moved, until the next ray is answered, beside a new scene."""

from __future__ import annotations

import itertools
import statistics

import numpy as np
from numpy.typing import NDArray

from benchmarks.figure import Figure, Goal, Measured, MeasuringError
from benchmarks.kitchen_mesh import door_frames, kitchen, POSE, with_doors
from benchmarks.sampling import alternate, seconds_of
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import Scene, ScenePart
from st_memory.scene import EmbreeRayCaster

__all__ = ['DOOR_UPDATE_20', 'compare', 'doors_at']

_ROUNDS, _WARM_UPS = 7, 1
_UPDATES_A_ROUND = 15
# One nine-point object straight ahead: what is asked of the scene after the doors moved.
_ENDS = np.array([2.0, 1.7, 1.0]) + np.array(
    [[x, y, z] for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)] + [[0.0] * 3]
)
_TOLERANCE = np.full(len(_ENDS), 0.03)


def doors_at(turn: int) -> dict[str, RigidTransform]:
    """Give the poses of all doors, opened a little differently every turn."""
    poses = {}
    for i, frame in enumerate(door_frames()):
        half = 0.5 * (0.05 * i + 0.01 * (turn % 100))
        hinge = np.array([0.8 + 0.25 * i, 1.0 + 0.17 * i, 0.5 + 0.06 * i])
        poses[frame] = RigidTransform(hinge, np.array([0.0, 0.0, np.sin(half), np.cos(half)]))
    return poses


def compare(scene: Scene, rounds: int) -> Measured:
    """Move the doors of a scene and ask; the reference builds the whole scene anew and asks."""
    turns = itertools.count()
    caster = EmbreeRayCaster(scene)

    def ask(asked: EmbreeRayCaster) -> NDArray[np.bool_]:
        return asked.any_hits(POSE.translation, _ENDS, _TOLERANCE)

    def update() -> NDArray[np.bool_]:
        caster.pose_parts(doors_at(next(turns)))
        return ask(caster)

    def rebuild(turn: int) -> NDArray[np.bool_]:
        return ask(EmbreeRayCaster(_placed(scene, doors_at(turn))))

    for turn in (0, 50):
        caster.pose_parts(doors_at(turn))
        if not np.array_equal(ask(caster), rebuild(turn)):
            raise MeasuringError('doors that were moved hide other points than a scene built anew')
    return alternate(
        # An update is short beside a rebuild: more of them are sampled.
        lambda: statistics.median(seconds_of(update) for _ in range(_UPDATES_A_ROUND)) * 1e3,
        lambda: seconds_of(lambda: rebuild(next(turns))) * 1e3,
        rounds,
        _WARM_UPS,
    )


def _placed(scene: Scene, world_T_part: dict[str, RigidTransform]) -> Scene:
    """Give a scene whose doors are parts of the fixed frame."""
    parts = [
        part
        if not part.frame_id
        else ScenePart(
            part.name,
            part.fixture_id,
            '',
            world_T_part[part.frame_id].apply(part.vertices),
            part.triangles,
        )
        for part in scene.parts
    ]
    return Scene(tuple(parts))


DOOR_UPDATE_20 = Figure(
    name='door_update_20',
    unit='ms',
    reference='the whole scene built anew with its doors in place, and asked',
    measure=lambda: compare(with_doors(kitchen()), _ROUNDS),
    goal=Goal('ratio', '<=', 0.01),
)
