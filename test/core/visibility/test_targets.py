"""Targets that are looked at together are judged as if each were looked at alone."""

from __future__ import annotations

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.records import CameraFrame
from st_memory.core.visibility import classify, preset_named, Targets, Verdicts
from test.scenarios.synthetic import CAMERA, looking

_COLUMNS = (
    'geometry',
    'cause',
    'occluder',
    'in_view_points',
    'blocked_share',
    'visible_share',
    'surface_share',
    'seen_through',
    'range_m',
    'pixel_size',
)


def _drawn(seed: int, count: int, *, turned: bool = False) -> Targets:
    """Draw boxes around the camera; most are outside of its view."""
    rng = np.random.default_rng(seed)
    rotations = None
    if turned:
        quats = rng.normal(size=(count, 4))
        quats /= np.sqrt((quats**2).sum(axis=1, keepdims=True))
        turns = [RigidTransform(np.zeros(3), quat).rotation for quat in quats]
        rotations = np.reshape(turns, (-1, 3, 3))
    return Targets(
        rng.uniform(-4.0, 4.0, (count, 3)),
        rng.uniform(0.05, 0.3, (count, 3)),
        tuple(f'fixture_{i % 3}' for i in range(count)),
        rotations,
    )


def _judged(targets: Targets) -> Verdicts:
    depth = np.random.default_rng(1).uniform(1.0, 4.0, (CAMERA.height, CAMERA.width))
    frame = CameraFrame('cam', CAMERA, looking(), depth_m=depth.astype(np.float32))
    return classify(targets, frame, preset_named('live'))


def _assert_same(ours: Verdicts, theirs: Verdicts) -> None:
    for name in _COLUMNS:
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), name)


@pytest.mark.parametrize('turned', [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize('counts', [(200, 7), (7, 200), (0, 50), (50, 0)])
def test_some_and_others_together_are_judged_as_alone(
    turned: tuple[bool, bool], counts: tuple[int, int]
) -> None:
    some, others = (
        _drawn(seed, count, turned=is_turned)
        for seed, count, is_turned in zip((2, 3), counts, turned, strict=True)
    )
    first, second = _judged(some.joined(others)).split(counts[0])
    _assert_same(first, _judged(some))
    _assert_same(second, _judged(others))


def test_targets_keep_their_order_and_fixtures_when_joined() -> None:
    some, others = _drawn(2, 3), _drawn(3, 2, turned=True)
    joined = some.joined(others)
    assert joined.fixture_ids == (*some.fixture_ids, *others.fixture_ids)
    np.testing.assert_array_equal(joined.centres, [*some.centres, *others.centres])
    np.testing.assert_array_equal(joined.radii, [*some.radii, *others.radii])
    assert joined.rotations is not None and others.rotations is not None
    np.testing.assert_array_equal(joined.rotations[:3], np.tile(np.eye(3), (3, 1, 1)))
    np.testing.assert_array_equal(joined.rotations[3:], others.rotations)
    assert some.joined(_drawn(4, 2)).rotations is None
