"""What every image detector promises, and the checks that all of them make."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from st_memory.core.errors import StMemoryError
from st_memory.core.records import Detection

__all__ = ['Detector', 'DetectorModelError', 'check_image', 'check_threshold']


class DetectorModelError(StMemoryError):
    """A detector's model is missing, damaged, or of another kind than expected."""


class Detector(Protocol):
    """Finds objects in single images; the same image always gives the same detections."""

    def detect(self, image_rgb: NDArray[np.uint8]) -> list[Detection]:
        """
        Find objects in an image.

        Parameters
        ----------
        image_rgb : (H, W, 3) uint8
            Any size.

        Returns
        -------
        list of Detection
            By falling score; boxes in pixels of the given image, cut at its border.

        Raises
        ------
        ValueError
            If the image has another shape or type.

        """


def check_image(image_rgb: NDArray[np.uint8]) -> tuple[int, int]:
    """
    Give the height and width of an image.

    Parameters
    ----------
    image_rgb : (H, W, 3) uint8
        The image.

    Returns
    -------
    height, width : int
        Both at least 1.

    Raises
    ------
    ValueError
        If it has another shape or type, or no pixels.

    """
    if image_rgb.dtype != np.uint8 or image_rgb.ndim != 3 or image_rgb.shape[2] != 3:
        raise ValueError(
            f'image_rgb: expected (H, W, 3) uint8, got {image_rgb.shape} {image_rgb.dtype}'
        )
    height, width = image_rgb.shape[:2]
    if not height or not width:
        raise ValueError(f'image_rgb: expected pixels, got shape {image_rgb.shape}')
    return height, width


def check_threshold(score_threshold: float) -> None:
    """
    Refuse a lowest score that is not in (0, 1].

    Raises
    ------
    ValueError
        If it is out of range.

    """
    if not 0.0 < score_threshold <= 1.0:
        raise ValueError(f'score_threshold: expected 0 < score <= 1, got {score_threshold}')
