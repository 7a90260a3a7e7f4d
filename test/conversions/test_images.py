"""Tests of image decoding."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
from numpy.testing import assert_array_equal
import pytest

from st_memory.conversions.images import (
    check_depth_encoding,
    color_from_message,
    decode_color,
    depth_from_message,
    encode_jpeg,
)
from st_memory.core.errors import ConversionError
from test.conversions import fake_messages as fake
from test.conversions.test_compressed_depth import HEADER, png_16

NAN = float('nan')
RED_GREEN = np.array([[[255, 0, 0], [0, 255, 0]], [[1, 2, 3], [4, 5, 6]]], dtype=np.uint8)


@pytest.mark.parametrize('padding', [0, 5])
@pytest.mark.parametrize(
    ('encoding', 'order'),
    [('rgb8', [0, 1, 2]), ('bgr8', [2, 1, 0]), ('8UC3', [2, 1, 0])],
)
def test_color_from_message_three_channels_gives_rgb(
    encoding: str, order: list[int], padding: int
) -> None:
    message = fake.raw_image(1, encoding, RED_GREEN[:, :, order], padding=padding)

    assert_array_equal(color_from_message(message), RED_GREEN)


@pytest.mark.parametrize(('encoding', 'order'), [('rgba8', [0, 1, 2]), ('bgra8', [2, 1, 0])])
def test_color_from_message_four_channels_drops_alpha(encoding: str, order: list[int]) -> None:
    alpha = np.full((2, 2, 1), 9, dtype=np.uint8)
    pixels = np.concatenate([RED_GREEN[:, :, order], alpha], axis=2)
    message = fake.raw_image(1, encoding, pixels, padding=3)

    assert_array_equal(color_from_message(message), RED_GREEN)


def test_color_from_message_mono8_repeats_the_grey() -> None:
    message = fake.raw_image(1, 'mono8', np.array([[7, 8]], dtype=np.uint8), padding=1)

    assert_array_equal(color_from_message(message), [[[7, 7, 7], [8, 8, 8]]])


@pytest.mark.parametrize('big_endian', [False, True])
def test_color_from_message_mono16_keeps_the_high_byte(big_endian: bool) -> None:
    pixels = np.array([[0x1234, 0xFF00]], dtype=np.uint16)
    message = fake.raw_image(1, 'mono16', pixels, big_endian=big_endian)

    assert_array_equal(color_from_message(message), [[[0x12] * 3, [0xFF] * 3]])


def test_color_from_message_unknown_encoding_names_topic_encoding_and_known_ones() -> None:
    message = fake.raw_image(1, 'yuv422', np.zeros((1, 2), dtype=np.uint16))

    with pytest.raises(
        ConversionError, match=r"/cam/image: unknown colour encoding 'yuv422'.*rgb8"
    ):
        color_from_message(message, '/cam/image')


def test_color_from_message_png_file_is_lossless_rgb() -> None:
    import cv2

    _, png = cv2.imencode('.png', RED_GREEN[:, :, ::-1])
    message = fake.compressed(1, 'png', png.tobytes())

    assert_array_equal(color_from_message(message), RED_GREEN)


def test_encode_jpeg_then_decode_keeps_the_channel_order() -> None:
    image = np.zeros((16, 16, 3), dtype=np.uint8)
    image[:, :, 0] = 250

    red, green, blue = decode_color(encode_jpeg(image)).mean(axis=(0, 1))

    assert red > 240
    assert max(green, blue) < 15


@pytest.mark.parametrize('data', [b'', b'\xff\xd8 cut off'])
def test_decode_color_of_damaged_file_raises(data: bytes) -> None:
    with pytest.raises(ConversionError, match='no JPEG or PNG'):
        decode_color(data, '/cam/image')


@pytest.mark.parametrize('big_endian', [False, True])
@pytest.mark.parametrize('encoding', ['16UC1', 'mono16'])
def test_depth_from_message_16_bit_is_millimetres(encoding: str, big_endian: bool) -> None:
    pixels = np.array([[1000, 0], [65535, 2500]], dtype=np.uint16)
    message = fake.raw_image(1, encoding, pixels, padding=3, big_endian=big_endian)

    expected = np.array([[1.0, NAN], [NAN, 2.5]], dtype=np.float32)
    assert_array_equal(depth_from_message(message), expected)


@pytest.mark.parametrize('big_endian', [False, True])
def test_depth_from_message_float_is_metres_and_invalid_is_nan(big_endian: bool) -> None:
    pixels = np.array([[1.5, 0.0, NAN], [np.inf, -np.inf, -2.0]], dtype=np.float32)
    message = fake.raw_image(1, '32FC1', pixels, padding=4, big_endian=big_endian)

    expected = np.array([[1.5, NAN, NAN], [NAN, NAN, NAN]], dtype=np.float32)
    assert_array_equal(depth_from_message(message), expected)


def test_depth_from_message_float_leaves_the_message_as_it_was() -> None:
    message = fake.raw_image(1, '32FC1', np.array([[-1.0, 2.0]], dtype=np.float32))
    before = bytes(message.data)

    depth_from_message(message)

    assert bytes(message.data) == before


def test_depth_from_message_compressed_depth() -> None:
    data = HEADER + png_16([[3000]])
    message = fake.compressed(1, '16UC1; compressedDepth png', data)

    assert depth_from_message(message).tolist() == [[3.0]]


def test_depth_from_message_plain_png_file() -> None:
    message = fake.compressed(1, '16UC1; png compressed', png_16([[3000]]))

    assert depth_from_message(message).tolist() == [[3.0]]


def test_depth_from_message_damaged_plain_png_raises() -> None:
    with pytest.raises(ConversionError, match='16-bit'):
        depth_from_message(fake.compressed(1, 'png', b'no'))


def test_depth_from_message_data_as_array_of_bytes_like_rclpy() -> None:
    message = fake.raw_image(1, '16UC1', np.array([[1000]], dtype=np.uint16))
    message.data = array.array('B', bytes(message.data))

    assert depth_from_message(message).tolist() == [[1.0]]


def cut_short(message: Any) -> None:
    """Take the last byte away."""
    message.data = message.data[:-1]


def narrow_step(message: Any) -> None:
    """Claim rows of one byte."""
    message.step = 1


def no_rows(message: Any) -> None:
    """Claim an image without rows."""
    message.height = 0


@pytest.mark.parametrize('damage', [cut_short, narrow_step, no_rows])
def test_depth_from_message_size_that_does_not_fit_raises(damage: Any) -> None:
    message = fake.raw_image(1, '16UC1', np.ones((2, 2), dtype=np.uint16))
    damage(message)

    with pytest.raises(ConversionError, match=r'/cam/depth: a 2 x . 16UC1 image needs rows of 4'):
        depth_from_message(message, '/cam/depth')


@pytest.mark.parametrize('text', ['16UC1; compressedDepth rvl', '16UC1; png compressed'])
def test_check_depth_encoding_known_format_passes(text: str) -> None:
    assert check_depth_encoding(fake.compressed(1, text, b'')) is None


def test_check_depth_encoding_unknown_raw_encoding_raises() -> None:
    message = fake.raw_image(1, 'rgb8', RED_GREEN)

    with pytest.raises(ConversionError, match="'rgb8'; known are 16UC1, mono16, 32FC1"):
        check_depth_encoding(message, '/cam/depth')


def test_check_depth_encoding_jpeg_raises() -> None:
    with pytest.raises(ConversionError, match='/cam/depth: unknown compressed depth format'):
        check_depth_encoding(fake.compressed(1, 'jpeg', b''), '/cam/depth')
