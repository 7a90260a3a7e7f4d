"""``sensor_msgs/CameraInfo`` to camera models."""

from __future__ import annotations

from typing import Any

import numpy as np

from st_memory.conversions.camera_info_fields import FISHEYE_MODELS
from st_memory.core.errors import ConversionError
from st_memory.core.geometry import camera_from_parameters, CameraModel

__all__ = ['calibration_key', 'camera_from_info']

# Number of coefficients our perspective models take.
_PERSPECTIVE_MODELS = {'': 5, 'plumb_bob': 5, 'rational_polynomial': 8}
# A damaged size must not allocate the machine's memory.
_MAX_PIXELS = 1 << 28
# No lens has such a coefficient, and no image such a focal length; NaN is none either.
_LARGEST = 1e6
_ALIASES = {'fisheye': 'equidistant'}


def calibration_key(message: Any) -> tuple[object, ...]:
    """Give everything that decides the camera model, to compare two messages by."""
    roi = message.roi
    return (
        message.width,
        message.height,
        message.distortion_model,
        *(np.asarray(_field(message, name), dtype=np.float64).tobytes() for name in 'dkp'),
        (message.binning_x, message.binning_y),
        (roi.x_offset, roi.y_offset, roi.width, roi.height),
    )


def camera_from_info(
    message: Any, topic: str = '', *, image_size: tuple[int, int] | None = None
) -> CameraModel:
    """
    Build the camera of a calibration message.

    Parameters
    ----------
    message : sensor_msgs/CameraInfo
        ROS 2 (``k``, ``d``, ``p``) or ROS 1 (``K``, ``D``, ``P``).
    topic : str
        Named in errors.
    image_size : (int, int), optional
        Width and height of the images if they were resized after calibration, pixels.

    Returns
    -------
    CameraModel
        With distortion: K and D. Without (empty or zero D: a rectified image): P, or K where P
        is zero. Region of interest and binning are applied.

    Raises
    ------
    ConversionError
        If a focal length is not positive, the distortion model is unknown, or its coefficients
        do not fit it.

    """
    name = _ALIASES.get(message.distortion_model, message.distortion_model)
    if name not in _PERSPECTIVE_MODELS and name not in FISHEYE_MODELS:
        known = ', '.join([*filter(None, _PERSPECTIVE_MODELS), *FISHEYE_MODELS])
        raise ConversionError(f'{topic}: unknown distortion model {name!r}; known are {known}')
    d = [float(value) for value in _field(message, 'd')]
    is_rectified = not any(d) if name in _PERSPECTIVE_MODELS else not d
    plane = _image_plane(message, topic, is_rectified=is_rectified)
    try:
        camera = _build(name, message, plane, [] if is_rectified else d)
        return camera if image_size is None else camera.resized(*image_size)
    except ValueError as error:
        raise ConversionError(f'{topic}: unusable calibration: {error}') from error


def _field(message: Any, name: str) -> Any:
    """Give a field that ROS 1 spells with a capital letter."""
    return getattr(message, name) if hasattr(message, name) else getattr(message, name.upper())


def _image_plane(
    message: Any, topic: str, *, is_rectified: bool
) -> tuple[float, float, float, float]:
    """Read fx, fy, cx, cy of the delivered image, pixels."""
    k = [float(value) for value in _field(message, 'k')]
    p = [float(value) for value in _field(message, 'p')]
    fx, fy, cx, cy = k[0], k[4], k[2], k[5]
    if is_rectified and p[0] > 0:
        fx, fy, cx, cy = p[0], p[5], p[2], p[6]
    if not (fx > 0 and fy > 0):
        raise ConversionError(
            f'{topic}: expected focal lengths > 0, found fx {fx:g} and fy {fy:g}: '
            f'the camera is not calibrated'
        )
    bin_x, bin_y = max(1, message.binning_x), max(1, message.binning_y)
    # Pixel centres are at integers: the first binned pixel is centred (bin - 1) / 2 further.
    cx = (cx - message.roi.x_offset + 0.5) / bin_x - 0.5
    cy = (cy - message.roi.y_offset + 0.5) / bin_y - 0.5
    return fx / bin_x, fy / bin_y, cx, cy


def _size(message: Any) -> tuple[int, int]:
    width = message.roi.width or message.width
    height = message.roi.height or message.height
    return width // max(1, message.binning_x), height // max(1, message.binning_y)


def _build(
    name: str, message: Any, plane: tuple[float, float, float, float], d: list[float]
) -> CameraModel:
    width, height = _size(message)
    if width * height > _MAX_PIXELS:
        raise ValueError(f'expected at most {_MAX_PIXELS} pixels, found {width} x {height}')
    if not all(abs(value) < _LARGEST for value in (*plane, *d)):
        raise ValueError(f'expected numbers below {_LARGEST:g}, found {[*plane, *d]}')
    if not d:
        return camera_from_parameters('plumb_bob', width, height, plane)
    if name in _PERSPECTIVE_MODELS:
        name, d = _perspective_coefficients(name, d)
        return camera_from_parameters(name, width, height, (*plane, *d))
    count = FISHEYE_MODELS[name]
    radius = d[count] if len(d) == count + 1 else None
    d = d if radius is None else d[:count]
    if name == 'fisheye624':
        if abs(plane[0] - plane[1]) > 1e-6 * plane[0]:
            raise ValueError(f'fisheye624 has one focal length, found {plane[0]} and {plane[1]}')
        plane_numbers = (plane[0], plane[2], plane[3])
    else:
        plane_numbers = plane  # type: ignore[assignment]
    return camera_from_parameters(name, width, height, (*plane_numbers, *d), radius)


def _perspective_coefficients(name: str, d: list[float]) -> tuple[str, list[float]]:
    """Fit OpenCV's 4, 5, 8, 12 or 14 coefficients to the two models we have."""
    used = max(i for i, value in enumerate(d) if value) + 1
    if used > 8:
        raise ValueError(f'{len(d)} coefficients: thin prism and tilt are not supported')
    name = 'rational_polynomial' if used > 5 or name == 'rational_polynomial' else 'plumb_bob'
    count = _PERSPECTIVE_MODELS[name]
    return name, (d + [0.0] * count)[:count]
