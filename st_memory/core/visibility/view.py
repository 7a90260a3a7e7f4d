"""Points of the objects as one camera has them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import CameraModel, Fisheye624Camera, in_image, RigidTransform
from st_memory.core.visibility.presets import VisibilityPreset

__all__ = ['View', 'project_points']

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class View(NamedTuple):
    """
    P test points of each of R objects; the centre is the last point.

    Attributes
    ----------
    world_p, camera_p : (R, P, 3) float64
        Metres, in the fixed frame and in the optical frame.
    pixels : (R, P, 2) float64
        NaN where there is no projection.
    in_frame : (R, P) bool
        Inside the rectangle of the image.
    valid : (R, P) bool
        Inside the image and the circle that the preset asks for.

    """

    world_p: Array
    camera_p: Array
    pixels: Array
    in_frame: Mask
    valid: Mask

    def of(self, which: NDArray[np.intp] | Mask) -> View:
        """Give the view of some of the objects."""
        return View(
            self.world_p[which],
            self.camera_p[which],
            self.pixels[which],
            self.in_frame[which],
            self.valid[which],
        )


def project_points(
    world_p: Array, model: CameraModel, world_T_camera: RigidTransform, preset: VisibilityPreset
) -> View:
    """Look at points (R, P, 3) of the fixed frame, by the rules of a preset."""
    shape = world_p.shape[:2]
    camera_p = world_T_camera.inverse().apply(world_p)
    flat = camera_p.reshape(-1, 3)
    # Beyond the lens's limit the formula alone gives pixels too; some presets want just that.
    if isinstance(model, Fisheye624Camera) and not preset.check_lens:
        pixels, projectable = model.project_unchecked(flat)
    else:
        pixels, projectable = model.project(flat)
    bounds = preset.pixel_bounds
    in_frame = projectable & in_image(model, pixels, bounds=bounds, circle='none')
    valid = projectable & in_image(model, pixels, bounds=bounds, circle=preset.image_circle)
    return View(
        world_p, camera_p, pixels.reshape(*shape, 2), in_frame.reshape(shape), valid.reshape(shape)
    )
