"""What a writer puts into ``sensor_msgs/CameraInfo`` for a camera model."""

from __future__ import annotations

from typing import NamedTuple

from st_memory.core.geometry import CameraModel

__all__ = ['FISHEYE_MODELS', 'CameraInfoFields', 'camera_info_fields']

FISHEYE_MODELS = {'equidistant': 4, 'fisheye624': 12, 'double_sphere': 2}
"""Models that may have a valid circle, and how many distortion numbers come before its radius."""

_ONE_FOCAL_LENGTH = 'fisheye624'


class CameraInfoFields(NamedTuple):
    """
    The fields of a calibration, named as in ROS 2.

    Attributes
    ----------
    distortion_model : str
        ``plumb_bob``, ``rational_polynomial``, ``equidistant``, ``fisheye624``, ...
    d : tuple of float
        Distortion; a fisheye's valid radius in pixels, if known, stands behind its numbers.
    k, r, p : (9,), (9,), (12,) float
        Row by row.

    """

    height: int
    width: int
    distortion_model: str
    d: tuple[float, ...]
    k: tuple[float, ...]
    r: tuple[float, ...]
    p: tuple[float, ...]


def camera_info_fields(model: CameraModel) -> CameraInfoFields:
    """Spread a camera model over the fields of a CameraInfo."""
    numbers = model.parameters
    if model.model_name == _ONE_FOCAL_LENGTH:
        numbers = (numbers[0], *numbers)
    fx, fy, cx, cy, *distortion = numbers
    if not distortion:
        distortion = [0.0] * 5
    if model.valid_circle is not None and model.model_name in FISHEYE_MODELS:
        distortion.append(model.valid_circle[2])
    return CameraInfoFields(
        height=model.height,
        width=model.width,
        distortion_model=model.model_name,
        d=tuple(distortion),
        k=(fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0),
        r=(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        p=(fx, 0.0, cx, 0.0, 0.0, fy, cy, 0.0, 0.0, 0.0, 1.0, 0.0),
    )
