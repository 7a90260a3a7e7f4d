"""Boxes on the own body, and the pixels of an image that they cover."""

from __future__ import annotations

from dataclasses import dataclass, field
import math

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import CameraModel, RigidTransform

__all__ = ['PixelRays', 'SelfBox']

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_UNIT_TOLERANCE = 1e-3


@dataclass(frozen=True)
class SelfBox:
    """
    A box around a piece of the robot or of the wearer's gear.

    Parameters
    ----------
    frame : str
        TF frame that it moves with.
    centre_m, size_m : (3,) float
        Its middle in that frame and its full edge lengths, metres.
    quat_xyzw : (4,) float
        Attitude of the box in that frame.
    margin_m : float
        Points this near to it still belong to it, metres: for padding, cables and noise.

    Raises
    ------
    ValueError
        If the frame has no name, an edge is not positive, a number is not finite, or the
        quaternion is not of unit length.

    """

    frame: str
    centre_m: tuple[float, float, float]
    size_m: tuple[float, float, float]
    quat_xyzw: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    margin_m: float = field(default=0.02, metadata={'min': 0.0, 'max': 1.0, 'unit': 'm'})

    def __post_init__(self) -> None:
        if not self.frame.strip('/'):
            raise ValueError('frame: expected the name of a TF frame, got none')
        if not all(math.isfinite(n) for n in (*self.centre_m, *self.size_m, *self.quat_xyzw)):
            raise ValueError(f'box on {self.frame}: expected finite numbers')
        if min(self.size_m) <= 0.0:
            raise ValueError(f'size_m: expected edges > 0, got {list(self.size_m)}')
        length = math.sqrt(sum(n * n for n in self.quat_xyzw))
        if abs(length - 1.0) > _UNIT_TOLERANCE:
            raise ValueError(f'quat_xyzw: expected unit length, got {length:.6g}')
        if not self.margin_m >= 0.0:  # nor NaN
            raise ValueError(f'margin_m: expected >= 0, got {self.margin_m}')

    @property
    def frame_T_box(self) -> RigidTransform:
        """Pose in its frame."""
        return RigidTransform(np.array(self.centre_m), np.array(self.quat_xyzw))

    def holds(self, box_p: Array) -> bool:
        """Whether a point (3,) in the axes of the box lies in it, grown by its margin."""
        return bool((np.abs(box_p) <= np.array(self.size_m) / 2 + self.margin_m).all())


class PixelRays:
    """
    The line of sight of every pixel of one camera: what a box covers is exact for any lens.

    Parameters
    ----------
    model : CameraModel
        The camera.

    """

    def __init__(self, model: CameraModel) -> None:
        self.model = model
        v, u = np.mgrid[0 : model.height, 0 : model.width]
        pixels = np.stack((u.ravel(), v.ravel()), axis=1).astype(np.float64)
        # Single precision is a thousandth of a pixel, at half the memory of a large image.
        # (3, N), z = 1; NaN where there is none.
        self._rays = np.ascontiguousarray(model.unproject(pixels).T, dtype=np.float32)
        self._lengths = np.sqrt(np.einsum('ij,ij->j', self._rays, self._rays))

    def covered(
        self, box: SelfBox, camera_T_box: RigidTransform, depth_m: NDArray[np.float32] | None
    ) -> Mask:
        """
        Say which pixels show a box.

        Where depth was measured, those whose point lies in the box grown by its margin. Where it
        was not, as right before a lens, those whose line of sight meets the box itself. Without a
        depth image, those whose line meets the grown box. A box that the camera is inside of is
        met by every line and tells nothing: it covers measured points alone.

        Parameters
        ----------
        box : SelfBox
            Size and margin.
        camera_T_box : RigidTransform
            Its pose in the optical frame.
        depth_m : (H, W) float32, optional
            Metres; NaN where not measured.

        Returns
        -------
        (H, W) bool
            The pixels.

        """
        shape = (self.model.height, self.model.width)
        half = np.array(box.size_m) / 2
        grown = half + box.margin_m
        near = self._near(camera_T_box.translation, grown)
        box_T_camera = camera_T_box.inverse()
        origin = box_T_camera.translation
        rays = box_T_camera.rotation.astype(np.float32) @ self._rays.take(near, axis=1)
        if depth_m is None:
            found = _meets(origin, rays, grown)
        else:
            depth = depth_m.reshape(-1).take(near)
            is_measured = (depth > 0.0) & (depth < np.inf)
            found = is_measured & _ends_in(origin, rays, depth, grown)
            blind = np.flatnonzero(~is_measured)
            found[blind] = _meets(origin, rays.take(blind, axis=1), half)
        covered = np.zeros(shape, dtype=bool)
        covered.reshape(-1)[near[found]] = True
        return covered

    def _near(self, centre: Array, half: Array) -> NDArray[np.intp]:
        """Pixels whose line of sight comes as near to the centre as the corners are."""
        radius_squared, distance_squared = half @ half, centre @ centre
        with np.errstate(invalid='ignore'):
            along = (centre.astype(np.float32) @ self._rays) / self._lengths
            # Rounding must not cost a pixel at the rim; what is looked at closer may be more.
            near = along * along >= (distance_squared - radius_squared) * (1.0 - 1e-5)  # nor NaN
            if distance_squared > radius_squared:
                near &= along > 0.0
        return np.flatnonzero(near)


def _meets(origin: Array, rays: NDArray[np.float32], half: Array) -> Mask:
    """Whether lines (3, N) from outside a box about the origin of its axes meet it ahead."""
    enter = np.full(rays.shape[1], -np.inf, dtype=np.float32)
    leave = np.full(rays.shape[1], np.inf, dtype=np.float32)
    for axis in range(3):
        with np.errstate(divide='ignore', invalid='ignore'):
            one = np.float32(-half[axis] - origin[axis]) / rays[axis]
            other = np.float32(half[axis] - origin[axis]) / rays[axis]
        np.fmax(enter, np.fmin(one, other), out=enter)
        np.fmin(leave, np.fmax(one, other), out=leave)
    meets: Mask = (enter <= leave) & (enter > 0.0)
    return meets


def _ends_in(
    origin: Array, rays: NDArray[np.float32], depth: NDArray[np.float32], half: Array
) -> Mask:
    """Whether points at some depth on lines (3, N) lie in a box; false without a depth."""
    inside = np.ones(rays.shape[1], dtype=bool)
    for axis in range(3):
        with np.errstate(invalid='ignore', over='ignore'):
            at = depth * rays[axis] + np.float32(origin[axis])
            inside &= np.abs(at) <= np.float32(half[axis])
    return inside
