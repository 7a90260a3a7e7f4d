"""Perspective cameras: pinhole, plumb_bob and rational_polynomial."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

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
    ImagePlane,
    tangents,
)

__all__ = ['PinholeCamera', 'PlumbBobCamera', 'RationalCamera']

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _PerspectiveCamera:
    """Size, focal lengths and principal point; subclasses say what the lens does to the plane."""

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float

    def __post_init__(self) -> None:
        check_image_size(self.width, self.height)
        check_numbers(fx=self.fx, fy=self.fy, cx=self.cx, cy=self.cy)

    @property
    def focal_px(self) -> float:
        """Mean of fx and fy, pixels."""
        return 0.5 * (self.fx + self.fy)

    @property
    def valid_circle(self) -> tuple[float, float, float] | None:
        """Perspective lenses have none."""
        return None

    @property
    def _plane(self) -> ImagePlane:
        return ImagePlane(self.fx, self.fy, self.cx, self.cy)

    @property
    def _distortion(self) -> PlaneDistortion | None:
        return None

    @cached_property
    def max_tangent(self) -> float:
        """Largest x/z, y/z radius that is projected: where the lens model folds back."""
        return UNBOUNDED if self._distortion is None else self._distortion.limit

    def project(self, camera_p: Array) -> Projection:
        """Project (N, 3) points in the optical frame, metres; see :class:`CameraModel`."""
        x, y, r2, valid = tangents(camera_p, self.max_tangent)
        if self._distortion is not None:
            x, y = self._distortion.distort(x, y, r2)
        return self._plane.to_pixels(x, y, valid)

    def unproject(self, pixels: Array) -> Array:
        """Give the rays (N, 3) at z = 1 m of (N, 2) pixels; see :class:`CameraModel`."""
        x, y = self._plane.from_pixels(pixels)
        if self._distortion is not None:
            x, y = self._distortion.undistort(x, y)
        rays = np.stack((x, y, np.ones_like(x)), axis=1)
        rays[~np.isfinite(x + y)] = np.nan
        return rays


@dataclass(frozen=True)
class PinholeCamera(_PerspectiveCamera):
    """
    An ideal or rectified camera; the same as plumb_bob with zero distortion.

    Parameters
    ----------
    width, height : int
        Image size, pixels.
    fx, fy, cx, cy : float
        Focal lengths and principal point, pixels.

    """

    @property
    def model_name(self) -> str:
        """Always ``plumb_bob``: ``sensor_msgs/CameraInfo`` has no other name for it."""
        return 'plumb_bob'

    @property
    def parameters(self) -> tuple[float, ...]:
        """``(fx, fy, cx, cy)``."""
        return (self.fx, self.fy, self.cx, self.cy)

    def resized(self, width: int, height: int) -> PinholeCamera:
        """Give the camera of the same image scaled to another size."""
        plane = self._plane.scaled(width / self.width, height / self.height)
        return PinholeCamera(width, height, *plane)


@dataclass(frozen=True)
class PlumbBobCamera(_PerspectiveCamera):
    """
    A perspective camera with radial and tangential distortion (Brown-Conrady).

    Parameters
    ----------
    width, height : int
        Image size, pixels.
    fx, fy, cx, cy : float
        Focal lengths and principal point, pixels.
    k1, k2, p1, p2, k3 : float
        Distortion, in the order of ``sensor_msgs/CameraInfo.d``.

    References
    ----------
    .. [1] OpenCV documentation, "Camera Calibration and 3D Reconstruction", detailed description.
    .. [2] D. C. Brown, "Decentering Distortion of Lenses", Photogrammetric Engineering, 1966.

    """

    k1: float = 0.0
    k2: float = 0.0
    p1: float = 0.0
    p2: float = 0.0
    k3: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_numbers(k1=self.k1, k2=self.k2, p1=self.p1, p2=self.p2, k3=self.k3)

    @property
    def model_name(self) -> str:
        """Always ``plumb_bob``."""
        return 'plumb_bob'

    @property
    def parameters(self) -> tuple[float, ...]:
        """``(fx, fy, cx, cy, k1, k2, p1, p2, k3)``."""
        camera = (self.fx, self.fy, self.cx, self.cy)
        return (*camera, self.k1, self.k2, self.p1, self.p2, self.k3)

    @cached_property
    def _distortion(self) -> PlaneDistortion:
        return PlaneDistortion(
            RadialCurve((self.k1, self.k2, self.k3)), Decentring(px=self.p2, py=self.p1)
        )

    def resized(self, width: int, height: int) -> PlumbBobCamera:
        """Give the camera of the same image scaled to another size."""
        plane = self._plane.scaled(width / self.width, height / self.height)
        return replace(self, width=width, height=height, **plane._asdict())


@dataclass(frozen=True)
class RationalCamera(_PerspectiveCamera):
    """
    A perspective camera with OpenCV's rational distortion (8 coefficients).

    Parameters
    ----------
    width, height : int
        Image size, pixels.
    fx, fy, cx, cy : float
        Focal lengths and principal point, pixels.
    k1, k2, p1, p2, k3, k4, k5, k6 : float
        Distortion, in the order of ``sensor_msgs/CameraInfo.d``; k4 to k6 are the denominator.

    References
    ----------
    .. [1] OpenCV documentation, "Camera Calibration and 3D Reconstruction", detailed description.
    .. [2] D. Claus, A. Fitzgibbon, "A Rational Function Lens Distortion Model for General
           Cameras", CVPR 2005.

    """

    k1: float = 0.0
    k2: float = 0.0
    p1: float = 0.0
    p2: float = 0.0
    k3: float = 0.0
    k4: float = 0.0
    k5: float = 0.0
    k6: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_numbers(k1=self.k1, k2=self.k2, p1=self.p1, p2=self.p2, k3=self.k3)
        check_numbers(k4=self.k4, k5=self.k5, k6=self.k6)

    @property
    def model_name(self) -> str:
        """Always ``rational_polynomial``."""
        return 'rational_polynomial'

    @property
    def parameters(self) -> tuple[float, ...]:
        """``(fx, fy, cx, cy, k1, k2, p1, p2, k3, k4, k5, k6)``."""
        lens = (self.k1, self.k2, self.p1, self.p2, self.k3, self.k4, self.k5, self.k6)
        return (self.fx, self.fy, self.cx, self.cy, *lens)

    @cached_property
    def _distortion(self) -> PlaneDistortion:
        return PlaneDistortion(
            RadialCurve((self.k1, self.k2, self.k3), (self.k4, self.k5, self.k6)),
            Decentring(px=self.p2, py=self.p1),
        )

    def resized(self, width: int, height: int) -> RationalCamera:
        """Give the camera of the same image scaled to another size."""
        plane = self._plane.scaled(width / self.width, height / self.height)
        return replace(self, width=width, height=height, **plane._asdict())
