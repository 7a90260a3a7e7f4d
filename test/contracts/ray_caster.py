"""
Conformance suite of the ray caster port, with a brute-force caster as its oracle.

A backend inherits :class:`RayCasterConformance` and gives ``make_caster``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st
import numpy as np
from numpy.typing import NDArray
import pytest

from st_memory.core.geometry import Joint, JointKind, JointTree, RigidTransform
from st_memory.core.ports import NO_PART, RayCaster, RayHits
from st_memory.core.records import Articulation, Scene, ScenePart

__all__ = ['BruteForceRayCaster', 'RayCasterConformance', 'box_part', 'random_part']

# Float32 backends at a few metres; far below any tolerance in use.
ATOL_M = 5e-6


class BruteForceRayCaster:
    """Every ray against every triangle in float64 (Moeller and Trumbore, 1997)."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        placed = scene.articulation
        self._poses: dict[str, RigidTransform] = {} if placed is None else placed.rest_poses()

    @property
    def part_names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self._scene.parts)

    @property
    def part_fixtures(self) -> tuple[str, ...]:
        return tuple(p.fixture_id for p in self._scene.parts)

    @property
    def movable_frames(self) -> tuple[str, ...]:
        return tuple(sorted({p.frame_id for p in self._scene.parts} - {''}))

    def pose_parts(self, world_T_part: Mapping[str, RigidTransform]) -> None:
        self._poses = {f: world_T_part[f] for f in self.movable_frames if f in world_T_part}

    def first_hits(
        self,
        origin: NDArray[np.float64],
        targets: NDArray[np.float64],
        tolerance_m: NDArray[np.float64],
    ) -> RayHits:
        length = np.linalg.norm(targets - origin, axis=1)
        distance = np.full(len(targets), np.inf)
        part = np.full(len(targets), NO_PART, dtype=np.int32)
        directions = (targets - origin) / np.where(length > 0, length, 1.0)[:, np.newaxis]
        for index, piece in enumerate(self._scene.parts):
            vertices = piece.vertices
            if piece.frame_id:
                if piece.frame_id not in self._poses:
                    continue
                vertices = self._poses[piece.frame_id].apply(vertices)
            for triangle in vertices[piece.triangles]:
                t = _ray_triangle(origin, directions, triangle)
                nearer = (t < distance) & (t < length - tolerance_m)
                distance[nearer] = t[nearer]
                part[nearer] = index
        return RayHits(distance, part)

    def any_hits(
        self,
        origin: NDArray[np.float64],
        targets: NDArray[np.float64],
        tolerance_m: NDArray[np.float64],
    ) -> NDArray[np.bool_]:
        return self.first_hits(origin, targets, tolerance_m).part != NO_PART


def _ray_triangle(
    origin: NDArray[np.float64], directions: NDArray[np.float64], triangle: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Distance along each ray to one triangle, inf when it misses."""
    edge_1, edge_2 = triangle[1] - triangle[0], triangle[2] - triangle[0]
    across = np.cross(directions, edge_2)
    determinant = across @ edge_1
    with np.errstate(divide='ignore', invalid='ignore'):
        offset = origin - triangle[0]
        u = across @ offset / determinant
        turned = np.cross(offset, edge_1)
        v = directions @ turned / determinant
        t = float(turned @ edge_2) / determinant
        inside = (u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0)
    return np.where(inside, t, np.inf)


def box_part(
    name: str,
    centre: tuple[float, float, float],
    size: tuple[float, float, float],
    *,
    frame_id: str = '',
    fixture_id: str = '',
) -> ScenePart:
    """Give a closed box of twelve triangles."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return ScenePart(
        name,
        fixture_id,
        frame_id,
        corners * np.array(size) + np.array(centre),
        np.array(triangles, dtype=np.int32),
    )


def random_part(name: str, rng: np.random.Generator, num: int, frame_id: str = '') -> ScenePart:
    """Give a cloud of triangles of about 0.5 m in a room of 4 m."""
    middle = rng.uniform(-2, 2, (num, 1, 3))
    vertices = (middle + rng.normal(0, 0.3, (num, 3, 3))).reshape(-1, 3)
    return ScenePart(
        name, '', frame_id, vertices, np.arange(3 * num, dtype=np.int32).reshape(-1, 3)
    )


def _moved(x: float = 0.0, y: float = 0.0, z: float = 0.0, yaw: float = 0.0) -> RigidTransform:
    return RigidTransform(
        np.array([x, y, z]), np.array([0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2)])
    )


WALL = box_part('wall', (0.0, 0.0, 5.0), (4.0, 4.0, 0.2))
ORIGIN = np.zeros(3)
AHEAD = np.array([[0.0, 0.0, 8.0]])


class RayCasterConformance(ABC):
    """What every ray caster must do."""

    # Of the comparison with a full rebuild; slow casters take less.
    rebuild_rays = 100_000
    rebuild_faces = 1000

    @abstractmethod
    def make_caster(self, scene: Scene) -> RayCaster:
        """Give the caster under test."""

    def test_caster_is_a_ray_caster(self) -> None:
        assert isinstance(self.make_caster(Scene()), RayCaster)

    def test_names_follow_the_scene_order(self) -> None:
        scene = Scene(
            (
                box_part('b', (0, 0, 1), (1, 1, 1), fixture_id='shelf'),
                box_part('a', (0, 0, 3), (1, 1, 1), frame_id='door'),
                box_part('c', (0, 0, 5), (1, 1, 1), frame_id='arm'),
            )
        )

        caster = self.make_caster(scene)

        assert caster.part_names == ('b', 'a', 'c')
        assert caster.part_fixtures == ('shelf', '', '')
        assert caster.movable_frames == ('arm', 'door')

    def test_first_hits_in_an_empty_scene_are_none(self) -> None:
        hits = self.make_caster(Scene()).first_hits(ORIGIN, AHEAD, np.zeros(1))

        assert np.isinf(hits.distance_m).all()
        assert hits.part.tolist() == [NO_PART]

    def test_first_hits_without_targets_are_empty(self) -> None:
        hits = self.make_caster(Scene((WALL,))).first_hits(ORIGIN, np.zeros((0, 3)), np.zeros(0))

        assert hits.distance_m.shape == (0,)
        assert hits.part.shape == (0,)

    def test_first_hits_give_distance_and_part_of_the_nearest_surface(self) -> None:
        caster = self.make_caster(Scene((WALL, box_part('box', (0, 0, 3), (1, 1, 1)))))

        hits = caster.first_hits(ORIGIN, AHEAD, np.zeros(1))

        np.testing.assert_allclose(hits.distance_m, [2.5], atol=ATOL_M)
        assert hits.part.tolist() == [1]

    def test_first_hits_measure_along_the_ray_not_along_an_axis(self) -> None:
        target = np.array([[3.0, 0.0, 8.0]])  # meets the wall's face z = 4.9 at x = 1.8375

        hits = self.make_caster(Scene((WALL,))).first_hits(ORIGIN, target, np.zeros(1))

        np.testing.assert_allclose(hits.distance_m, [np.hypot(1.8375, 4.9)], atol=ATOL_M)

    def test_a_surface_behind_the_target_does_not_count(self) -> None:
        target = np.array([[0.0, 0.0, 4.0]])

        hits = self.make_caster(Scene((WALL,))).first_hits(ORIGIN, target, np.zeros(1))

        assert hits.part.tolist() == [NO_PART]

    @pytest.mark.parametrize(('tolerance', 'part'), [(0.09, 0), (0.11, NO_PART)])
    def test_tolerance_is_metres_before_the_target(self, tolerance: float, part: int) -> None:
        target = np.array([[0.0, 0.0, 5.0]])  # 0.1 m behind the wall's face

        hits = self.make_caster(Scene((WALL,))).first_hits(ORIGIN, target, np.array([tolerance]))

        assert hits.part.tolist() == [part]

    def test_tolerance_is_per_ray(self) -> None:
        targets = np.tile([[0.0, 0.0, 5.0]], (3, 1))

        hits = self.make_caster(Scene((WALL,))).first_hits(
            ORIGIN, targets, np.array([0.0, 0.2, 0.05])
        )

        assert hits.part.tolist() == [0, NO_PART, 0]

    def test_a_segment_shorter_than_its_tolerance_is_free(self) -> None:
        caster = self.make_caster(Scene((box_part('box', (0, 0, 0), (1, 1, 1)),)))
        targets = np.array([[0.0, 0.0, 0.6], [0.0, 0.0, 0.0]])

        hits = caster.first_hits(ORIGIN, targets, np.array([0.7, 0.0]))

        assert hits.part.tolist() == [NO_PART, NO_PART]

    def test_both_sides_of_a_triangle_block(self) -> None:
        caster = self.make_caster(Scene((WALL,)))

        inside_out = caster.first_hits(np.array([0.0, 0.0, 5.0]), AHEAD, np.zeros(1))

        np.testing.assert_allclose(inside_out.distance_m, [0.1], atol=ATOL_M)

    def test_a_movable_part_without_a_pose_is_not_there(self) -> None:
        door = box_part('door', (0, 0, 0), (1, 1, 0.1), frame_id='hinge')

        hits = self.make_caster(Scene((door,))).first_hits(
            np.array([0.0, 0.0, -2.0]), AHEAD, np.zeros(1)
        )

        assert hits.part.tolist() == [NO_PART]

    def test_a_movable_part_is_where_its_frame_is(self) -> None:
        door = box_part('door', (0, 0, 0), (1, 1, 0.1), frame_id='hinge')
        caster = self.make_caster(Scene((WALL, door)))

        caster.pose_parts({'hinge': _moved(z=2.0), 'unused': _moved(z=1.0)})
        closed = caster.first_hits(ORIGIN, AHEAD, np.zeros(1))
        caster.pose_parts({'hinge': _moved(x=3.0, z=2.0)})
        opened = caster.first_hits(ORIGIN, AHEAD, np.zeros(1))

        assert closed.part.tolist() == [1]
        np.testing.assert_allclose(closed.distance_m, [1.95], atol=ATOL_M)
        assert opened.part.tolist() == [0]

    def test_any_hits_are_the_segments_with_a_first_hit(self) -> None:
        rng = np.random.default_rng(11)
        scene = Scene((random_part('static', rng, 60), random_part('door', rng, 20, 'hinge')))
        caster = self.make_caster(scene)
        targets = rng.uniform(-3.0, 3.0, (2500, 3))  # more than one batch of any backend
        tolerance = rng.uniform(0.0, 0.3, 2500)

        for pose in (_moved(), _moved(x=0.4, yaw=0.7)):
            caster.pose_parts({'hinge': pose})
            blocked = caster.any_hits(ORIGIN, targets, tolerance)

            first = caster.first_hits(ORIGIN, targets, tolerance).part != NO_PART
            assert blocked.dtype == np.bool_
            np.testing.assert_array_equal(blocked, first)
            assert 0 < blocked.sum() < len(blocked)

    def test_any_hits_in_an_empty_scene_or_without_targets_are_none(self) -> None:
        empty, wall = self.make_caster(Scene()), self.make_caster(Scene((WALL,)))

        assert empty.any_hits(ORIGIN, AHEAD, np.zeros(1)).tolist() == [False]
        assert wall.any_hits(ORIGIN, np.zeros((0, 3)), np.zeros(0)).shape == (0,)
        assert wall.any_hits(ORIGIN, AHEAD, np.array([9.0])).tolist() == [False]

    def test_a_frame_that_goes_missing_is_no_longer_in_the_scene(self) -> None:
        door = box_part('door', (0, 0, 0), (1, 1, 0.1), frame_id='hinge')
        caster = self.make_caster(Scene((door,)))
        caster.pose_parts({'hinge': _moved(z=2.0)})

        before = caster.first_hits(ORIGIN, AHEAD, np.zeros(1))
        caster.pose_parts({})
        after = caster.first_hits(ORIGIN, AHEAD, np.zeros(1))

        assert before.part.tolist() == [0]
        assert after.part.tolist() == [NO_PART]

    def test_far_map_origins_cost_no_precision(self) -> None:
        shift = np.array([5e5, -3e5, 200.0])
        wall = ScenePart('wall', '', '', WALL.vertices + shift, WALL.triangles)

        hits = self.make_caster(Scene((wall,))).first_hits(shift, AHEAD + shift, np.zeros(1))

        np.testing.assert_allclose(hits.distance_m, [4.9], atol=ATOL_M)

    @pytest.mark.parametrize(
        ('origin', 'targets', 'tolerance', 'named'),
        [
            (np.zeros(2), AHEAD, np.zeros(1), 'origin'),
            (ORIGIN, np.zeros(3), np.zeros(1), 'targets'),
            (ORIGIN, AHEAD, np.zeros(2), 'tolerance_m'),
            (np.full(3, np.nan), AHEAD, np.zeros(1), 'origin'),
            (ORIGIN, np.full((1, 3), np.inf), np.zeros(1), 'targets'),
            (ORIGIN, AHEAD, np.full(1, np.nan), 'tolerance_m'),
        ],
    )
    def test_misuse_names_the_argument(
        self,
        origin: NDArray[np.float64],
        targets: NDArray[np.float64],
        tolerance: NDArray[np.float64],
        named: str,
    ) -> None:
        caster = self.make_caster(Scene((WALL,)))

        with pytest.raises(ValueError, match=named):
            caster.first_hits(origin, targets, tolerance)

    def test_a_link_is_at_rest_until_it_is_posed(self) -> None:
        slide = Joint(
            'slide', JointKind.PRISMATIC, 'world', 'door', _moved(z=2.0), (0.0, 0.0, 1.0)
        )
        door = box_part('door', (0, 0, 0), (1, 1, 0.2), frame_id='door')
        lost = box_part('lost', (0, 0, 1), (1, 1, 0.2), frame_id='lost')
        tree = JointTree([slide])
        caster = self.make_caster(Scene((door, lost), (), Articulation(tree)))
        on_tf = self.make_caster(Scene((door,), (), Articulation(tree, 'cart')))

        shut = caster.first_hits(ORIGIN, AHEAD, np.zeros(1))
        caster.pose_parts({'door': _moved(z=4.0)})
        opened = caster.first_hits(ORIGIN, AHEAD, np.zeros(1))

        np.testing.assert_allclose(shut.distance_m, [1.9], atol=ATOL_M)
        np.testing.assert_allclose(opened.distance_m, [3.9], atol=ATOL_M)
        assert on_tf.first_hits(ORIGIN, AHEAD, np.zeros(1)).part.tolist() == [NO_PART]

    def test_moved_parts_hit_as_after_a_full_rebuild(self) -> None:
        rng = np.random.default_rng(3)
        doors = [
            box_part(f'door_{i}', (0.3, 0.0, 0.0), (0.6, 0.03, 0.7), frame_id=f'door_{i}')
            for i in range(12)
        ]
        scene = Scene((random_part('room', rng, self.rebuild_faces), *doors))
        caster = self.make_caster(scene)
        poses: dict[str, RigidTransform] = {}
        num_moved = num_mismatches = num_rays = 0
        while num_rays < self.rebuild_rays:
            # One door turns on its hinge, as joints move: the others stay where they were.
            turned = doors[int(rng.integers(len(doors)))].frame_id
            poses[turned] = _moved(*rng.uniform(-2, 2, 3), rng.uniform(-3, 3))
            caster.pose_parts(poses)
            rebuilt = self.make_caster(scene)
            rebuilt.pose_parts(poses)
            origin, targets = rng.uniform(-2, 2, 3), rng.uniform(-3, 3, (5000, 3))
            tolerance = rng.uniform(0, 0.1, 5000)

            got = caster.first_hits(origin, targets, tolerance)
            want = rebuilt.first_hits(origin, targets, tolerance)

            num_mismatches += int((got.part != want.part).sum())
            num_mismatches += int((got.distance_m != want.distance_m).sum())
            num_moved += int((got.part > 0).sum())
            num_rays += len(targets)

        assert num_mismatches == 0
        assert num_moved > num_rays / 100  # the doors decide something

    @settings(
        max_examples=15, deadline=None, suppress_health_check=[HealthCheck.differing_executors]
    )
    @given(seed=st.integers(0, 2**32 - 1))
    def test_first_hits_agree_with_brute_force(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        scene = Scene(
            (
                random_part('clutter', rng, 40),
                random_part('door', rng, 10, 'hinge'),
                random_part('drawer', rng, 10, 'slide'),
                random_part('never posed', rng, 10, 'lost'),
            )
        )
        caster, oracle = self.make_caster(scene), BruteForceRayCaster(scene)
        for _ in range(2):
            poses = {
                f: _moved(*rng.normal(0, 1, 3), rng.uniform(-3, 3)) for f in ('hinge', 'slide')
            }
            origin = rng.uniform(-3, 3, 3)
            targets = rng.uniform(-3, 3, (200, 3))
            tolerance = rng.uniform(0, 0.2, 200)
            for one in (caster, oracle):
                one.pose_parts(poses)

            got = caster.first_hits(origin, targets, tolerance)
            want = oracle.first_hits(origin, targets, tolerance)

            clear = _away_from_edges(origin, targets, tolerance, oracle)
            assert got.part[clear].tolist() == want.part[clear].tolist()
            np.testing.assert_allclose(
                got.distance_m[clear], want.distance_m[clear], rtol=0, atol=1e-4
            )


def _away_from_edges(
    origin: NDArray[np.float64],
    targets: NDArray[np.float64],
    tolerance: NDArray[np.float64],
    oracle: BruteForceRayCaster,
) -> NDArray[np.bool_]:
    """
    Rays whose verdict does not hang on the last bit.

    A ray that grazes an edge, or whose hit is at the tolerance, may fall either way in float32:
    it is kept only if shifting the target by 0.1 mm each way leaves the oracle's part unchanged.
    """
    base = oracle.first_hits(origin, targets, tolerance).part
    same = np.ones(len(targets), dtype=np.bool_)
    for axis in range(3):
        for sign in (-1e-4, 1e-4):
            shifted = targets.copy()
            shifted[:, axis] += sign
            same &= oracle.first_hits(origin, shifted, tolerance).part == base
    return same
