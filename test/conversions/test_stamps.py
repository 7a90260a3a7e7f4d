"""Tests of stamps and frame names."""

from __future__ import annotations

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st
import pytest

from st_memory.conversions.stamps import (
    frame_name,
    header_stamp,
    optional_stamp,
    stamp_from_time,
)
from st_memory.core.errors import ConversionError
from test.conversions import fake_messages as fake


@given(st.integers(min_value=0, max_value=2**31 * 10**9 - 1))
def test_stamp_from_time_of_any_stamp_gives_it_back(stamp_ns: int) -> None:
    assert stamp_from_time(fake.time(stamp_ns)) == stamp_ns


@pytest.mark.parametrize('nanosec', [-1, 1_000_000_000])
def test_stamp_from_time_nanosec_out_of_range_raises(nanosec: int) -> None:
    with pytest.raises(ConversionError, match=f'got {nanosec}'):
        stamp_from_time(SimpleNamespace(sec=1, nanosec=nanosec))


def test_header_stamp_gives_nanoseconds() -> None:
    assert header_stamp(fake.header(1_500_000_000)) == 1_500_000_000


@pytest.mark.parametrize('stamp_ns', [0, -1_000_000_000])
def test_header_stamp_without_a_clock_is_none(stamp_ns: int) -> None:
    assert header_stamp(fake.header(stamp_ns)) is None


def test_optional_stamp_zero_is_none() -> None:
    assert optional_stamp(fake.time(0)) is None


def test_optional_stamp_set_is_the_stamp() -> None:
    assert optional_stamp(fake.time(7)) == 7


@pytest.mark.parametrize(
    ('name', 'expected'), [('/map', 'map'), ('map', 'map'), ('/ns/map', 'ns/map'), ('', '')]
)
def test_frame_name_drops_one_leading_slash(name: str, expected: str) -> None:
    assert frame_name(name) == expected
