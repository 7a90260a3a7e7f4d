"""The double sphere camera, closed form both ways."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry.camera import Projection
from st_memory.core.geometry.image_plane import (
    check_image_size,
    check_numbers,
    check_valid_radius,
    ImagePlane,
    MIN_DEPTH_M,
    points_xyz,
    uniform_scale,
)

__all__ = ['DoubleSphereCamera']

Array = NDArray[np.float64]


@dataclass(frozen=True)
class DoubleSphereCamera:
    """
    A wide-angle camera: projection on two unit spheres, then on the plane.

    Parameters
    ----------
    width, height : int
        Image size, pixels.
    fx, fy, cx, cy : float
        Focal lengths and principal point, pixels.
    xi : float
        Distance of the sphere centres, in (-1, 1).
    alpha : float
        Shift of the projection centre, in [0, 1]; xi = alpha = 0 is a pinhole.
    valid_radius_px : float, optional
        Radius of the valid image circle about the principal point, pixels.

    Notes
    -----
    As in every model here, a point at z <= 0 has no pixel, although the model itself reaches
    further.

    References
    ----------
    .. [1] V. Usenko, N. Demmel, D. Cremers, "The Double Sphere Camera Model", 3DV 2018,
           eq. 40-42 (projection), 46-50 (unprojection).

    """

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    xi: float
    alpha: float
    valid_radius_px: float | None = None

    def __post_init__(self) -> None:
        check_image_size(self.width, self.height)
        check_numbers(fx=self.fx, fy=self.fy, cx=self.cx, cy=self.cy)
        if not -1.0 < self.xi < 1.0:
            raise ValueError(f'xi: expected -1 < xi < 1, got {self.xi}')
        if not 0.0 <= self.alpha <= 1.0:
            raise ValueError(f'alpha: expected 0 <= alpha <= 1, got {self.alpha}')
        check_valid_radius(self.valid_radius_px)

    @property
    def model_name(self) -> str:
        """Always ``double_sphere``."""
        return 'double_sphere'

    @property
    def focal_px(self) -> float:
        """Mean of fx and fy, pixels."""
        return 0.5 * (self.fx + self.fy)

    @property
    def parameters(self) -> tuple[float, ...]:
        """``(fx, fy, cx, cy, xi, alpha)``."""
        return (self.fx, self.fy, self.cx, self.cy, self.xi, self.alpha)

    @property
    def valid_circle(self) -> tuple[float, float, float] | None:
        """``(cx, cy, valid_radius_px)`` if the radius is known."""
        if self.valid_radius_px is None:
            return None
        return (self.cx, self.cy, self.valid_radius_px)

    @property
    def _plane(self) -> ImagePlane:
        return ImagePlane(self.fx, self.fy, self.cx, self.cy)

    def project(self, camera_p: Array) -> Projection:
        """Project (N, 3) points in the optical frame, metres; see :class:`CameraModel`."""
        x, y, z = points_xyz(camera_p)
        xi, alpha = self.xi, self.alpha
        valid = (z > MIN_DEPTH_M) & (np.abs(x) < np.inf) & (np.abs(y) < np.inf) & (z < np.inf)
        x, y, z = np.where(valid, x, 0.0), np.where(valid, y, 0.0), np.where(valid, z, 1.0)
        r2 = x * x + y * y
        d1 = np.sqrt(r2 + z * z)  # eq. 41
        shifted = xi * d1 + z
        d2 = np.sqrt(r2 + shifted * shifted)  # eq. 42
        valid &= z > -self._cone * d1
        bottom = alpha * d2 + (1 - alpha) * shifted
        valid &= bottom > 0
        inverse = 1.0 / np.where(valid, bottom, 1.0)
        return self._plane.to_pixels(x * inverse, y * inverse, valid)

    @property
    def _cone(self) -> float:
        """
        Minus the cosine of the angle up to which the model is one-to-one.

        Seen from the centre of the second sphere, at an angle phi, the radius on the plane is
        ``sin(phi) / (alpha + (1 - alpha) cos(phi))``, which has a pole (alpha <= 0.5) or turns
        back (alpha > 0.5) where ``cos(phi) = -w1``. This is the angle at the first sphere for
        it; the bound of eq. 43-45 is wider where xi < 0, and lets folded points through.
        """
        alpha, xi = self.alpha, self.xi
        w1 = alpha / (1 - alpha) if alpha <= 0.5 else (1 - alpha) / alpha
        rest = 1 - w1 * w1
        return float(xi * rest + w1 * np.sqrt(1 - xi * xi * rest))

    def unproject(self, pixels: Array) -> Array:
        """Give the rays (N, 3) at z = 1 m of (N, 2) pixels; see :class:`CameraModel`."""
        x, y = self._plane.from_pixels(pixels)
        xi, alpha = self.xi, self.alpha
        r2 = x * x + y * y
        inside = 1 - (2 * alpha - 1) * r2  # eq. 50
        solved = inside >= 0
        bottom = alpha * np.sqrt(np.where(solved, inside, 0.0)) + 1 - alpha
        # With alpha = 1 it is 0 on the rim, where the numerator is 0 as well and z tends to 0.
        z = (1 - alpha * alpha * r2) / np.where(bottom > 0, bottom, 1.0)  # eq. 47
        under_root = z * z + (1 - xi * xi) * r2
        scale = (z * xi + np.sqrt(under_root)) / (z * z + r2)  # eq. 46
        depth = scale * z - xi
        solved &= depth > MIN_DEPTH_M * scale
        rays = np.full((x.shape[0], 3), np.nan)
        inverse = scale / np.where(solved, depth, 1.0)
        np.multiply(x, inverse, out=rays[:, 0], where=solved)
        np.multiply(y, inverse, out=rays[:, 1], where=solved)
        rays[solved, 2] = 1.0
        return rays

    def resized(self, width: int, height: int) -> DoubleSphereCamera:
        """
        Give the camera of the same image scaled to another size.

        Raises
        ------
        ValueError
            If there is a valid circle and the scaling would make it an ellipse.

        """
        scale_u, scale_v = width / self.width, height / self.height
        radius = self.valid_radius_px
        if radius is not None:
            radius *= uniform_scale(scale_u, scale_v)
        plane = self._plane.scaled(scale_u, scale_v)
        return replace(self, width=width, height=height, valid_radius_px=radius, **plane._asdict())
