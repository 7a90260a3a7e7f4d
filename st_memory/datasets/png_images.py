"""PNG images of a dataset: whole ones as bytes, depth as metres."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from st_memory.core.errors import DatasetError

__all__ = ['read_depth_png', 'read_png']

# First and last bytes of a complete file: a decoder may fill the rest of a truncated one with
# invented pixels.
_HEAD, _TAIL = b'\x89PNG\r\n\x1a\n', b'IEND\xaeB`\x82'
_NO_READING_MM = (0, 65535)
_MM_PER_M = 1000.0


def read_png(path: Path) -> bytes | str:
    """Give a whole PNG file as it is; otherwise a clause on what is wrong with it."""
    if not path.is_file():
        return 'no such file'
    data = path.read_bytes()
    if not data.startswith(_HEAD):
        return 'not a PNG file'
    return data if data.endswith(_TAIL) else 'truncated'


def read_depth_png(path: Path, shape: tuple[int, int]) -> NDArray[np.float32] | str:
    """
    Read depth in millimetres along the optical axis.

    Parameters
    ----------
    path : Path
        A 16-bit grey PNG.
    shape : (int, int)
        Height and width of the camera.

    Returns
    -------
    (H, W) float32 or str
        Metres, NaN where the file says 0 or 65535; a clause when it cannot be read.

    Raises
    ------
    DatasetError
        If the image has another size than its camera, or is no 16-bit grey.

    """
    data = read_png(path)
    if isinstance(data, str):
        return data
    image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_UNCHANGED)
    if image is None:
        return 'cannot be decoded'
    if image.dtype != np.uint16 or image.ndim != 2:
        raise DatasetError(
            f'{path}: expected 16-bit grey, found {image.dtype} of shape {image.shape}'
        )
    if image.shape != shape:
        raise DatasetError(
            f'{path}: expected {shape[1]}x{shape[0]} pixels as its camera has, '
            f'found {image.shape[1]}x{image.shape[0]}'
        )
    depth_m: NDArray[np.float32] = np.divide(image, _MM_PER_M, dtype=np.float32)
    depth_m[np.isin(image, _NO_READING_MM)] = np.nan
    return depth_m
