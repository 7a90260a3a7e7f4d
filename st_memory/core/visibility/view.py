"""Boxes as one camera has them: which can be in its image at all, and their test points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import (
    CameraModel,
    Fisheye624Camera,
    in_image,
    RigidTransform,
    view_planes,
)
from st_memory.core.visibility.presets import VisibilityPreset
from st_memory.core.visibility.verdicts import Targets

__all__ = ['Eye', 'Sight', 'View', 'cull', 'look_at']

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

# Eight corners, then the centre, in edges.
_SIGNS = np.array(
    [[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)] + [[0.0, 0.0, 0.0]]
)
# The same as one product over all boxes: (M, 3 edges x 3 axes) to (M, 9 points x 3 axes).
_POINTS_OF_EDGES = np.kron(_SIGNS.T, np.eye(3))
# Products this small stay on one thread of the BLAS, and their arrays in the second-level cache.
_CULLED_AT_ONCE = 4096
# Far above rounding: whatever is culled would fail at every one of its points.
_MARGIN_M = 1e-6


class Eye(NamedTuple):
    """A camera with the rules that it is looked through by."""

    model: CameraModel
    world_T_camera: RigidTransform
    world_R_camera: Array
    preset: VisibilityPreset

    @property
    def folds_back(self) -> bool:
        """
        Whether the lens's formula is used beyond its limit.

        There it gives pixels too, and what is in the image is bounded by no planes.
        """
        return isinstance(self.model, Fisheye624Camera) and not self.preset.check_lens


class Sight(NamedTuple):
    """
    All targets relative to one camera.

    Attributes
    ----------
    offset : (N, 3) float64
        From the camera to the centres, fixed frame, metres.
    range_m : (N,) float64
        Its length.
    is_ahead : (N,) bool
        The centre is in front of the plane of the camera.
    rows : (M,) intp
        Those whose box may reach into the image, ascending.

    """

    offset: Array
    range_m: Array
    is_ahead: Mask
    rows: Rows


class View(NamedTuple):
    """
    P test points of each of M objects; the centre is the last point.

    Attributes
    ----------
    offset, camera_p : (M, P, 3) float64
        From the camera, metres, along the axes of the fixed frame and of the optical frame.
    pixels : (M, P, 2) float64
        NaN where there is no projection.
    in_frame : (M, P) bool
        Inside the rectangle of the image.
    valid : (M, P) bool
        Inside the image and the circle that the preset asks for.

    """

    offset: Array
    camera_p: Array
    pixels: Array
    in_frame: Mask
    valid: Mask

    def of(self, which: Rows | Mask) -> View:
        """Give the view of some of the objects."""
        return View(
            self.offset[which],
            self.camera_p[which],
            self.pixels[which],
            self.in_frame[which],
            self.valid[which],
        )


def cull(targets: Targets, eye: Eye) -> Sight:
    """Drop what cannot be in the image: spheres around the boxes against the view's planes."""
    count = len(targets.centres)
    offset = targets.centres - eye.world_T_camera.translation
    range_m, is_ahead = np.empty(count), np.empty(count, dtype=bool)
    possible = np.empty(count, dtype=bool)
    planes = view_planes(eye.model) @ eye.world_R_camera.T
    for block in _blocks(count):
        ahead = offset[block]
        inside = ahead @ planes.T
        range_m[block] = np.sqrt(np.einsum('ij,ij->i', ahead, ahead))
        is_ahead[block] = inside[:, -1] > 0.0
        if eye.folds_back:
            possible[block] = True
        elif eye.preset.in_view_points == 'box':
            reach = targets.radii[block] + _MARGIN_M
            possible[block] = (inside >= -reach[:, None]).all(axis=1)
        else:
            possible[block] = (inside >= -_MARGIN_M).all(axis=1)
    possible &= range_m <= eye.preset.max_range_m
    return Sight(offset, range_m, is_ahead, np.flatnonzero(possible))


def _blocks(count: int) -> Iterator[slice]:
    """Cut a long array into pieces."""
    for start in range(0, count, _CULLED_AT_ONCE):
        yield slice(start, start + _CULLED_AT_ONCE)


def look_at(targets: Targets, sight: Sight, rows: Rows, eye: Eye) -> View:
    """Project the test points of some of the targets."""
    model, preset = eye.model, eye.preset
    offset = sight.offset[rows][:, None, :]
    if preset.in_view_points == 'box':
        corners = targets.edges[rows].reshape(-1, 9) @ _POINTS_OF_EDGES
        offset = offset + corners.reshape(-1, 9, 3)
    shape = offset.shape[:2]
    camera_p = offset.reshape(-1, 3) @ eye.world_R_camera
    if isinstance(model, Fisheye624Camera) and eye.folds_back:
        pixels = model.project_unchecked(camera_p).pixels
    else:
        pixels = model.project(camera_p).pixels
    # What cannot be projected has no pixel, and NaN is in no image.
    in_frame = in_image(model, pixels, bounds=preset.pixel_bounds, circle='none')
    valid = in_frame
    if preset.image_circle != 'none':
        valid = in_image(model, pixels, bounds=preset.pixel_bounds, circle=preset.image_circle)
    return View(
        offset,
        camera_p.reshape(*shape, 3),
        pixels.reshape(*shape, 2),
        in_frame.reshape(shape),
        valid.reshape(shape),
    )
