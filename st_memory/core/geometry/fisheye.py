"""Fisheye cameras: equidistant (Kannala-Brandt) and Aria's fisheye624."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry.angle_scale import AngleScale
from st_memory.core.geometry.camera import Projection
from st_memory.core.geometry.distortion import (
    Decentring,
    PlaneDistortion,
    RadialCurve,
    UNBOUNDED,
)
from st_memory.core.geometry.image_plane import (
    check_image_size,
    check_numbers,
    check_valid_radius,
    ImagePlane,
    project_in_chunks,
    tangents,
    uniform_scale,
)

__all__ = ['EquidistantCamera', 'Fisheye624Camera']

Array = NDArray[np.float64]

# A fisheye may see beyond 90 degrees; here a point at z <= 0 has no pixel in any model.
_HALF_PI = 0.5 * np.pi
_NO_CURVE = RadialCurve(())


@dataclass(frozen=True)
class _FisheyeLens:
    """Angle curve ``theta_d(theta)``, then decentring of the plane point."""

    curve: RadialCurve
    decentring: Decentring

    @cached_property
    def max_angle(self) -> float:
        """Largest angle from the optical axis, radians, where the lens is one-to-one."""
        limit = min(self.curve.turning_point, _HALF_PI)
        if self.decentring.is_zero:
            return limit
        return float(self.curve.invert(np.array([self._shift.limit]), limit)[0])

    @cached_property
    def _shift(self) -> PlaneDistortion:
        return PlaneDistortion(_NO_CURVE, self.decentring)

    def project(
        self, camera_p: Array, plane: ImagePlane, *, checks_fold: bool = True
    ) -> Projection:
        """Project (N, 3) points in the optical frame, beyond ``max_angle`` only if asked."""
        limit = self.max_tangent if checks_fold else UNBOUNDED
        fit = self._scale if checks_fold else None

        def project(points: Array, pixels: Array) -> Projection:
            x, y, r2, valid = tangents(points, limit)
            # In place where it can be: memory is what this costs most.
            scale = self._exact_scale(r2) if fit is None else fit.at(r2)
            x *= scale
            y *= scale
            if not self.decentring.is_zero:
                scale *= scale
                r2 *= scale
                self.decentring.add_to(x, y, r2)
            return plane.to_pixels(x, y, valid, pixels)

        return project_in_chunks(project, camera_p)

    @cached_property
    def _scale(self) -> AngleScale | None:
        return AngleScale.fitted(self.curve, self.max_angle)

    def _exact_scale(self, r2: Array) -> Array:
        """Give ``theta_d(theta) / tan(theta)`` by the formula, for squared tangents."""
        # On the axis theta / r is 1; the smallest float stands in for r = 0.
        r = np.sqrt(r2)
        np.maximum(r, np.finfo(np.float64).tiny, out=r)
        scale = np.arctan(r)
        factor = self.curve.factor(scale * scale)
        scale /= r
        scale *= factor
        return scale

    def unproject(self, pixels: Array, plane: ImagePlane) -> Array:
        """Give the rays (N, 3) at z = 1 m of (N, 2) pixels."""
        x, y = plane.from_pixels(pixels)
        if not self.decentring.is_zero:
            x, y = self._shift.undistort(x, y)
        reach = self.max_angle * float(self.curve.factor(np.array(self.max_angle**2)))
        radius = np.sqrt(x * x + y * y)
        # "<" also drops NaN.
        solved = radius < reach * (1 + 1e-12)
        radius = np.where(solved, radius, 0.0)
        theta = self.curve.invert(radius, self.max_angle)
        scale = np.tan(theta) / np.where(radius > 0, radius, 1.0)
        scale[radius == 0] = 1.0
        rays = np.stack((x * scale, y * scale, np.ones_like(x)), axis=1)
        rays[~solved] = np.nan
        return rays

    @cached_property
    def max_tangent(self) -> float:
        """Tangent of :attr:`max_angle`."""
        return min(float(np.tan(self.max_angle)), UNBOUNDED)


@dataclass(frozen=True)
class EquidistantCamera:
    """
    The Kannala-Brandt fisheye of OpenCV and ROS: ``theta_d = theta (1 + k1 theta^2 + ...)``.

    Parameters
    ----------
    width, height : int
        Image size, pixels.
    fx, fy, cx, cy : float
        Focal lengths and principal point, pixels.
    k1, k2, k3, k4 : float
        Distortion, in the order of ``sensor_msgs/CameraInfo.d``.
    valid_radius_px : float, optional
        Radius of the valid image circle about the principal point, pixels.

    References
    ----------
    .. [1] J. Kannala, S. Brandt, "A Generic Camera Model and Calibration Method for
           Conventional, Wide-Angle, and Fish-Eye Lenses", PAMI 2006, eq. 6.

    """

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    k1: float = 0.0
    k2: float = 0.0
    k3: float = 0.0
    k4: float = 0.0
    valid_radius_px: float | None = None

    def __post_init__(self) -> None:
        check_image_size(self.width, self.height)
        check_numbers(fx=self.fx, fy=self.fy, cx=self.cx, cy=self.cy)
        check_numbers(k1=self.k1, k2=self.k2, k3=self.k3, k4=self.k4)
        check_valid_radius(self.valid_radius_px)

    @property
    def model_name(self) -> str:
        """Always ``equidistant``."""
        return 'equidistant'

    @property
    def focal_px(self) -> float:
        """Mean of fx and fy, pixels."""
        return 0.5 * (self.fx + self.fy)

    @property
    def parameters(self) -> tuple[float, ...]:
        """``(fx, fy, cx, cy, k1, k2, k3, k4)``."""
        return (self.fx, self.fy, self.cx, self.cy, self.k1, self.k2, self.k3, self.k4)

    @property
    def valid_circle(self) -> tuple[float, float, float] | None:
        """``(cx, cy, valid_radius_px)`` if the radius is known."""
        if self.valid_radius_px is None:
            return None
        return (self.cx, self.cy, self.valid_radius_px)

    @property
    def max_angle(self) -> float:
        """Largest angle from the optical axis that is projected, radians."""
        return self._lens.max_angle

    @cached_property
    def _lens(self) -> _FisheyeLens:
        return _FisheyeLens(RadialCurve((self.k1, self.k2, self.k3, self.k4)), Decentring())

    @property
    def _plane(self) -> ImagePlane:
        return ImagePlane(self.fx, self.fy, self.cx, self.cy)

    def project(self, camera_p: Array) -> Projection:
        """Project (N, 3) points in the optical frame, metres; see :class:`CameraModel`."""
        return self._lens.project(camera_p, self._plane)

    def unproject(self, pixels: Array) -> Array:
        """Give the rays (N, 3) at z = 1 m of (N, 2) pixels; see :class:`CameraModel`."""
        return self._lens.unproject(pixels, self._plane)

    def resized(self, width: int, height: int) -> EquidistantCamera:
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


@dataclass(frozen=True)
class Fisheye624Camera:
    """
    The Project Aria fisheye: 6 radial, 2 tangential and 4 thin-prism coefficients.

    Parameters
    ----------
    width, height : int
        Image size, pixels.
    f : float
        Focal length, pixels, for both axes.
    cu, cv : float
        Principal point, pixels.
    coeffs : tuple of 12 float
        ``k0..k5, p0, p1, s0..s3``.
    valid_radius_px : float, optional
        Radius of the valid image circle about the principal point, pixels.

    References
    ----------
    .. [1] Project Aria documentation, "Camera Intrinsic Models for Project Aria devices",
           section FisheyeRadTanThinPrism.

    """

    width: int
    height: int
    f: float
    cu: float
    cv: float
    coeffs: tuple[float, ...]
    valid_radius_px: float | None = None

    def __post_init__(self) -> None:
        coeffs = tuple(float(c) for c in self.coeffs)
        if len(coeffs) != 12:
            raise ValueError(f'coeffs: expected 12 numbers, got {len(coeffs)}')
        object.__setattr__(self, 'coeffs', coeffs)
        check_image_size(self.width, self.height)
        check_numbers(f=self.f, cu=self.cu, cv=self.cv)
        check_numbers(**{f'coeffs[{i}]': c for i, c in enumerate(coeffs)})
        check_valid_radius(self.valid_radius_px)

    @property
    def model_name(self) -> str:
        """Always ``fisheye624``."""
        return 'fisheye624'

    @property
    def focal_px(self) -> float:
        """Focal length, pixels."""
        return self.f

    @property
    def parameters(self) -> tuple[float, ...]:
        """``(f, cu, cv, k0..k5, p0, p1, s0..s3)``, 15 numbers as Aria writes them."""
        return (self.f, self.cu, self.cv, *self.coeffs)

    @property
    def valid_circle(self) -> tuple[float, float, float] | None:
        """``(cu, cv, valid_radius_px)`` if the radius is known."""
        if self.valid_radius_px is None:
            return None
        return (self.cu, self.cv, self.valid_radius_px)

    @property
    def max_angle(self) -> float:
        """Largest angle from the optical axis that is projected, radians."""
        return self._lens.max_angle

    @cached_property
    def _lens(self) -> _FisheyeLens:
        return _FisheyeLens(RadialCurve(self.coeffs[:6]), Decentring(*self.coeffs[6:]))

    @property
    def _plane(self) -> ImagePlane:
        return ImagePlane(self.f, self.f, self.cu, self.cv)

    def project(self, camera_p: Array) -> Projection:
        """Project (N, 3) points in the optical frame, metres; see :class:`CameraModel`."""
        return self._lens.project(camera_p, self._plane)

    def project_unchecked(self, camera_p: Array) -> Projection:
        """
        Project like :meth:`project`, but also beyond :attr:`max_angle`.

        Only to compare with software that applies the formula alone: there the model may fold
        back, and what the lens cannot see gets a pixel.
        """
        return self._lens.project(camera_p, self._plane, checks_fold=False)

    def unproject(self, pixels: Array) -> Array:
        """Give the rays (N, 3) at z = 1 m of (N, 2) pixels; see :class:`CameraModel`."""
        return self._lens.unproject(pixels, self._plane)

    def resized(self, width: int, height: int) -> Fisheye624Camera:
        """
        Give the camera of the same image scaled to another size.

        Raises
        ------
        ValueError
            If the two axes scale differently: the model has one focal length.

        """
        scale_u, scale_v = width / self.width, height / self.height
        scale = uniform_scale(scale_u, scale_v)
        plane = self._plane.scaled(scale, scale)
        radius = None if self.valid_radius_px is None else self.valid_radius_px * scale
        return Fisheye624Camera(width, height, plane.fx, plane.cx, plane.cy, self.coeffs, radius)
