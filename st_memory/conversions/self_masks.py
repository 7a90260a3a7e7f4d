"""Masks of the own body: decoded from messages and files, and fitted to their camera."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from st_memory.conversions.images import rows_of
from st_memory.core.errors import ConfigError, ConversionError

__all__ = ['check_mask_encoding', 'mask_from_message', 'read_mask_file']

Mask = NDArray[np.bool_]

_ENCODINGS = ('mono8', '8UC1')


def check_mask_encoding(message: Any, topic: str = '') -> None:
    """
    Refuse a mask whose encoding is unknown, without decoding it.

    Raises
    ------
    ConversionError
        Naming the topic, the encoding and the known ones. JPEG is none of them: it is not exact.

    """
    if hasattr(message, 'encoding'):
        if message.encoding not in _ENCODINGS:
            raise ConversionError(
                f'{topic}: unknown mask encoding {message.encoding!r}; known are '
                f'{", ".join(_ENCODINGS)}'
            )
    elif 'png' not in message.format.lower():
        raise ConversionError(f'{topic}: expected a mask as PNG, got {message.format!r}')


def mask_from_message(message: Any, topic: str = '') -> Mask:
    """
    Decode a mask.

    Parameters
    ----------
    message : sensor_msgs/Image or sensor_msgs/CompressedImage
        mono8, 8UC1, or PNG.
    topic : str
        Named in errors.

    Returns
    -------
    (H, W) bool
        Where it is not zero: the own body.

    Raises
    ------
    ConversionError
        If the encoding is unknown or the data is damaged.

    """
    check_mask_encoding(message, topic)
    if hasattr(message, 'encoding'):
        return np.asarray(rows_of(message, np.uint8, channels=1, topic=topic) != 0)
    return _from_png(np.frombuffer(message.data, dtype=np.uint8), topic)


def read_mask_file(path: str) -> Mask:
    """
    Read a mask from a PNG file; not black is the own body.

    Raises
    ------
    ConfigError
        If there is no such file, or it is no picture.

    """
    try:
        raw = np.frombuffer(Path(path).read_bytes(), dtype=np.uint8)
    except OSError as error:
        raise ConfigError(f'{path}: cannot be read ({error.strerror})') from error
    try:
        return _from_png(raw, path)
    except ConversionError as error:
        raise ConfigError(str(error)) from error


def _from_png(raw: NDArray[np.uint8], where: str) -> Mask:
    import cv2

    # UNCHANGED: a colour must not be rounded to black.
    image = cv2.imdecode(raw, cv2.IMREAD_UNCHANGED) if raw.size else None
    if image is None:
        raise ConversionError(f'{where}: expected a mask as PNG, {raw.size} bytes are none')
    pixels = np.asarray(image)
    marked: Mask = pixels != 0
    # A layer of opacity, the fourth, marks nothing.
    return np.asarray(marked[..., :3].any(axis=2)) if marked.ndim == 3 else marked
