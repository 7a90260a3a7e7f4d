"""Times as a person types them."""

from __future__ import annotations

from argparse import ArgumentTypeError

import pytest

from st_memory.cli.typed_time import parse_time, TypedTime


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('12.5', TypedTime(12_500_000_000)),
        ('+0.4', TypedTime(400_000_000, is_relative=True)),
        ('7ns', TypedTime(7)),
        (f'{2**63 - 1}ns', TypedTime(2**63 - 1)),
    ],
)
def test_time_is_read_exactly(text: str, expected: TypedTime) -> None:
    assert parse_time(text) == expected


@pytest.mark.parametrize(
    'text', ['1e400', '-1e400', '1e18', f'{2**63}ns', 'inf', 'nan', 'soon', 'ns', '']
)
def test_what_no_clock_shows_is_no_time(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match='expected a time, got'):
        parse_time(text)
