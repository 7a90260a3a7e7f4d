"""Point clouds as they come: organised or not, padded, of either byte order, damaged."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from st_memory.conversions.point_clouds import check_cloud, points_from_cloud
from st_memory.core.errors import ConversionError
from test.conversions import fake_messages as fake

# Two points (1, 2, 3) and (4, 5, NaN), little-endian floats, as a driver sends them.
GOLDEN = bytes.fromhex('0000803f0000004000004040' + '000080400000a0400000c07f')


def test_points_of_golden_bytes() -> None:
    message = fake.cloud(1, np.zeros((1, 2, 3)))
    message.data = GOLDEN
    message.point_step, message.row_step = 12, 24
    message.fields = message.fields[:3]

    points = points_from_cloud(message)

    np.testing.assert_array_equal(points[0, 0], [1.0, 2.0, 3.0])
    assert np.isnan(points[0, 1]).all()


@pytest.mark.parametrize('big_endian', [False, True])
@pytest.mark.parametrize('kind', ['f4', 'f8'])
@pytest.mark.parametrize('padding', [0, 5])
def test_points_of_an_organised_cloud(big_endian: bool, kind: str, padding: int) -> None:
    points = np.arange(2 * 3 * 3, dtype=np.float64).reshape(2, 3, 3)

    message = fake.cloud(1, points, kind=kind, big_endian=big_endian, padding=padding)

    np.testing.assert_array_equal(points_from_cloud(message), points)


def test_cloud_without_organisation_may_leave_its_row_step_out() -> None:
    message = fake.cloud(1, np.ones((1, 4, 3)))
    message.row_step = 0

    assert points_from_cloud(message).shape == (1, 4, 3)


@pytest.mark.parametrize(
    ('change', 'expected'),
    [
        ({'fields': []}, r'cloud: expected a cloud with x, y and z .* found the fields none'),
        ({'point_step': 8}, 'z ends beyond the 8 bytes of a point'),
        ({'data': b'1234'}, 'needs 160 bytes in rows of 80, found 4 in rows of 80'),
        ({'width': 0}, 'a cloud of 0 x 2 points'),
        ({'row_step': 3}, 'in rows of 3'),
    ],
)
def test_unusable_cloud_is_refused_with_what_was_found(
    change: dict[str, Any], expected: str
) -> None:
    message = fake.cloud(1, np.ones((2, 5, 3)))
    vars(message).update(change)

    with pytest.raises(ConversionError, match=expected):
        points_from_cloud(message, 'cloud')


def test_coordinates_that_are_no_floats_are_refused_without_reading() -> None:
    fields = [SimpleNamespace(name=n, offset=i, datatype=2) for i, n in enumerate('xyz')]

    with pytest.raises(ConversionError, match='found the fields x, y, z'):
        check_cloud(SimpleNamespace(fields=fields, point_step=3), 'cloud')
