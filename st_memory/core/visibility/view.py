"""Boxes as one camera has them: which can be in its image at all, and their test points."""

from __future__ import annotations

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
from st_memory.core.visibility.targets import Targets

__all__ = ['Eye', 'Sight', 'Validity', 'cull', 'points_of', 'validity_of']

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

# Eight corners, then the centre, in edges: (3 axes, 9 points).
_SIGNS = np.array(
    [[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)] + [[0.0, 0.0, 0.0]]
).T.copy()
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

    @property
    def has_circle(self) -> bool:
        """Whether the preset's circle cuts what the rectangle of the image holds."""
        rule = self.preset.image_circle
        return rule.endswith('inscribed') or (
            rule == 'calibrated' and self.model.valid_circle is not None
        )

    def camera_p(self, offset: Array) -> Array:
        """Turn offsets (3, ...) from the camera into the optical frame."""
        turned = self.world_R_camera.T @ offset.reshape(3, -1)
        return np.asarray(turned.reshape(offset.shape))

    def pixels(self, camera_p: Array) -> Array:
        """Give the pixels (..., 2) of points (3, ...) in the optical frame; NaN for none."""
        flat = camera_p.reshape(3, -1).T
        # Beyond the lens's limit the formula alone gives pixels too; some presets want just that.
        if isinstance(self.model, Fisheye624Camera) and self.folds_back:
            pixels = self.model.project_unchecked(flat).pixels
        else:
            pixels = self.model.project(flat).pixels
        return pixels.reshape(*camera_p.shape[1:], 2)


class Validity(NamedTuple):
    """
    Which of P test points of M objects count, (P, M) bool each.

    Attributes
    ----------
    in_frame
        Inside the rectangle of the image.
    valid
        Inside the image and the circle that the preset asks for.

    """

    in_frame: Mask
    valid: Mask


class Planes(NamedTuple):
    """
    Planes of a view in the fixed frame.

    Attributes
    ----------
    normals : (K, 3) float64
        Unit normals that point inside.
    eye : (K, 1) float64
        How far along them the camera is, metres.

    """

    normals: Array
    eye: Array

    @classmethod
    def of(cls, planes: Array, eye: Eye) -> Planes:
        """Turn planes of the optical frame, (K, 3)."""
        normals = planes @ eye.world_R_camera.T
        return cls(normals, (normals @ eye.world_T_camera.translation)[:, None])

    def inside(self, centres: Array) -> Array:
        """Give how far inside each plane points (3, M) are, (K, M), metres."""
        inside = self.normals @ centres
        inside -= self.eye
        return inside

    def corners_inside(self, centres: Array, sizes: Array, rotations: Array | None) -> Array:
        """
        Give how far inside the nearest plane the nine points of boxes are.

        A corner is as far from a plane as the centre, plus or minus half an edge along each axis:
        sums of three terms instead of nine products.

        Parameters
        ----------
        centres, sizes : (3, M) float64
            Metres.
        rotations : (M, 3, 3) float64, optional
            Axes of the boxes.

        Returns
        -------
        (9, M) float64
            Eight corners, x slowest, then the centre; metres.

        """
        middle = self.inside(centres)
        if rotations is None:
            halves = [0.5 * self.normals[:, i : i + 1] * sizes[i] for i in range(3)]
        else:
            along = np.einsum('ka,mab->bkm', self.normals, rotations)
            halves = [0.5 * along[i] * sizes[i] for i in range(3)]
        x, y, z = halves
        corners = np.empty((len(middle), 9, centres.shape[1]))
        point = 0
        for side_x in (middle - x, middle + x):
            for side_xy in (side_x - y, side_x + y):
                np.subtract(side_xy, z, out=corners[:, point])
                np.add(side_xy, z, out=corners[:, point + 1])
                point += 2
        corners[:, 8] = middle
        return np.asarray(np.minimum.reduce(corners, axis=0))


class Sight(NamedTuple):
    """
    All targets relative to one camera.

    Attributes
    ----------
    is_ahead : (N,) bool
        The centre is in front of the plane of the camera.
    rows : (M,) intp
        Those whose box may reach into the image, ascending.
    is_whole : (M,) bool
        All of the box is in the image for sure.
    planes : (Planes, Planes or None)
        Of the view: around the image, and inside it where they tell anything.

    """

    is_ahead: Mask
    rows: Rows
    is_whole: Mask
    planes: tuple[Planes, Planes | None]


def cull(targets: Targets, eye: Eye) -> Sight:
    """
    Sort the targets by the spheres around them: outside the image, wholly inside, or neither.

    Only the last have to be looked at point by point.
    """
    count = len(targets.centres)
    is_ahead = np.empty(count, dtype=bool)
    found, whole = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=bool)]
    outer, inner = _planes_of(eye)
    is_point = eye.preset.in_view_points != 'box'
    for start in range(0, count, _CULLED_AT_ONCE):
        block = slice(start, start + _CULLED_AT_ONCE)
        # One row a plane: numpy is slow where the last axis is short.
        inside = outer.inside(targets.centres[block].T)
        np.greater(inside[-1], 0.0, out=is_ahead[block])
        if eye.folds_back:
            rows = np.arange(inside.shape[1])
        else:
            least = np.minimum.reduce(inside, axis=0)
            if not is_point:
                least += targets.radii[block]
            rows = np.flatnonzero(least >= -_MARGIN_M)
        found.append(start + rows)
        if inner is None:
            whole.append(np.zeros(len(rows), dtype=bool))
            continue
        if inner is outer:
            depth = inside.take(rows, axis=1)
        else:
            depth = inner.inside(targets.centres[block][rows].T)
        radii = 0.0 if is_point else targets.radii[block][rows]
        whole.append(np.minimum.reduce(depth, axis=0) >= radii + _MARGIN_M)
    return Sight(is_ahead, np.concatenate(found), np.concatenate(whole), (outer, inner))


def _planes_of(eye: Eye) -> tuple[Planes, Planes | None]:
    """Give planes that the image is inside of, and planes that are inside the image, if known."""
    planes = view_planes(eye.model)
    outer = Planes.of(planes.outer, eye)
    bounded = not eye.has_circle and not eye.folds_back and eye.preset.pixel_bounds == 'area'
    if planes.inner is None or not bounded:
        return outer, None
    if planes.inner is planes.outer:
        return outer, outer
    return outer, Planes.of(planes.inner, eye)


def points_of(targets: Targets, rows: Rows, eye: Eye) -> Array:
    """
    Give the test points of some targets, point by point; the centre is the last point.

    Returns
    -------
    (3, P, M) float64
        From the camera, along the axes of the fixed frame, metres.

    """
    centres = targets.centres.take(rows, axis=0).T - eye.world_T_camera.translation[:, None]
    if eye.preset.in_view_points != 'box':
        return np.asarray(centres[:, None, :])
    along = targets.sizes.take(rows, axis=0).T[:, None, :] * _SIGNS[:, :, None]
    if targets.rotations is not None:
        along = np.einsum('mab,bpm->apm', targets.rotations[rows], along)
    along += centres[:, None, :]
    return np.asarray(along)


def validity_of(targets: Targets, rows: Rows, offset: Array, sight: Sight, eye: Eye) -> Validity:
    """
    Say which test points of some targets are in the image.

    Where planes can tell, nothing is projected.

    Parameters
    ----------
    targets, rows
        All objects, and which of them.
    offset : (3, P, M) float64
        Their test points, see :func:`points_of`.
    sight, eye
        How they were culled, and the camera.

    """
    outer, inner = sight.planes
    if inner is None or eye.preset.in_view_points != 'box':
        return _projected(eye.pixels(eye.camera_p(offset)), eye)
    boxes = (
        targets.centres.take(rows, axis=0).T,
        targets.sizes.take(rows, axis=0).T,
        None if targets.rotations is None else targets.rotations[rows],
    )
    valid = inner.corners_inside(*boxes)
    is_sure = valid > _MARGIN_M
    possible = valid if inner is outer else outer.corners_inside(*boxes)
    rest = np.flatnonzero(~is_sure & (possible > -_MARGIN_M))
    if len(rest):
        pixels = eye.pixels(eye.camera_p(offset.reshape(3, -1).take(rest, axis=1)))
        inside = in_image(eye.model, pixels, bounds=eye.preset.pixel_bounds, circle='none')
        is_sure.reshape(-1)[rest] = inside
    return Validity(is_sure, is_sure)


def _projected(pixels: Array, eye: Eye) -> Validity:
    """Say which of (P, M, 2) pixels are in the image; what has no pixel is in none."""
    shape, flat = pixels.shape[:2], pixels.reshape(-1, 2)
    model, preset = eye.model, eye.preset
    in_frame = in_image(model, flat, bounds=preset.pixel_bounds, circle='none').reshape(shape)
    if not eye.has_circle:
        return Validity(in_frame, in_frame)
    valid = in_image(model, flat, bounds=preset.pixel_bounds, circle=preset.image_circle)
    return Validity(in_frame, valid.reshape(shape))
