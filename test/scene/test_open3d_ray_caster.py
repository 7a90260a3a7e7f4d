"""The Open3D caster: the port's suite, agreement with Embree, and what happens without it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
import sys

import numpy as np
from numpy.typing import NDArray
import pytest

from st_memory.core.errors import MissingExtraError, StMemoryError
from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import NO_PART, RayCaster
from st_memory.core.records import Scene, ScenePart
from st_memory.scene import EmbreeRayCaster, Open3dRayCaster
from test.contracts.ray_caster import box_part, random_part, RayCasterConformance

needs_open3d = pytest.mark.skipif(
    find_spec('open3d') is None, reason="needs the extra 'open3d' (make setup-all)"
)

# Both engines compute in float32 at a few metres.
ATOL_M = 1e-4


@needs_open3d
class TestOpen3dRayCaster(RayCasterConformance):
    """The port's suite on Open3D."""

    def make_caster(self, scene: Scene) -> RayCaster:
        return Open3dRayCaster(scene)


def _pose(rng: np.random.Generator) -> RigidTransform:
    quat = rng.normal(size=4)
    return RigidTransform(rng.normal(0, 1, 3), quat / np.linalg.norm(quat))


def _clear_of_the_boundary(
    caster: EmbreeRayCaster,
    origin: NDArray[np.float64],
    targets: NDArray[np.float64],
    tolerance_m: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Rays whose first surface, if any, is farther than ATOL_M from where it stops counting."""
    length = np.linalg.norm(targets - origin, axis=1)
    beyond = origin + (targets - origin) * ((length + 1.0) / length)[:, np.newaxis]
    reached = caster.first_hits(origin, beyond, np.zeros(len(targets))).distance_m
    return np.abs(reached - (length - tolerance_m)) > ATOL_M


@needs_open3d
@pytest.mark.parametrize('seed', range(4))
def test_blocked_rays_are_those_of_embree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    doors = [random_part(f'door_{i}', rng, 12, f'door_{i}') for i in range(5)]
    scene = Scene((random_part('room', rng, 500), *doors))
    embree, open3d = EmbreeRayCaster(scene), Open3dRayCaster(scene)
    for _ in range(5):
        poses = {d.frame_id: _pose(rng) for d in doors if rng.uniform() < 0.5}
        origin, targets = rng.uniform(-2, 2, 3), rng.uniform(-3, 3, (5000, 3))
        tolerance = rng.uniform(0, 0.1, 5000)
        for caster in (embree, open3d):
            caster.pose_parts(poses)

        got = open3d.first_hits(origin, targets, tolerance)
        want = embree.first_hits(origin, targets, tolerance)

        clear = _clear_of_the_boundary(embree, origin, targets, tolerance)
        blocked = want.part != NO_PART
        assert clear.mean() > 0.99
        assert 0.1 < blocked.mean() < 0.99  # the scene decides something
        assert int(((got.part != NO_PART) != blocked)[clear].sum()) == 0


@needs_open3d
def test_distances_and_parts_are_those_of_embree() -> None:
    rng = np.random.default_rng(7)
    # Boxes apart from each other: no ray has two first surfaces within the rounding.
    parts = [box_part(f'box_{i}', (i - 3.0, 0.0, 4.0), (0.8, 0.8, 0.8)) for i in range(7)]
    origin, targets = np.zeros(3), rng.uniform((-4, -1, 6), (4, 1, 8), (5000, 3))
    scene = Scene(tuple(parts))

    got = Open3dRayCaster(scene).first_hits(origin, targets, np.zeros(5000))
    want = EmbreeRayCaster(scene).first_hits(origin, targets, np.zeros(5000))

    assert (got.part == want.part).mean() > 0.999  # rays along an edge may fall either way
    same = got.part == want.part
    np.testing.assert_allclose(got.distance_m[same], want.distance_m[same], rtol=0, atol=ATOL_M)


@needs_open3d
def test_a_scene_of_empty_parts_hides_nothing() -> None:
    empty = ScenePart('nothing', '', '', np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32))
    caster = Open3dRayCaster(Scene((empty, box_part('box', (0, 0, 3), (1, 1, 1)))))

    hits = caster.first_hits(np.zeros(3), np.array([[0.0, 0.0, 9.0]]), np.zeros(1))

    assert hits.part.tolist() == [1]


def test_without_open3d_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'open3d', None)

    with pytest.raises(MissingExtraError, match=r"pip install 'st_memory\[open3d\]'"):
        Open3dRayCaster(Scene())


def test_an_open3d_that_does_not_load_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / 'open3d').mkdir()
    (tmp_path / 'open3d' / '__init__.py').write_text(
        "raise OSError('libusb-1.0.so.0: cannot open shared object file\\nmore')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, 'open3d', raising=False)

    with pytest.raises(StMemoryError, match=r'^open3d: .* found: libusb-1\.0\.so\.0: [\w ]+$'):
        Open3dRayCaster(Scene())
