"""
Images as messages carry them, decoded without cv_bridge.

Depth: the encoding decides the unit (REP 118): 16UC1 and mono16 are millimetres, 32FC1 metres.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from st_memory.conversions.compressed_depth import (
    decode_compressed_depth,
    depth_from_millimetres,
    parse_depth_format,
)
from st_memory.conversions.point_clouds import check_cloud, is_cloud
from st_memory.core.errors import ConversionError

__all__ = [
    'check_depth_encoding',
    'color_from_message',
    'decode_color',
    'depth_from_message',
    'encode_jpeg',
    'rows_of',
]

_COLOR_ORDER: dict[str, tuple[int, tuple[int, int, int]]] = {
    'rgb8': (3, (0, 1, 2)),
    'bgr8': (3, (2, 1, 0)),
    '8UC3': (3, (2, 1, 0)),
    'rgba8': (4, (0, 1, 2)),
    'bgra8': (4, (2, 1, 0)),
    'mono8': (1, (0, 0, 0)),
    '8UC1': (1, (0, 0, 0)),
}
_DEPTH_TYPES: dict[str, type[np.generic]] = {
    '16UC1': np.uint16,
    'mono16': np.uint16,
    '32FC1': np.float32,
}
# Rows of fewer pixels may be padded to twice their length.
_LEAST_WIDTH_CHECKED = 64


def check_depth_encoding(message: Any, topic: str = '') -> None:
    """
    Refuse a depth message whose encoding is unknown, without decoding it.

    Raises
    ------
    ConversionError
        Naming the topic, the encoding and the known ones.

    """
    if is_cloud(message):
        check_cloud(message, topic)
    elif hasattr(message, 'encoding'):
        _known(_DEPTH_TYPES, message.encoding, 'depth', topic)
    elif not _is_plain_image_format(message.format):
        parse_depth_format(message.format, topic)


def depth_from_message(
    message: Any, topic: str = '', unit_m: float | None = None
) -> NDArray[np.float32]:
    """
    Decode a depth image.

    Parameters
    ----------
    message : sensor_msgs/Image or sensor_msgs/CompressedImage
        Raw, ``compressedDepth`` (PNG or RVL), or a plain 16-bit PNG.
    topic : str
        Named in errors.
    unit_m : float, optional
        Metres of one step of 16-bit depth, for drivers that do not send millimetres.

    Returns
    -------
    (H, W) float32
        Depth along the optical axis, metres; NaN where it was not measured (0, NaN, infinite,
        negative, or 65535 mm).

    Raises
    ------
    ConversionError
        If the encoding is unknown or the data is damaged.

    """
    depth_m, is_16_bit = _decoded_depth(message, topic)
    if unit_m is not None and is_16_bit:
        depth_m *= np.float32(unit_m * 1000.0)
    return depth_m


def _decoded_depth(message: Any, topic: str) -> tuple[NDArray[np.float32], bool]:
    """Give metres, and whether they were 16-bit millimetres."""
    if not hasattr(message, 'encoding'):
        if _is_plain_image_format(message.format):
            return _depth_from_png(message.data, topic), True
        encoding, _ = parse_depth_format(message.format, topic)
        depth_m = decode_compressed_depth(message.data, message.format, topic)
        return depth_m, _DEPTH_TYPES[encoding] is np.uint16
    kind = _known(_DEPTH_TYPES, message.encoding, 'depth', topic)
    _check_bytes_a_pixel(message, kind, topic)
    pixels = rows_of(message, kind, channels=1, topic=topic)
    if pixels.dtype == np.uint16:
        return depth_from_millimetres(pixels), True
    depth_m = np.array(pixels, dtype=np.float32)
    with np.errstate(invalid='ignore'):
        depth_m[~(depth_m > 0) | np.isinf(depth_m)] = np.nan
    return depth_m, False


def color_from_message(message: Any, topic: str = '') -> NDArray[np.uint8]:
    """
    Decode a colour image.

    Parameters
    ----------
    message : sensor_msgs/Image or sensor_msgs/CompressedImage
        rgb8, bgr8, rgba8, bgra8, mono8, mono16, 8UC1, 8UC3; or JPEG or PNG.
    topic : str
        Named in errors.

    Returns
    -------
    (H, W, 3) uint8
        RGB.

    Raises
    ------
    ConversionError
        If the encoding is unknown or the data is damaged.

    """
    if not hasattr(message, 'encoding'):
        return decode_color(message.data, topic)
    if message.encoding == 'mono16':
        grey = (rows_of(message, np.uint16, channels=1, topic=topic) >> 8).astype(np.uint8)
        return np.repeat(grey[:, :, None], 3, axis=2)
    channels, order = _known(_COLOR_ORDER, message.encoding, 'colour', topic, also=('mono16',))
    pixels = rows_of(message, np.uint8, channels=channels, topic=topic)
    if channels == 1:
        return np.repeat(pixels[:, :, None], 3, axis=2)
    return np.ascontiguousarray(pixels[:, :, list(order)])


def decode_color(data: Any, topic: str = '') -> NDArray[np.uint8]:
    """Decode the bytes of a JPEG or PNG file into (H, W, 3) RGB."""
    import cv2

    raw = np.frombuffer(data, dtype=np.uint8)
    image = cv2.imdecode(raw, cv2.IMREAD_COLOR) if raw.size else None
    if image is None:
        raise ConversionError(f'{topic}: {raw.size} bytes are no JPEG or PNG image')
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2RGB), dtype=np.uint8)


def encode_jpeg(image_rgb: NDArray[np.uint8], quality: int = 90) -> bytes:
    """Encode an (H, W, 3) RGB image as a JPEG file."""
    import cv2

    image_bgr = cv2.cvtColor(np.ascontiguousarray(image_rgb), cv2.COLOR_RGB2BGR)
    done, jpeg = cv2.imencode('.jpg', image_bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise ConversionError(f'an image of shape {image_rgb.shape} cannot be encoded as JPEG')
    return jpeg.tobytes()


def _check_bytes_a_pixel(message: Any, kind: type[np.generic], topic: str) -> None:
    """Refuse 16-bit depth in rows of 32-bit pixels: the row padding of no driver is that wide."""
    width = int(message.width)
    if kind is np.uint16 and width >= _LEAST_WIDTH_CHECKED and int(message.step) == 4 * width:
        raise ConversionError(
            f'{topic}: expected {message.encoding} rows of {2 * width} bytes, found step '
            f'{message.step}: the pixels are those of 32FC1'
        )


def _known(
    table: dict[str, Any], encoding: str, kind: str, topic: str, also: tuple[str, ...] = ()
) -> Any:
    if encoding not in table:
        known = ', '.join((*table, *also))
        raise ConversionError(f'{topic}: unknown {kind} encoding {encoding!r}; known are {known}')
    return table[encoding]


def _is_plain_image_format(text: str) -> bool:
    """Whether a compressed message holds a PNG file without the depth header."""
    return 'compressedDepth' not in text and 'png' in text.lower()


def _depth_from_png(data: Any, topic: str) -> NDArray[np.float32]:
    import cv2

    raw = np.frombuffer(data, dtype=np.uint8)
    image = cv2.imdecode(raw, cv2.IMREAD_UNCHANGED) if raw.size else None
    if image is None or image.ndim != 2 or image.dtype != np.uint16:
        raise ConversionError(f'{topic}: expected a 16-bit one-channel PNG')
    return depth_from_millimetres(np.asarray(image, dtype=np.uint16))


def rows_of(message: Any, dtype: Any, *, channels: int, topic: str) -> NDArray[Any]:
    """View the pixels of a raw image: row padding cut off, native byte order."""
    kind = np.dtype(dtype).newbyteorder('>' if message.is_bigendian else '<')
    height, width, step = int(message.height), int(message.width), int(message.step)
    row_bytes = width * channels * kind.itemsize
    raw = np.frombuffer(message.data, dtype=np.uint8)
    if not (height and width) or step < row_bytes or raw.size < (height - 1) * step + row_bytes:
        raise ConversionError(
            f'{topic}: a {width} x {height} {message.encoding} image needs rows of {row_bytes} '
            f'bytes, found step {step} and {raw.size} bytes'
        )
    shape = (height, width) if channels == 1 else (height, width, channels)
    strides = (step, *(channels * kind.itemsize,) * (channels > 1), kind.itemsize)
    pixels: NDArray[Any] = np.ndarray(shape, dtype=kind, buffer=raw, strides=strides)
    return pixels if kind.isnative else pixels.astype(dtype)
