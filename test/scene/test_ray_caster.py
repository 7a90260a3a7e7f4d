"""The Embree caster: the port's suite, and what is its own (rebuilds, chunks, precision)."""

from __future__ import annotations

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import RayCaster
from st_memory.core.records import Scene, ScenePart
from st_memory.scene import EmbreeRayCaster, ray_caster, split_ray_caster
from test.contracts.ray_caster import (
    box_part,
    BruteForceRayCaster,
    random_part,
    RayCasterConformance,
)


class TestEmbreeRayCaster(RayCasterConformance):
    """The port's suite on Embree."""

    def make_caster(self, scene: Scene) -> RayCaster:
        return EmbreeRayCaster(scene)


class TestBruteForceRayCaster(RayCasterConformance):
    """The port's suite on its own oracle, where that promises the same."""

    test_misuse_names_the_argument = None  # type: ignore[assignment]

    def make_caster(self, scene: Scene) -> RayCaster:
        return BruteForceRayCaster(scene)


def _pose(rng: np.random.Generator) -> RigidTransform:
    quat = rng.normal(size=4)
    return RigidTransform(rng.normal(0, 1, 3), quat / np.linalg.norm(quat))


def test_first_hits_after_moves_equal_a_full_rebuild(monkeypatch: pytest.MonkeyPatch) -> None:
    # One centre for both, so that the same numbers are rounded to float32.
    monkeypatch.setattr(split_ray_caster, '_centre_of', lambda _: np.zeros(3))
    rng = np.random.default_rng(0)
    frames = [f'door_{i}' for i in range(8)]
    doors = [random_part(f, rng, 12, f) for f in frames]
    fixed = random_part('room', rng, 2000)
    caster = EmbreeRayCaster(Scene((fixed, *doors)))
    poses: dict[str, RigidTransform] = {}
    mismatches = rays = 0
    for _ in range(20):
        moved = {f: _pose(rng) for f in frames if rng.uniform() < 0.4}
        poses.update(moved)
        caster.pose_parts(moved)
        baked = [
            ScenePart(d.name, '', '', poses[d.frame_id].apply(d.vertices), d.triangles)
            for d in doors
            if d.frame_id in poses
        ]
        rebuilt = EmbreeRayCaster(Scene((fixed, *baked)))
        origin, targets = rng.uniform(-2, 2, 3), rng.uniform(-3, 3, (5000, 3))
        tolerance = rng.uniform(0, 0.1, 5000)

        got = caster.first_hits(origin, targets, tolerance)
        want = rebuilt.first_hits(origin, targets, tolerance)

        names = np.array([*caster.part_names, ''])[got.part]
        wanted = np.array([*rebuilt.part_names, ''])[want.part]
        mismatches += int((names != wanted).sum())
        rays += len(targets)

    assert rays == 100_000
    assert mismatches == 0


def test_a_pose_that_did_not_change_rebuilds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    door = box_part('door', (0, 0, 0), (1, 1, 0.1), frame_id='hinge')
    caster = EmbreeRayCaster(Scene((door,)))
    built: list[int] = []
    triangles = ray_caster._Triangles

    def counting(*args: list[object]) -> object:
        built.append(1)
        return triangles(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(ray_caster, '_Triangles', counting)
    ahead = np.array([[0.0, 0.0, 8.0]])
    for z in (1.0, 1.0, 2.0):
        caster.pose_parts({'hinge': RigidTransform(np.array([0, 0, z]), np.array([0, 0, 0, 1]))})
        caster.first_hits(np.zeros(3), ahead, np.zeros(1))

    assert len(built) == 2


def test_batches_larger_than_a_chunk_give_each_ray_its_own_answer() -> None:
    caster = EmbreeRayCaster(Scene((box_part('wall', (0, 0, 5), (10, 10, 0.2)),)))
    num = 2 * ray_caster._CHUNK_RAYS + 7
    depth = np.where(np.arange(num) % 3 == 0, 8.0, 4.0)
    targets = np.column_stack([np.zeros(num), np.zeros(num), depth])

    hits = caster.first_hits(np.zeros(3), targets, np.zeros(num))

    assert (hits.part == np.where(depth > 5, 0, -1)).all()


def test_a_scene_of_empty_parts_hides_nothing() -> None:
    empty = ScenePart('nothing', '', '', np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32))
    caster = EmbreeRayCaster(Scene((empty, box_part('box', (0, 0, 3), (1, 1, 1)))))

    hits = caster.first_hits(np.zeros(3), np.array([[0.0, 0.0, 9.0]]), np.zeros(1))

    assert hits.part.tolist() == [1]
