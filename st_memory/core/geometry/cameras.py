"""Build any camera model from its numbers, and say which pixels lie in its image."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from st_memory.core.geometry.camera import CameraModel
from st_memory.core.geometry.double_sphere import DoubleSphereCamera
from st_memory.core.geometry.fisheye import EquidistantCamera, Fisheye624Camera
from st_memory.core.geometry.perspective import PinholeCamera, PlumbBobCamera, RationalCamera

__all__ = ['CAMERA_MODELS', 'camera_from_parameters', 'in_image']

# How many numbers each model has; plumb_bob with four is a pinhole.
CAMERA_MODELS: dict[str, tuple[int, ...]] = {
    'plumb_bob': (4, 9),
    'rational_polynomial': (12,),
    'equidistant': (8,),
    'fisheye624': (15,),
    'double_sphere': (6,),
}

_LOWEST_PIXEL = {'area': -0.5, 'zero': 0.0}
_CIRCLES = ('none', 'calibrated', 'inscribed', 'calibrated_or_inscribed')


def camera_from_parameters(
    model_name: str,
    width: int,
    height: int,
    parameters: Sequence[float],
    valid_radius_px: float | None = None,
) -> CameraModel:
    """
    Rebuild a camera from what :attr:`CameraModel.parameters` and its siblings gave.

    Parameters
    ----------
    model_name : str
        One of :data:`CAMERA_MODELS`.
    width, height : int
        Image size, pixels.
    parameters : sequence of float
        All numbers of the model, in the order its class documents.
    valid_radius_px : float, optional
        Radius of the valid circle about the principal point, pixels; wide-angle models only.

    Raises
    ------
    ValueError
        If the name is unknown, the count of numbers is wrong, a number is out of range, or a
        perspective model is given a valid circle.

    """
    if model_name not in CAMERA_MODELS:
        raise ValueError(f'model_name: expected one of {list(CAMERA_MODELS)}, got {model_name!r}')
    counts = CAMERA_MODELS[model_name]
    p = [float(value) for value in parameters]
    if len(p) not in counts:
        wanted = ' or '.join(str(count) for count in counts)
        raise ValueError(f'parameters: expected {wanted} numbers for {model_name}, got {len(p)}')
    if model_name == 'equidistant':
        fx, fy, cx, cy, k1, k2, k3, k4 = p
        return EquidistantCamera(width, height, fx, fy, cx, cy, k1, k2, k3, k4, valid_radius_px)
    if model_name == 'fisheye624':
        f, cu, cv, *coeffs = p
        return Fisheye624Camera(width, height, f, cu, cv, tuple(coeffs), valid_radius_px)
    if model_name == 'double_sphere':
        fx, fy, cx, cy, xi, alpha = p
        return DoubleSphereCamera(width, height, fx, fy, cx, cy, xi, alpha, valid_radius_px)
    if valid_radius_px is not None:
        raise ValueError(f'valid_radius_px: {model_name} has no valid circle')
    if model_name == 'rational_polynomial':
        return RationalCamera(width, height, *p)
    return PinholeCamera(width, height, *p) if len(p) == 4 else PlumbBobCamera(width, height, *p)


def in_image(
    camera: CameraModel,
    pixels: ArrayLike,
    *,
    bounds: str = 'area',
    circle: str = 'calibrated',
) -> NDArray[np.bool_]:
    """
    Say which pixels lie in the image and in the part of it that the lens fills.

    Parameters
    ----------
    camera : CameraModel
        Gives the size and the valid circle.
    pixels : (N, 2) array-like
        u, v with pixel centres at integer coordinates; NaN is never in the image.
    bounds : str
        ``area``: the area of the pixels, -0.5 <= u < width - 0.5; ``zero``: 0 <= u < width.
    circle : str
        ``none``; ``calibrated``: the camera's own, if it has one; ``inscribed``: centre
        ((width - 1) / 2, (height - 1) / 2) and radius min(width, height) / 2;
        ``calibrated_or_inscribed``: its own, else the inscribed one. The rim belongs to it.

    Returns
    -------
    (N,) bool
        Whether each pixel is in the image.

    Raises
    ------
    ValueError
        If a name is unknown or the shape is wrong.

    """
    if bounds not in _LOWEST_PIXEL:
        raise ValueError(f'bounds: expected one of {list(_LOWEST_PIXEL)}, got {bounds!r}')
    if circle not in _CIRCLES:
        raise ValueError(f'circle: expected one of {list(_CIRCLES)}, got {circle!r}')
    p = np.asarray(pixels, dtype=np.float64)
    if p.ndim != 2 or p.shape[1] != 2:
        raise ValueError(f'pixels: expected shape (N, 2), got {p.shape}')
    u, v = p[:, 0], p[:, 1]
    low = _LOWEST_PIXEL[bounds]
    inside: NDArray[np.bool_] = (u >= low) & (u < camera.width + low)
    inside &= (v >= low) & (v < camera.height + low)
    rim = _circle(camera, circle)
    if rim is not None:
        centre_u, centre_v, radius = rim
        inside &= (u - centre_u) ** 2 + (v - centre_v) ** 2 <= radius * radius
    return inside


def _circle(camera: CameraModel, rule: str) -> tuple[float, float, float] | None:
    """Centre and radius of the circle that a rule asks for."""
    if rule.startswith('calibrated') and camera.valid_circle is not None:
        return camera.valid_circle
    if rule.endswith('inscribed'):
        radius = 0.5 * min(camera.width, camera.height)
        return 0.5 * (camera.width - 1), 0.5 * (camera.height - 1), radius
    return None
