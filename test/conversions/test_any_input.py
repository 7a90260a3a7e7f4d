"""Whatever the bytes are, a decoder gives an image that keeps its promises, or says why not."""

from __future__ import annotations

from collections.abc import Callable
import os
import struct
from types import SimpleNamespace
from typing import Any

os.environ.setdefault('OPENCV_LOG_LEVEL', 'SILENT')

from hypothesis import example, given, settings
from hypothesis import strategies as st
import numpy as np

from st_memory.conversions.compressed_depth import encode_depth_png
from st_memory.conversions.images import color_from_message, depth_from_message
from st_memory.conversions.point_clouds import points_from_cloud
from st_memory.core.errors import ConversionError
from test.conversions import fake_messages as fake

# The same examples every time, and a second of them.
bounded = settings(derandomize=True, max_examples=150, database=None)
PNG = encode_depth_png(np.linspace(0.3, 5.0, 12, dtype=np.float32).reshape(3, 4))
FORMATS = st.sampled_from(
    ['16UC1; compressedDepth', '16UC1; compressedDepth png', '32FC1; compressedDepth png',
     'mono16; compressedDepth', '16UC1; compressedDepth rvl', '32FC1; compressedDepth rvl',
     '16UC1', 'png', '16UC1; png compressed ', 'jpeg', '']
)  # fmt: skip
SIZES = st.sampled_from([0, 1, 3, 4, 2**16, 2**32 - 1])


def spoiled(data: bytes) -> st.SearchStrategy[bytes]:
    """Draw the bytes with one of them changed, cut off somewhere, or others altogether."""
    changed = st.builds(
        lambda at, value: data[:at] + bytes([value]) + data[at + 1 :],
        st.integers(0, len(data) - 1),
        st.integers(0, 255),
    )
    cut = st.integers(0, len(data)).map(lambda end: data[:end])
    return changed | cut | st.binary(max_size=64)


def decoded(decode: Callable[[Any, str], Any], message: Any) -> Any:
    """Decode; None where it is refused, which must be one line that names the topic."""
    try:
        return decode(message, 'head')
    except ConversionError as error:
        refusal = str(error)
    assert refusal.startswith('head: ')
    assert '\n' not in refusal
    return None


def check_depth(message: Any) -> None:
    """Decode, and hold the image against what is promised."""
    depth_m = decoded(depth_from_message, message)
    if depth_m is not None:
        assert depth_m.dtype == np.float32
        assert depth_m.ndim == 2
        assert not (depth_m <= 0).any()
        assert not np.isinf(depth_m).any()


@bounded
@given(spoiled(PNG), FORMATS)
@example(PNG, '16UC1; compressedDepth')
@example(struct.pack('<iffII', 0, 0.0, 0.0, 2**32 - 1, 2**32 - 1), '16UC1; compressedDepth rvl')
def test_compressed_depth_of_any_bytes(data: bytes, text: str) -> None:
    check_depth(fake.compressed(1, text, data))


@bounded
@given(
    st.binary(max_size=64),
    st.sampled_from(['16UC1', '32FC1', 'mono16', 'rgb8', '64FC1', '']),
    SIZES,
    SIZES,
    SIZES,
    st.booleans(),
)
def test_raw_depth_of_any_bytes(
    data: bytes, encoding: str, width: int, height: int, step: int, big_endian: bool
) -> None:
    check_depth(
        SimpleNamespace(
            width=width,
            height=height,
            step=step,
            encoding=encoding,
            is_bigendian=big_endian,
            data=data,
        )
    )


@bounded
@given(
    st.binary(max_size=64),
    st.sampled_from(['rgb8', 'bgra8', 'mono8', 'mono16', '8UC3', 'yuv422']),
    SIZES,
    SIZES,
    SIZES,
)
def test_raw_colour_of_any_bytes(
    data: bytes, encoding: str, width: int, height: int, step: int
) -> None:
    message = SimpleNamespace(
        width=width, height=height, step=step, encoding=encoding, is_bigendian=0, data=data
    )
    image = decoded(color_from_message, message)
    if image is not None:
        assert (image.dtype, image.shape) == (np.uint8, (height, width, 3))


@bounded
@given(st.binary(max_size=96), SIZES, SIZES, SIZES, SIZES, st.sampled_from([0, 4, 9, 2**32 - 1]))
def test_cloud_of_any_bytes(
    data: bytes, width: int, height: int, point_step: int, row_step: int, offset: int
) -> None:
    message = fake.cloud(1, np.zeros((1, 1, 3)))
    message.width, message.height, message.data = width, height, data
    message.point_step, message.row_step = point_step, row_step
    message.fields[2].offset = offset
    points = decoded(points_from_cloud, message)
    if points is not None:
        assert points.shape == (height, width, 3)
        assert (np.isnan(points).all(axis=2) | np.isfinite(points).all(axis=2)).all()
