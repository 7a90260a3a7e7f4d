"""Rules of KitchenSpec."""

from __future__ import annotations

from typing import Any

import pytest

from st_memory.sim import KitchenSpec
from st_memory.sim.spec import BASE_STAMP_NS


@pytest.mark.parametrize(
    ('field', 'value'),
    [
        ('seed', -1),
        ('duration_s', 0.5),
        ('image_rate_hz', 0.0),
        ('image_rate_hz', 7.0),
        ('image_rate_hz', 60.0),
        ('width', 16),
        ('horizontal_fov_deg', 170.0),
        ('noise', 'loud'),
        ('num_objects', 11),
        ('num_pairs', 1),
        ('num_removals', 9),
        ('min_detection_px', 0),
    ],
)
def test_spec_value_out_of_range_is_refused_by_name(field: str, value: Any) -> None:
    fields: dict[str, Any] = {'seed': 0, field: value}
    with pytest.raises(ValueError, match=f'{field}: expected'):
        KitchenSpec(**fields)


def test_stamp_of_first_tick_is_fixed_and_positive() -> None:
    assert KitchenSpec(3).stamp_ns(0) == BASE_STAMP_NS == 1_700_000_000_000_000_000


def test_stamps_are_rounded_thirtieths_without_drift() -> None:
    spec = KitchenSpec(0)
    assert spec.stamp_ns(1) - BASE_STAMP_NS == 33_333_333
    assert spec.stamp_ns(2) - BASE_STAMP_NS == 66_666_667
    assert spec.stamp_ns(30 * 3600) - BASE_STAMP_NS == 3600 * 10**9


def test_image_rate_divides_the_ticks() -> None:
    spec = KitchenSpec(0, duration_s=10.0, image_rate_hz=2.5)
    assert (spec.num_ticks, spec.ticks_per_image, spec.num_images) == (300, 12, 25)


def test_num_images_counts_the_first_tick() -> None:
    assert KitchenSpec(0, duration_s=1.0, image_rate_hz=0.3).num_images == 1


def test_spec_as_json_rebuilds_the_spec() -> None:
    spec = KitchenSpec(5, duration_s=33.0, noise='clean', oracle_ids=True)
    assert KitchenSpec(**spec.to_json()) == spec
