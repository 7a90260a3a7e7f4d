"""Depth images that did not go into a mesh, and how well the mesh foretells them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import RayCaster
from st_memory.core.records import CameraFrame

__all__ = ['DepthAgreement', 'HeldOutDepth']

Floats = NDArray[np.float64]

# One pixel of eight each way is enough for a median over images.
_PIXEL_STEP = 8
# How far behind the measured surface the mesh is still looked for, metres.
_BEYOND_M = 1.0


@dataclass(frozen=True)
class DepthAgreement:
    """
    Measured depth against that of a mesh.

    Parameters
    ----------
    num_images, num_pixels : int
        What was compared.
    missed_share : float
        Share of the pixels where the mesh has no surface up to 1 m behind the measured one.
    median_m, p90_m : float
        Median and 90th percentile of the absolute error along the optical axis of the others,
        metres; NaN when there are none.
    bias_m : float
        Median of mesh minus measured, metres.

    """

    num_images: int
    num_pixels: int
    missed_share: float
    median_m: float
    p90_m: float
    bias_m: float


class HeldOutDepth:
    """
    Samples of depth images.

    Parameters
    ----------
    max_depth_m : float
        Depth beyond this is not compared, metres.

    """

    def __init__(self, max_depth_m: float) -> None:
        self._max_depth_m = max_depth_m
        self._looks: list[tuple[RigidTransform, Floats, Floats]] = []

    def __len__(self) -> int:
        return len(self._looks)

    def add(self, camera: CameraFrame) -> None:
        """Keep samples of a look with a pose and depth."""
        if camera.depth_m is None or camera.world_T_camera is None:
            return
        rows = np.arange(_PIXEL_STEP // 2, camera.model.height, _PIXEL_STEP)
        columns = np.arange(_PIXEL_STEP // 2, camera.model.width, _PIXEL_STEP)
        v, u = (axis.ravel() for axis in np.meshgrid(rows, columns, indexing='ij'))
        depth = camera.depth_m[v, u].astype(np.float64)
        rays = camera.model.unproject(np.column_stack([u, v]).astype(np.float64))
        with np.errstate(invalid='ignore'):
            used = (depth > 0) & (depth <= self._max_depth_m) & np.isfinite(rays).all(axis=1)
        self._looks.append((camera.world_T_camera, rays[used], depth[used]))

    def compare(self, caster: RayCaster) -> DepthAgreement:
        """
        Shoot the rays of the samples at a scene.

        Parameters
        ----------
        caster : RayCaster
            The mesh.

        """
        errors = [self._errors(caster, *look) for look in self._looks]
        error = np.concatenate(errors) if errors else np.zeros(0)
        hit = error[np.isfinite(error)]
        size = np.abs(hit)
        return DepthAgreement(
            num_images=len(self._looks),
            num_pixels=len(error),
            missed_share=1.0 - len(hit) / len(error) if len(error) else float('nan'),
            median_m=float(np.median(size)) if len(hit) else float('nan'),
            p90_m=float(np.percentile(size, 90)) if len(hit) else float('nan'),
            bias_m=float(np.median(hit)) if len(hit) else float('nan'),
        )

    def _errors(
        self, caster: RayCaster, world_T_camera: RigidTransform, rays: Floats, depth: Floats
    ) -> Floats:
        """Depth of the mesh minus measured depth of each sample; inf where nothing is hit."""
        ends = world_T_camera.apply(rays * (depth + _BEYOND_M)[:, np.newaxis])
        hits = caster.first_hits(world_T_camera.translation, ends, np.zeros(len(ends)))
        # Rays have z = 1, so length divided by that of the ray is depth along the axis.
        length = np.sqrt((rays * rays).sum(axis=1))
        error: Floats = hits.distance_m / length - depth
        return error
