"""Masks of the own body, decoded."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from st_memory.conversions.self_masks import (
    check_mask_encoding,
    mask_from_message,
    read_mask_file,
)
from st_memory.core.errors import ConfigError, ConversionError
from test.conversions import fake_messages as fake

PIXELS = np.array([[0, 1, 255, 0], [0, 0, 7, 0], [200, 0, 0, 0]], dtype=np.uint8)
MASK = [[False, True, True, False], [False, False, True, False], [True, False, False, False]]


def png(pixels: np.ndarray) -> bytes:
    return cv2.imencode('.png', pixels)[1].tobytes()


@pytest.mark.parametrize('encoding', ['mono8', '8UC1'])
def test_raw_mask_is_true_where_it_is_not_zero(encoding: str) -> None:
    message = fake.raw_image(1, encoding, PIXELS, padding=5)

    mask = mask_from_message(message)

    assert mask.dtype == np.bool_
    assert mask.tolist() == MASK


@pytest.mark.parametrize('text', ['png', 'mono8; png compressed mono8', '8UC1; PNG compressed'])
def test_png_mask_is_true_where_it_is_not_zero(text: str) -> None:
    assert mask_from_message(fake.compressed(1, text, png(PIXELS))).tolist() == MASK


@pytest.mark.parametrize('channels', [3, 4])
def test_colour_marks_and_opacity_does_not(channels: int) -> None:
    image = np.zeros((3, 4, channels), dtype=np.uint8)
    image[..., 1] = PIXELS  # green of one is no grey at all when it is rounded
    image[..., 3:] = 255

    assert mask_from_message(fake.compressed(1, 'png', png(image))).tolist() == MASK


def test_sixteen_bits_are_no_less() -> None:
    deep = PIXELS.astype(np.uint16) * 256

    assert mask_from_message(fake.compressed(1, 'png', png(deep))).tolist() == MASK


@pytest.mark.parametrize(
    ('message', 'text'),
    [
        (fake.raw_image(1, 'rgb8', PIXELS), "m: unknown mask encoding 'rgb8'; known are mono8"),
        (fake.compressed(1, 'jpeg', b'x'), "m: expected a mask as PNG, got 'jpeg'"),
        (fake.compressed(1, 'png', b'x'), 'm: expected a mask as PNG, 1 bytes are none'),
        (fake.compressed(1, 'png', b''), 'm: expected a mask as PNG, 0 bytes are none'),
    ],
)
def test_unusable_mask_is_one_line(message: SimpleNamespace, text: str) -> None:
    with pytest.raises(ConversionError, match=text) as error:
        mask_from_message(message, 'm')
    assert '\n' not in str(error.value)


def test_raw_mask_that_is_cut_off_is_one_line() -> None:
    message = fake.raw_image(1, 'mono8', PIXELS)
    message.data = message.data[:7]

    check_mask_encoding(message, 'm')  # says nothing of the data
    with pytest.raises(ConversionError, match='m: a 4 x 3 mono8 image needs rows of 4 bytes'):
        mask_from_message(message, 'm')


def test_file_is_read_as_a_message_is(tmp_path: Path) -> None:
    path = tmp_path / 'rim.png'
    path.write_bytes(png(PIXELS))

    assert read_mask_file(str(path)).tolist() == MASK


def test_file_that_is_none_is_one_line(tmp_path: Path) -> None:
    text = tmp_path / 'rim.txt'
    text.write_text('rim')

    with pytest.raises(ConfigError, match=r'rim.txt: expected a mask as PNG, 3 bytes are none'):
        read_mask_file(str(text))
    with pytest.raises(ConfigError, match=r'none.png: cannot be read \(No such file'):
        read_mask_file(str(tmp_path / 'none.png'))
    with pytest.raises(ConfigError, match='cannot be read'):
        read_mask_file(str(tmp_path))
