"""Intrinsics from the settings, for cameras that publish none."""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

from st_memory.conversions.calibrations import Calibration
from st_memory.conversions.camera_info import camera_from_info

__all__ = ['GivenCamera', 'given_calibration']


class GivenCamera(NamedTuple):
    """
    A calibration as people write it down.

    Attributes
    ----------
    frame_id : str
        The optical frame.
    width, height : int
        Size of the images, pixels.
    k : (9,) float
        Camera matrix, row by row, pixels.
    d : tuple of float
        Distortion; none for a rectified image.
    distortion_model : str
        As in ``sensor_msgs/CameraInfo``.

    """

    frame_id: str
    width: int
    height: int
    k: tuple[float, ...]
    d: tuple[float, ...] = ()
    distortion_model: str = 'plumb_bob'


def given_calibration(camera_id: str, given: GivenCamera) -> Calibration:
    """
    Give the calibration of a camera, which holds until it publishes one.

    Raises
    ------
    ConversionError
        If it is unusable.
    ValueError
        If ``k`` has not nine numbers.

    """
    if len(given.k) != 9:
        raise ValueError(f'camera_info.{camera_id}.k: expected 9 numbers, got {len(given.k)}')
    message = SimpleNamespace(
        **given._asdict(),
        p=(0.0,) * 12,
        binning_x=0,
        binning_y=0,
        roi=SimpleNamespace(x_offset=0, y_offset=0, width=0, height=0),
    )
    model = camera_from_info(message, f'camera_info.{camera_id}')
    return Calibration(0, given.frame_id, model, ('given', given))
