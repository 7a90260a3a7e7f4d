"""Tests of the compressedDepth transport, against bytes made without any image library."""

from __future__ import annotations

import struct
import zlib

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
from numpy.testing import assert_array_equal
import pytest

from st_memory.conversions.compressed_depth import (
    decode_compressed_depth,
    depth_from_millimetres,
    encode_depth_png,
    millimetres_from_depth,
    parse_depth_format,
)
from st_memory.core.errors import ConversionError
from test.conversions.test_rvl import encode_rvl

NAN = float('nan')
HEADER = struct.pack('<iff', 0, 0.0, 0.0)


def png_16(rows: list[list[int]]) -> bytes:
    """Write a 16-bit grey PNG by the standard: chunks, filter byte 0, big-endian samples."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return (
            struct.pack('>I', len(body)) + name + body + struct.pack('>I', zlib.crc32(name + body))
        )

    head = struct.pack('>IIBBBBB', len(rows[0]), len(rows), 16, 0, 0, 0, 0)
    lines = b''.join(b'\x00' + struct.pack(f'>{len(row)}H', *row) for row in rows)
    return (
        b'\x89PNG\r\n\x1a\n'
        + chunk(b'IHDR', head)
        + chunk(b'IDAT', zlib.compress(lines))
        + chunk(b'IEND', b'')
    )


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('16UC1; compressedDepth png', ('16UC1', 'png')),
        ('16UC1; compressedDepth rvl', ('16UC1', 'rvl')),
        ('16UC1; compressedDepth', ('16UC1', 'png')),
        ('16UC1; compressedDepth ', ('16UC1', 'png')),
        ('mono16; compressedDepth png', ('mono16', 'png')),
        ('32FC1; compressedDepth png', ('32FC1', 'png')),
        ('32FC1;compressedDepth rvl', ('32FC1', 'rvl')),
        ('16UC1', ('16UC1', 'png')),
    ],
)
def test_parse_depth_format_known_texts(text: str, expected: tuple[str, str]) -> None:
    assert parse_depth_format(text) == expected


@pytest.mark.parametrize(
    'text', ['8UC1; compressedDepth png', '16UC1; compressedDepth h264', '16UC1; jpeg', 'jpeg', '']
)
def test_parse_depth_format_unknown_text_names_topic_text_and_known_ones(text: str) -> None:
    with pytest.raises(ConversionError, match=r'/cam/depth: unknown .*16UC1, mono16, 32FC1') as e:
        parse_depth_format(text, '/cam/depth')

    assert repr(text) in str(e.value)


@pytest.mark.parametrize('text', ['16UC1; compressedDepth png', '16UC1; compressedDepth'])
def test_decode_compressed_depth_png_values_above_255_stay_16_bit(text: str) -> None:
    data = HEADER + png_16([[2500, 1], [0, 65535]])

    depth_m = decode_compressed_depth(data, text)

    assert_array_equal(depth_m, np.array([[2.5, 0.001], [NAN, NAN]], dtype=np.float32))


def test_decode_compressed_depth_rvl_is_in_metres() -> None:
    body = struct.pack('<II', 3, 2) + encode_rvl([1000, 0, 2500, 4000, 65535, 1])

    depth_m = decode_compressed_depth(HEADER + body, '16UC1; compressedDepth rvl')

    expected = np.array([[1.0, NAN, 2.5], [4.0, NAN, 0.001]], dtype=np.float32)
    assert_array_equal(depth_m, expected)


def test_decode_compressed_depth_float_png_inverts_the_quantisation() -> None:
    # depth = A / (stored - B): 100 / (60 - 10) = 2 m, 100 / (35 - 10) = 4 m; 0 has no depth.
    data = struct.pack('<iff', 0, 100.0, 10.0) + png_16([[60, 35, 0]])

    depth_m = decode_compressed_depth(data, '32FC1; compressedDepth png')

    assert_array_equal(depth_m, np.array([[2.0, 4.0, NAN]], dtype=np.float32))


def test_decode_compressed_depth_float_at_and_beyond_the_pole_is_no_depth() -> None:
    data = struct.pack('<iff', 0, 100.0, 10.0) + png_16([[10, 5, 11]])

    depth_m = decode_compressed_depth(data, '32FC1; compressedDepth png')

    assert_array_equal(depth_m, np.array([[NAN, NAN, 100.0]], dtype=np.float32))


def test_decode_compressed_depth_float_rvl_inverts_the_quantisation() -> None:
    body = struct.pack('<II', 2, 1) + encode_rvl([60, 0])
    data = struct.pack('<iff', 0, 100.0, 10.0) + body

    depth_m = decode_compressed_depth(data, '32FC1; compressedDepth rvl')

    assert_array_equal(depth_m, np.array([[2.0, NAN]], dtype=np.float32))


@pytest.mark.parametrize(
    ('data', 'text', 'message'),
    [
        (HEADER, '16UC1; compressedDepth png', 'cut off at 12 bytes'),
        (b'', '16UC1; compressedDepth png', 'cut off at 0 bytes'),
        (HEADER + b'not a png at all', '16UC1; compressedDepth png', 'found nothing'),
        (HEADER + b'abc', '16UC1; compressedDepth rvl', 'cut off before its size'),
        (HEADER + struct.pack('<II', 0, 5), '16UC1; compressedDepth rvl', 'size of 0 x 5'),
        (
            HEADER + struct.pack('<II', 2**31, 2**31),
            '16UC1; compressedDepth rvl',
            'size of 2147483648',
        ),
        (HEADER + struct.pack('<II', 4, 4), '16UC1; compressedDepth rvl', 'damaged RVL'),
    ],
)
def test_decode_compressed_depth_damaged_data_raises(data: bytes, text: str, message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        decode_compressed_depth(data, text, '/cam/depth')


def test_decode_compressed_depth_8_bit_png_raises() -> None:
    import cv2

    _, png = cv2.imencode('.png', np.ones((2, 2), dtype=np.uint8))

    with pytest.raises(ConversionError, match='expected a 16-bit one-channel PNG, found uint8'):
        decode_compressed_depth(HEADER + png.tobytes(), '16UC1; compressedDepth png')


def test_millimetres_from_depth_rounds_and_drops_what_cannot_be_told() -> None:
    depth_m = np.array([[1.2344, 1.2346, NAN, np.inf, -np.inf]], dtype=np.float32)

    assert_array_equal(millimetres_from_depth(depth_m), [[1234, 1235, 0, 0, 0]])


def test_millimetres_from_depth_out_of_range_is_none() -> None:
    depth_m = np.array([[-1.0, 0.0, 0.0004, 65.534, 65.535, 100.0]], dtype=np.float32)

    assert_array_equal(millimetres_from_depth(depth_m), [[0, 0, 0, 65534, 0, 0]])


@given(st.lists(st.integers(0, 65535), min_size=1, max_size=40))
def test_encode_depth_png_then_decode_gives_the_same_millimetres(values: list[int]) -> None:
    depth_m = depth_from_millimetres(np.array([values], dtype=np.uint16))

    again = decode_compressed_depth(encode_depth_png(depth_m), '16UC1; compressedDepth png')

    assert_array_equal(again, depth_m)
    assert again.dtype == np.float32
