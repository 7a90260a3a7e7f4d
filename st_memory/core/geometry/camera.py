"""The contract of every camera model: project, unproject, and say what is valid."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

__all__ = ['CameraModel', 'Projection']

Array = NDArray[np.float64]


class Projection(NamedTuple):
    """
    Pixels of projected points and whether each means anything.

    Attributes
    ----------
    pixels : (N, 2) float64
        u (right), v (down); pixel centres at integer coordinates; NaN where not ``projectable``.
    projectable : (N,) bool
        The point is in front of the camera and inside the part of the model where the projection
        is one-to-one (its monotonic radius); it may still lie outside the image.

    """

    pixels: Array
    projectable: NDArray[np.bool_]


@runtime_checkable
class CameraModel(Protocol):
    """
    A calibrated camera; points are in its optical frame (REP-103: z forward, x right, y down).

    Implementations are frozen, vectorised and float64.
    """

    def __hash__(self) -> int:
        """Equal cameras have equal hashes: what follows from one is worked out once."""

    @property
    def model_name(self) -> str:
        """Name as in ``sensor_msgs/CameraInfo.distortion_model`` (``plumb_bob``, ...)."""

    @property
    def width(self) -> int:
        """Image width in pixels."""

    @property
    def height(self) -> int:
        """Image height in pixels."""

    @property
    def focal_px(self) -> float:
        """Focal length in pixels (mean of fx and fy); pixel size of an object = f * size / z."""

    @property
    def parameters(self) -> tuple[float, ...]:
        """All numbers of the model, in the order its class documents."""

    @property
    def valid_circle(self) -> tuple[float, float, float] | None:
        """Centre u, v and radius in pixels of a fisheye's valid circle, if it has one."""

    def project(self, camera_p: Array) -> Projection:
        """Project (N, 3) points in metres; nothing is cut at the image border."""

    def unproject(self, pixels: Array) -> Array:
        """
        Give the viewing rays of (N, 2) pixels.

        Returns
        -------
        (N, 3) float64
            Points on the rays at depth z = 1 m (unit z, not unit length); NaN where the model
            has no ray.

        """

    def resized(self, width: int, height: int) -> CameraModel:
        """
        Give the camera of the same image scaled to another size (pixels).

        Raises
        ------
        ValueError
            If the model cannot express the two scales.

        """
