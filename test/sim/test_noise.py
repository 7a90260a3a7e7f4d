"""Rules of the sensor noise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from st_memory.sim.noise import corrupt_depth, NOISE_PRESETS, NoiseSettings, PoseDrift, stream


def test_standard_preset_has_the_fixed_numbers() -> None:
    s = NOISE_PRESETS['standard']
    assert (s.position_sigma_m, s.pose_time_constant_s) == (0.01, 2.0)
    assert s.rotation_sigma_rad == pytest.approx(math.pi / 180)
    assert (s.depth_sigma_rel, s.depth_hole_share) == (0.01, 0.05)
    assert (s.miss_rate, s.false_positives_per_frame, s.label_confusion) == (0.2, 0.2, 0.03)
    assert (s.box_jitter_rel, s.box_jitter_min_px) == (0.05, 1.0)


def test_clean_preset_is_no_noise_at_all() -> None:
    assert NOISE_PRESETS['clean'] == NoiseSettings()


def test_streams_of_one_seed_repeat_and_differ_by_name() -> None:
    first = stream(4, 'script').random(3)
    np.testing.assert_array_equal(first, stream(4, 'script').random(3))
    assert not np.allclose(first, stream(4, 'layout').random(3))
    assert not np.allclose(first, stream(5, 'script').random(3))


def drift_samples(count: int, step_s: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    drift = PoseDrift(NOISE_PRESETS['standard'], step_s, np.random.default_rng(1))
    rows = []
    for _ in range(count):
        error = drift.step()
        rows.append([*error.translation, *(2 * error.quat_xyzw[:3])])
    return np.array(rows)


def test_pose_drift_has_the_sigma_of_the_preset_in_every_component() -> None:
    # Steps of five time constants: nearly independent, so 4,000 samples give sigma within 5 %.
    sigma = drift_samples(4000, 10.0).std(axis=0)
    np.testing.assert_allclose(sigma[:3], 0.01, rtol=0.05)
    np.testing.assert_allclose(sigma[3:], math.pi / 180, rtol=0.05)


def test_pose_drift_decays_with_its_time_constant() -> None:
    samples = drift_samples(20_000, 0.5)
    # Correlation after 4 steps of 0.5 s = one time constant: 1/e.
    for column in samples.T:
        assert np.corrcoef(column[:-4], column[4:])[0, 1] == pytest.approx(1 / math.e, abs=0.05)


def test_pose_drift_is_stationary_from_the_first_step() -> None:
    settings = NOISE_PRESETS['standard']
    first = [
        PoseDrift(settings, 1 / 30, np.random.default_rng(i)).step().translation[0]
        for i in range(1500)
    ]
    assert np.std(first) == pytest.approx(0.01, rel=0.06)


def test_pose_drift_without_noise_is_the_identity() -> None:
    error = PoseDrift(NoiseSettings(), 0.1, np.random.default_rng(0)).step()
    np.testing.assert_array_equal(error.matrix, np.eye(4))


def test_depth_noise_grows_with_range_and_leaves_holes() -> None:
    depth = np.full((240, 320), 2.0, np.float32)
    depth[:, 160:] = 4.0
    out = corrupt_depth(depth, NOISE_PRESETS['standard'], np.random.default_rng(2))
    assert np.isnan(out).mean() == pytest.approx(0.05, abs=0.01)
    assert np.nanstd(out[:, :160]) == pytest.approx(0.02, rel=0.03)
    assert np.nanstd(out[:, 160:]) == pytest.approx(0.04, rel=0.03)
    assert np.nanmean(out[:, :160]) == pytest.approx(2.0, abs=1e-3)


def test_depth_noise_keeps_missing_depth_missing() -> None:
    depth = np.full((10, 10), np.nan, np.float32)
    out = corrupt_depth(depth, NOISE_PRESETS['standard'], np.random.default_rng(0))
    assert np.isnan(out).all()


def test_depth_without_noise_is_an_equal_copy() -> None:
    depth = np.random.default_rng(0).random((7, 9), dtype=np.float32)
    out = corrupt_depth(depth, NoiseSettings(), np.random.default_rng(0))
    np.testing.assert_array_equal(out, depth)
    assert out is not depth


def test_depth_noise_handles_sizes_that_blocks_do_not_divide() -> None:
    out = corrupt_depth(
        np.ones((33, 35), np.float32), NOISE_PRESETS['standard'], np.random.default_rng(3)
    )
    assert out.shape == (33, 35)
    assert out.dtype == np.float32
