"""The transform buffer against pytransform3d and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from st_memory.core.geometry import RigidTransform, TransformBuffer

LINKS = [('map', 'odom'), ('odom', 'base'), ('base', 'head'), ('base', 'arm'), ('arm', 'hand')]
FRAMES = ['map', 'odom', 'base', 'head', 'arm', 'hand']


def random_walk(rng: np.random.Generator, count: int) -> tuple[np.ndarray, list[RigidTransform]]:
    """Increasing stamps in [0, 1 s] and poses that turn by up to a few radians a sample."""
    stamps = np.unique(np.concatenate(([0, 10**9], rng.integers(1, 10**9, count - 2))))
    turns = Rotation.from_rotvec(rng.normal(scale=1.0, size=(len(stamps), 3)))
    poses = [
        RigidTransform(translation, quat)
        for translation, quat in zip(
            rng.normal(size=(len(stamps), 3)), turns.as_quat(), strict=True
        )
    ]
    return stamps, poses


def test_lookup_equals_pytransform3d() -> None:
    """Oracle: TemporalTransformManager, which interpolates dual quaternions (ScLERP).

    Rotations are compared everywhere. Translations of an interpolated link differ by design
    (ours is linear), so they are compared at stamps that all links share.
    """
    manager_module = pytest.importorskip(
        'pytransform3d.transform_manager', reason='pytransform3d is the oracle'
    )
    rng = np.random.default_rng(0)
    stamps = np.arange(0, 11) * 10**8
    buffer, oracle = TransformBuffer(), manager_module.TemporalTransformManager()
    for parent, child in LINKS:
        turns = Rotation.from_rotvec(rng.normal(scale=0.8, size=(len(stamps), 3))).as_quat()
        shifts = rng.normal(size=(len(stamps), 3))
        for stamp, shift, quat in zip(stamps.tolist(), shifts, turns, strict=True):
            buffer.set_transform(parent, child, stamp, RigidTransform(shift, quat))
        pose_and_quat_wxyz = np.column_stack((shifts, turns[:, 3], turns[:, :3]))
        series = manager_module.NumpyTimeseriesTransform(stamps / 1e9, pose_and_quat_wxyz)
        oracle.add_transform(child, parent, series)

    queries = np.concatenate((stamps, rng.integers(0, 10**9, 20)))
    for stamp in queries.tolist():
        source, target = rng.choice(FRAMES, size=2, replace=False)
        expected = oracle.get_transform_at_time(source, target, stamp / 1e9)
        got = buffer.lookup(str(target), str(source), stamp).matrix
        np.testing.assert_allclose(got[:3, :3], expected[:3, :3], rtol=0, atol=1e-6)
        if stamp in stamps:
            np.testing.assert_allclose(got, expected, rtol=0, atol=1e-6)


def test_interpolation_equals_scipy() -> None:
    """Oracle: Slerp for rotation, np.interp for translation, at irregular stamps."""
    rng = np.random.default_rng(1)
    stamps, poses = random_walk(rng, 200)
    buffer = TransformBuffer()
    for i in rng.permutation(len(stamps)).tolist():
        buffer.set_transform('map', 'base', int(stamps[i]), poses[i])

    slerp = Slerp(stamps / 1e9, Rotation.from_quat([pose.quat_xyzw for pose in poses]))
    shifts = np.array([pose.translation for pose in poses])
    for stamp in rng.integers(0, 10**9, 300).tolist():
        got = buffer.lookup('map', 'base', stamp)
        expected = slerp(stamp / 1e9).as_matrix()
        np.testing.assert_allclose(got.rotation, expected, rtol=0, atol=1e-8)
        along = [np.interp(stamp, stamps, shifts[:, axis]) for axis in range(3)]
        np.testing.assert_allclose(got.translation, along, rtol=0, atol=1e-9)


def test_lookup_of_a_long_history_reads_a_few_samples() -> None:
    """The work of a lookup grows with the logarithm of the history: counted, not timed."""
    buffer = TransformBuffer()
    pose = RigidTransform.identity()
    for i in range(20_000):
        buffer.set_transform('map', 'base', i * 5_000_000, pose)
    made = 0
    original = RigidTransform.__post_init__

    def counting(self: RigidTransform) -> None:
        nonlocal made
        made += 1
        original(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RigidTransform, '__post_init__', counting)
        buffer.lookup('map', 'base', 7_777_777)

    assert made <= 6
