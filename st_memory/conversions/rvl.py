"""
RVL, the run-length and variable-length code for 16-bit depth images.

References
----------
A. D. Wilson, "Fast Lossless Depth Image Compression", ISS 2017.

"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ['decode_rvl']


def decode_rvl(data: NDArray[np.uint8], num_pixels: int) -> NDArray[np.uint16]:
    """
    Unpack an RVL stream.

    The stream is a row of numbers, each in nibbles of three bits (lowest first) whose fourth
    bit says that more follow; eight nibbles make a little-endian 32-bit word, the first one in
    its top bits. The numbers are: how many zero pixels, how many others, then the zigzag-coded
    difference of each of those to the non-zero pixel before it; and again.

    Parameters
    ----------
    data : (B,) uint8
        The stream without any header.
    num_pixels : int
        How many pixels it stands for.

    Returns
    -------
    (num_pixels,) uint16
        The image, row by row.

    Raises
    ------
    ValueError
        If the stream ends early or its runs do not fit the image.

    """
    numbers = _unpack_numbers(data)
    deltas_at = np.zeros(len(numbers), dtype=bool)
    filled = np.zeros(num_pixels, dtype=bool)
    pixel = at = 0
    while pixel < num_pixels:
        if at + 2 > len(numbers):
            raise ValueError(f'the stream ends after {pixel} of {num_pixels} pixels')
        zeros, others = int(numbers[at]), int(numbers[at + 1])
        at += 2
        pixel += zeros
        if pixel + others > num_pixels:
            raise ValueError(f'a run ends at pixel {pixel + others} of {num_pixels}')
        if at + others > len(numbers):
            raise ValueError(f'the stream ends within a run at pixel {pixel} of {num_pixels}')
        filled[pixel : pixel + others] = True
        deltas_at[at : at + others] = True
        pixel += others
        at += others
    zigzag = numbers[deltas_at]
    out = np.zeros(num_pixels, dtype=np.uint16)
    # Differences wrap at 16 bits as the encoder's pixels do.
    out[filled] = np.cumsum((zigzag >> 1) ^ -(zigzag & 1)).astype(np.uint16)
    return out


def _unpack_numbers(data: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Turn the stream into its numbers, all at once."""
    words = np.frombuffer(data, dtype='<u4', count=data.size // 4)
    shifts = np.arange(28, -4, -4, dtype=np.uint32)
    nibbles = ((words[:, None] >> shifts) & np.uint32(0xF)).astype(np.int64).ravel()
    last = np.flatnonzero(nibbles < 8)
    if last.size == 0:
        return np.zeros(0, dtype=np.int64)
    nibbles = nibbles[: last[-1] + 1]
    first = np.concatenate(([0], last[:-1] + 1))
    place = np.arange(len(nibbles)) - np.repeat(first, last - first + 1)
    # 32-bit numbers need at most 11 nibbles; more is damage, and must not overflow the shift.
    if int(place.max()) > 10:
        raise ValueError('a number is longer than 32 bits')
    return np.add.reduceat((nibbles & 7) << (3 * place), first)
