"""Unit vectors of looks, their mean, and their likeness."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.association import averaged, likeness, unit_vector

RED, BLUE = unit_vector((1.0, 0.0)), unit_vector((0.0, 1.0))
NUMBERS = st.floats(-1e300, 1e300)


@pytest.mark.parametrize(
    'embedding', [(), (0.0, 0.0), (math.nan, 1.0), (math.inf, 1.0), (1.0, -math.inf)]
)
def test_unit_vector_of_what_says_nothing_is_none(embedding: tuple[float, ...]) -> None:
    assert unit_vector(embedding) is None


def test_unit_vector_has_length_one_and_the_same_direction() -> None:
    unit = unit_vector((3.0, 4.0))

    assert unit is not None
    np.testing.assert_allclose(unit, (0.6, 0.8), rtol=1e-6)
    assert unit.dtype == np.float32


@given(st.lists(NUMBERS, min_size=1, max_size=8), st.floats(1e-150, 1e150))
def test_unit_vector_does_not_depend_on_the_length(numbers: list[float], scale: float) -> None:
    if max(map(abs, numbers)) == 0.0 or not all(1e-100 < abs(v) < 1e100 for v in numbers):
        return
    unit, scaled = unit_vector(numbers), unit_vector([v * scale for v in numbers])

    assert unit is not None and scaled is not None
    np.testing.assert_allclose(unit, scaled, atol=1e-6)
    assert float(np.linalg.norm(unit.astype(float))) == pytest.approx(1.0, abs=1e-6)


def test_likeness_is_the_cosine() -> None:
    assert RED is not None and BLUE is not None
    red = averaged('', 0.0, RED, 1.0)

    assert likeness(red, RED) == pytest.approx(1.0)
    assert likeness(red, BLUE) == pytest.approx(0.0)
    assert likeness(red, unit_vector((1.0, 1.0))) == pytest.approx(math.sqrt(0.5))
    assert likeness(red, averaged('', 0.0, BLUE, 1.0)) == pytest.approx(0.0)


def test_likeness_of_the_unknown_or_of_another_model_is_unknown() -> None:
    assert RED is not None
    red = averaged('', 0.0, RED, 1.0)

    assert likeness('', RED) is None
    assert likeness(red, None) is None
    assert likeness(red, '') is None
    assert likeness(red, unit_vector((1.0, 0.0, 0.0))) is None


def test_averaged_second_sight_counts_half() -> None:
    assert RED is not None and BLUE is not None
    mean = averaged(averaged('', 0.0, RED, 1.0), 1.0, BLUE, 1.0)

    assert likeness(mean, RED) == pytest.approx(math.sqrt(0.5), abs=1e-6)
    assert likeness(mean, BLUE) == pytest.approx(math.sqrt(0.5), abs=1e-6)


def test_averaged_keeps_following_however_much_came_before() -> None:
    assert RED is not None and BLUE is not None
    mean = averaged('', 0.0, RED, 1.0)
    for _ in range(100):
        mean = averaged(mean, 1e6, BLUE, 1.0)

    cosine = likeness(mean, BLUE)
    assert cosine is not None and cosine > 0.99


def test_averaged_opposite_sight_leaves_a_direction() -> None:
    assert RED is not None
    mean = averaged('', 0.0, RED, 1.0)

    assert averaged(mean, 1.0, -RED, 1.0) == mean
