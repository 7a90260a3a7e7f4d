"""The Embree caster: the port's suite, and what is its own (rebuilds, chunks, precision)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
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

    rebuild_rays = 5000
    rebuild_faces = 20
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
        caster.pose_parts(poses)
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


@pytest.mark.parametrize('num_over', [-1, 0, 1, 7 + EmbreeRayCaster.batch_rays])
def test_batches_larger_than_a_chunk_give_each_ray_its_own_answer(num_over: int) -> None:
    caster = EmbreeRayCaster(Scene((box_part('wall', (0, 0, 5), (10, 10, 0.2)),)))
    num = EmbreeRayCaster.batch_rays + num_over
    depth = np.where(np.arange(num) % 3 == 0, 8.0, 4.0)
    targets = np.column_stack([np.zeros(num), np.zeros(num), depth])
    # Every fifth segment is shorter than its tolerance, and free therefore.
    tolerance = np.where(np.arange(num) % 5 == 0, 9.0, 0.0)
    expected = (depth > 5) & (tolerance == 0)

    hits = caster.first_hits(np.zeros(3), targets, tolerance)
    blocked = caster.any_hits(np.zeros(3), targets, tolerance)

    assert (hits.part == np.where(expected, 0, -1)).all()
    np.testing.assert_allclose(hits.distance_m, np.where(expected, 4.9, np.inf), rtol=1e-6)
    assert (blocked == expected).all()


def test_whole_batch_of_short_segments_is_free() -> None:
    caster = EmbreeRayCaster(Scene((box_part('wall', (0, 0, 5), (10, 10, 0.2)),)))
    num = EmbreeRayCaster.batch_rays + 3
    targets = np.full((num, 3), 8.0)
    tolerance = np.full(num, 99.0)
    tolerance[-1] = 0.0

    blocked = caster.any_hits(np.zeros(3), targets, tolerance)

    assert blocked.tolist() == [False] * (num - 1) + [True]


@given(offset=st.tuples(*[st.floats(-3.0, 3.0)] * 3), share=st.floats(0.0, 0.9))
def test_any_size_of_batch_gives_the_same_answer(
    offset: tuple[float, float, float], share: float
) -> None:
    """Cutting into batches moves no hit by a bit."""
    scene = Scene(
        (box_part('wall', (0, 0, 5), (10, 10, 0.2)), box_part('box', (1, 1, 2), (1, 1, 1)))
    )
    whole, cut = EmbreeRayCaster(scene), EmbreeRayCaster(scene)
    cut.batch_rays = 3
    targets = np.random.default_rng(0).uniform(-8, 8, (20, 3))
    tolerance = share * np.linalg.norm(targets - offset, axis=1)

    one = whole.first_hits(np.array(offset), targets, tolerance)
    other = cut.first_hits(np.array(offset), targets, tolerance)

    assert one.part.tolist() == other.part.tolist()
    assert one.distance_m.tolist() == other.distance_m.tolist()
    assert (cut.any_hits(np.array(offset), targets, tolerance) == (one.part >= 0)).all()


def test_a_scene_of_empty_parts_hides_nothing() -> None:
    empty = ScenePart('nothing', '', '', np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32))
    caster = EmbreeRayCaster(Scene((empty, box_part('box', (0, 0, 3), (1, 1, 1)))))

    hits = caster.first_hits(np.zeros(3), np.array([[0.0, 0.0, 9.0]]), np.zeros(1))

    assert hits.part.tolist() == [1]
