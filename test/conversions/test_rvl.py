"""Tests of the RVL decoder, against hand-worked bytes and a plain encoder."""

from __future__ import annotations

import struct
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.conversions.rvl import decode_rvl


def nibbles_of(value: int) -> list[int]:
    """Three bits at a time, lowest first; the fourth bit says that more follow."""
    out = []
    while True:
        low, value = value & 7, value >> 3
        out.append(low | (8 if value else 0))
        if not value:
            return out


def encode_rvl(pixels: list[int]) -> bytes:
    """Encode pixel by pixel, as the paper's listing does."""
    nibbles: list[int] = []
    i = previous = 0
    while i < len(pixels):
        start = i
        while i < len(pixels) and pixels[i] == 0:
            i += 1
        nibbles += nibbles_of(i - start)
        start = i
        while i < len(pixels) and pixels[i] != 0:
            i += 1
        nibbles += nibbles_of(i - start)
        for pixel in pixels[start:i]:
            delta = pixel - previous
            nibbles += nibbles_of(2 * delta if delta >= 0 else -2 * delta - 1)
            previous = pixel
    nibbles += [0] * (-len(nibbles) % 8)
    words = [
        int(''.join(f'{n:x}' for n in nibbles[j : j + 8]), 16) for j in range(0, len(nibbles), 8)
    ]
    return struct.pack(f'<{len(words)}I', *words)


def decode(data: bytes, num_pixels: int) -> list[int]:
    """Decode bytes into a list."""
    pixels: Any = decode_rvl(np.frombuffer(data, dtype=np.uint8), num_pixels)
    return [int(p) for p in pixels]


def test_decode_rvl_golden_bytes_with_small_differences() -> None:
    # 0 0 5 6 0: runs (2 zeros, 2 others), differences +5 -> 10 = nibbles A 1 and +1 -> 2,
    # runs (1, 0); nibbles 2 2 A 1 2 1 0, padded by one 0.
    assert decode(bytes.fromhex('0021a122'), 5) == [0, 0, 5, 6, 0]


def test_decode_rvl_golden_bytes_with_a_long_number() -> None:
    # 1000 999: runs (0, 2); +1000 -> 2000 = 0b11_111_010_000 -> nibbles 8 A F 3; -1 -> 1;
    # nibbles 0 2 8 A F 3 1 0 make the word 0x028AF310, little endian.
    assert decode(bytes.fromhex('10f38a02'), 2) == [1000, 999]


@given(st.lists(st.one_of(st.just(0), st.integers(0, 65535)), min_size=1, max_size=200))
def test_decode_rvl_of_encoded_pixels_gives_them_back(pixels: list[int]) -> None:
    assert decode(encode_rvl(pixels), len(pixels)) == pixels


def test_decode_rvl_stream_that_ends_early_raises() -> None:
    with pytest.raises(ValueError, match='ends'):
        decode(encode_rvl([1, 2, 3, 4] * 10)[:8], 40)


def test_decode_rvl_empty_stream_raises() -> None:
    with pytest.raises(ValueError, match='ends after 0 of 4'):
        decode(b'', 4)


def test_decode_rvl_run_beyond_the_image_raises() -> None:
    with pytest.raises(ValueError, match='a run ends at pixel 5 of 3'):
        decode(encode_rvl([1, 2, 3, 4, 5]), 3)


def test_decode_rvl_endless_number_raises() -> None:
    with pytest.raises(ValueError, match='longer than 32 bits'):
        decode(b'\xff\xff\xff\xff' * 3 + b'\x00\x00\x00\x00', 4)


@given(st.binary(max_size=64), st.integers(1, 64))
def test_decode_rvl_of_any_bytes_raises_value_error_or_gives_all_pixels(
    data: bytes, num_pixels: int
) -> None:
    try:
        pixels = decode(data, num_pixels)
    except ValueError:
        pixels = [0] * num_pixels

    assert len(pixels) == num_pixels
