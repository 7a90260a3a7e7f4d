"""Tests of TFMessage conversion."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal
import pytest

from st_memory.conversions.transforms import transforms_from_message
from test.conversions import fake_messages as fake


def test_transforms_from_message_keeps_order_frames_and_pose() -> None:
    message = fake.tf(
        fake.transform(5, 'map', 'odom', (1.0, 2.0, 3.0), (0.0, 0.0, 1.0, 0.0)),
        fake.transform(6, 'odom', 'base'),
    )

    (first, second), dropped = transforms_from_message(message, static=False)

    assert (first.stamp_ns, first.parent, first.child) == (5, 'map', 'odom')
    assert (second.stamp_ns, second.parent, second.child) == (6, 'odom', 'base')
    assert_array_equal(first.parent_T_child.matrix[:3, 3], [1.0, 2.0, 3.0])
    assert_array_equal(np.diag(first.parent_T_child.rotation), [-1.0, -1.0, 1.0])
    assert not dropped


def test_transforms_from_message_strips_leading_slashes() -> None:
    (found,), _ = transforms_from_message(
        fake.tf(fake.transform(5, '/map', '/odom')), static=False
    )

    assert (found.parent, found.child) == ('map', 'odom')


def test_transforms_from_message_moving_at_stamp_zero_is_counted() -> None:
    found, dropped = transforms_from_message(fake.tf(fake.transform(0, 'a', 'b')), static=False)

    assert (found, dict(dropped)) == ([], {'zero_stamp': 1})


def test_transforms_from_message_static_at_stamp_zero_is_kept() -> None:
    found, dropped = transforms_from_message(fake.tf(fake.transform(0, 'a', 'b')), static=True)

    assert len(found) == 1
    assert not dropped


@pytest.mark.parametrize(
    ('translation', 'quat_xyzw'),
    [
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)),
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 2.0)),
        ((float('nan'), 0.0, 0.0), fake.IDENTITY),
        ((0.0, float('inf'), 0.0), fake.IDENTITY),
    ],
)
def test_transforms_from_message_not_rigid_is_counted_and_others_stay(
    translation: tuple[float, ...], quat_xyzw: tuple[float, ...]
) -> None:
    message = fake.tf(
        fake.transform(5, 'a', 'b', translation, quat_xyzw), fake.transform(5, 'a', 'c')
    )

    found, dropped = transforms_from_message(message, static=False)

    assert [t.child for t in found] == ['c']
    assert dict(dropped) == {'transform_not_rigid': 1}


def test_transforms_from_message_beyond_all_distances_is_counted() -> None:
    far = fake.tf(fake.transform(5, 'a', 'b', (0.0, 1e308, 0.0)))

    found, dropped = transforms_from_message(far, static=False)

    assert found == []
    assert dict(dropped) == {'transform_out_of_range': 1}
